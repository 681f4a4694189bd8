// `platform policy fmt`: OPA's formatter over the given folders.
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RegoCompiler, type RegoFile } from '../../../runtime/modules/rego.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { describeFindings } from './findings.ts';
import { print, printJson } from './sources.ts';

export interface FormatFlags {
  folders: string[];
  json: boolean;
  /** Only say which files would change. */
  check: boolean;
}

/** Returns 0 when nothing is left to change; with `json` prints `{ok, errors, changed}`. */
export async function format(flags: FormatFlags): Promise<number> {
  const files: RegoFile[] = [];
  for (const folder of flags.folders) {
    for await (const name of glob('**/*.rego', { cwd: folder })) {
      const path = join(folder, name);
      files.push({ path, content: await readFile(path, 'utf8') });
    }
  }
  const answer = (await RegoCompiler.load()).format(files);
  if (!flags.check) for (const file of answer.files) await writeFile(file.path, file.content);
  const changed = answer.files.map((file) => file.path);
  const ok = answer.ok && (!flags.check || changed.length === 0);
  if (flags.json) printJson({ ok, errors: answer.errors, changed });
  else {
    for (const path of changed) print(`${flags.check ? 'would format' : 'formatted'} ${path}`);
    if (!answer.ok) print(describeFindings(answer.errors));
  }
  return ok ? 0 : EXIT_FAILED;
}
