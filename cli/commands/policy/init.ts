// `platform policy init`: a folder with a working policy, its tests and inputs to try it with.
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pc from 'picocolors';
import { InputError } from '../../../runtime/errors.ts';
import type { Command } from '../../command.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { print, printJson } from './sources.ts';

const template = fileURLToPath(new URL('../../policy/template', import.meta.url));

const help = `Usage
  platform policy init FOLDER [options]

Makes FOLDER with a policy that works: it refuses large refunds of the sample agent and asks a person
about smaller ones. Beside it are its tests, and inputs and data to try it with. Change them into yours.

Options
  --json      print {ok, folder, files}

Exit codes
  0 made; 1 the folder holds something already; 2 wrong command line

Examples
  platform policy init my-policies
  platform policy test my-policies
  platform up --demo --policies my-policies`;

/** Writes the template; with `--json` prints `{ok, folder, files}`. Nothing is overwritten. */
export const initVerb: Command = {
  name: 'init',
  summary: 'make a folder with a working policy and its tests',
  help,
  async run(argv) {
    const options = { json: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseOptions(argv, options, 1);
    const [folder] = positionals;
    if (folder === undefined) throw new UsageError('which folder? platform policy init FOLDER');
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0) {
      throw new InputError('input_invalid', `${folder} is not empty`, {
        hint: 'name a folder that is not there yet; nothing is overwritten',
      });
    }
    await cp(template, folder, { recursive: true });
    const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    if (values.json === true) printJson({ ok: true, folder, files });
    else {
      for (const file of files) print(`${pc.green('made')} ${file}`);
      print(`
Next
  platform policy test ${folder}
  platform policy explain ${folder} --input ${folder}/samples/large.json --data ${folder}/samples/data.json
  platform up --demo --policies ${folder}`);
    }
    return 0;
  },
};
