// Picks the sources that a boundary's decision can depend on, because compiling the rest takes most of the time.
import type { RegoFile } from '../modules/rego.ts';

const PACKAGE = /^package\s+platform\.(\w+)/m;
/** A reference that a constant name does not follow could be to any package. */
const ANY = /\bdata\s*\[|\bdata\.platform\b(?!\.[A-Za-z_])/;

/** The files of the boundary's package, of every package that they name, and of those that these name. */
export function neededFor(boundary: string, files: readonly RegoFile[]): RegoFile[] {
  const sources = files.filter(({ path }) => !path.endsWith('_test.rego'));
  const names = new Set([boundary]);
  for (const name of names) {
    for (const { content } of sources.filter((file) => isOf(file, name))) {
      if (ANY.test(content)) return sources;
      for (const [, named] of content.matchAll(/\bdata\.platform\.(\w+)/g)) names.add(named!);
    }
  }
  return sources.filter((file) => [...names].some((name) => isOf(file, name)));
}

/** A package that is none of the platform's may be read by any. */
function isOf({ content }: RegoFile, name: string): boolean {
  const own = PACKAGE.exec(content)?.[1];
  return own === undefined || own === name;
}
