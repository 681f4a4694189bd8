// The options that every policy command shares: which folders of policies, and how to print.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PolicySources, readPolicies } from '../../../runtime/bundle/compile.ts';

const shipped = fileURLToPath(new URL('../../../policies', import.meta.url));

/** Explained once, in the help of each command. */
export const FOLDERS_HELP = `FOLDER is a folder of operators' policies (packages platform.<boundary>.operator), which are
added to the platform's own. A folder that holds capabilities.json replaces the platform's own.
Without FOLDER, the platform's own policies alone.`;

/** Reads the platform's policies and the operator's folders beside them. */
export function policyFolders(given: readonly string[]): string[] {
  const own = given.find((folder) => existsSync(join(folder, 'capabilities.json')));
  return [own ?? shipped, ...given.filter((folder) => folder !== own)];
}

export function policySources(given: readonly string[]): Promise<PolicySources> {
  return readPolicies(policyFolders(given));
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One JSON document, the whole of what `--json` prints. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}
