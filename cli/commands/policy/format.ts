// `platform policy fmt`: OPA's formatter over the given folders.
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../../runtime/errors.ts';
import { RegoCompiler, type RegoFile } from '../../../runtime/modules/rego.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { describeFindings } from './findings.ts';
import { FOLDERS_MAX, print, printJson } from './sources.ts';

const help = `Usage
  platform policy fmt FOLDER... [--check] [options]

Formats every .rego file below the folders in place, as OPA's formatter does.

Options
  --check     change nothing, only say which files would change
  --json      print {ok, errors, changed}

Exit codes
  0 nothing is left to change; 1 something would change, or a file cannot be read; 2 wrong command line

Examples
  platform policy fmt my-policies
  platform policy fmt policies examples --check`;

/** Formats in place. */
export const formatVerb: Command = {
  name: 'fmt',
  summary: 'format in place',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      { json: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
      FOLDERS_MAX,
    );
    if (positionals.length === 0) throw new UsageError('fmt needs a folder');
    return format({
      folders: positionals,
      json: values.json === true,
      check: values.check === true,
    });
  },
};

interface FormatFlags {
  folders: string[];
  json: boolean;
  check: boolean;
}

async function format(flags: FormatFlags): Promise<number> {
  const files: RegoFile[] = [];
  for (const folder of flags.folders) {
    for await (const name of glob('**/*.rego', { cwd: folder })) {
      const path = join(folder, name);
      files.push({ path, content: await readFile(path, 'utf8') });
    }
  }
  if (files.length === 0) {
    throw new InputError('input_invalid', `there is no .rego file in ${flags.folders.join(', ')}`);
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
