// The frameworks whose controls policies name, and which controls of others each one supports besides.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A framework; only ids of controls are kept, because most of the texts are licensed. */
export interface Framework {
  name: string;
  edition: string;
  /** Where its text is published. */
  source: string;
}

/** Control ids are `<framework>:<id within it>`, such as `NIST:AC-3`. */
export interface Catalogue {
  frameworks: Record<string, Framework>;
  /** By id, the controls of other frameworks that ask for the same. */
  controls: Record<string, string[]>;
  /** Ids that nothing points to but that a policy may name. */
  other: string[];
  /** What each row of evidence supports, whatever was decided. */
  every_decision: string[];
}

/** Reads policies/controls/controls.json. */
export async function readCatalogue(): Promise<Catalogue> {
  const file = fileURLToPath(new URL('../../../policies/controls/controls.json', import.meta.url));
  return JSON.parse(await readFile(file, 'utf8')) as Catalogue;
}

/** Every id that the catalogue knows. */
export function knownControls(catalogue: Catalogue): Set<string> {
  const { controls, other } = catalogue;
  return new Set([...Object.entries(controls).flatMap(([id, also]) => [id, ...also]), ...other]);
}

/** The id itself and what asks for the same in other frameworks. */
export function supportedBy(catalogue: Catalogue, id: string): string[] {
  return [id, ...(Object.hasOwn(catalogue.controls, id) ? catalogue.controls[id]! : [])];
}
