// The options that every policy command shares: which folders and bundles of policies, and how to print.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PolicySources, readPolicies } from '../../../runtime/bundle/compile.ts';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { ownerOf, withTenants } from '../../../runtime/bundle/tenants.ts';
import { BOUNDARIES } from '../../../runtime/decide/boundary.ts';
import { BundleError } from '../../../runtime/errors.ts';
import { UsageError } from '../../options.ts';

const shipped = fileURLToPath(new URL('../../../policies', import.meta.url));

/** How many folders and bundles a command takes. */
export const FOLDERS_MAX = 32;

/** Explained once, in the help of each command. */
export const FOLDERS_HELP = `FOLDER is a folder of operators' policies (packages platform.<boundary>.operator), which are
added to the platform's own. A folder that holds capabilities.json, or a BUNDLE (a folder or a
.tar.gz that build made), replaces the platform's own. Without either, the platform's own alone.`;

/** Reads the platform's policies and the operator's folders beside them. */
export function policyFolders(given: readonly string[]): string[] {
  const own = given.find((folder) => existsSync(join(folder, 'capabilities.json')));
  return [own ?? shipped, ...given.filter((folder) => folder !== own)];
}

/** A folder or archive that `platform policy build` made. */
export function isBundle(path: string): boolean {
  return path.endsWith('.tar.gz') || existsSync(join(path, '.manifest'));
}

/** True for a bundle, and for a folder that is not an operator's: it holds capabilities.json. */
export function replacesOwn(path: string): boolean {
  return isBundle(path) || existsSync(join(path, 'capabilities.json'));
}

/**
 * Reads folders and at most one bundle, whose sources replace the platform's own. A bundle's signature is
 * not looked at: what is read here decides nothing.
 */
export async function policySources(given: readonly string[]): Promise<PolicySources> {
  const [bundle, ...more] = given.filter(isBundle);
  if (more.length > 0) throw new BundleError('policy_invalid', 'one bundle at a time');
  const sources = await readPolicies(policyFolders(given.filter((path) => path !== bundle)));
  if (bundle === undefined) return sources;
  const files = [...(await readBundle(bundle))]
    .filter(([path]) => path.endsWith('.rego'))
    .map(([path, bytes]) => {
      const content = Buffer.from(bytes).toString('utf8');
      return { path, content, ...ownerOf(path) };
    });
  const known = new Set(files.map(({ path }) => path));
  const added = sources.files.filter(
    ({ path }) => path.startsWith('operator/') && !known.has(path),
  );
  const boundaries = Object.keys(sources.schemas ?? {});
  return { ...sources, files: withTenants([...files, ...added], boundaries.sort()) };
}

/** @throws UsageError for a `--boundary` that is none */
export function requireBoundary(boundary: string): void {
  if ((BOUNDARIES as readonly string[]).includes(boundary)) return;
  throw new UsageError(`--boundary is one of ${BOUNDARIES.join(', ')}`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One JSON document, the whole of what `--json` prints. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}
