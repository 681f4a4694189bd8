// `platform policy check`: types, names, schemas, allowed built-ins, without running anything.
import pc from 'picocolors';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions } from '../../options.ts';
import { describeFindings } from './findings.ts';
import { FOLDERS_HELP, FOLDERS_MAX, policySources, print, printJson } from './sources.ts';

const help = `Usage
  platform policy check [FOLDER|BUNDLE...] [options]

Checks syntax, types, names, the members of each boundary's input and the built-ins, in strict mode,
without running anything. Each error has its file, line, column, the line itself and what to do.

${FOLDERS_HELP}

Options
  --json      print {ok, errors, rules}

Exit codes
  0 right; 1 there are errors; 2 wrong command line

Examples
  platform policy check
  platform policy check my-policies
  platform policy check policy.tar.gz --json`;

/** With `--json` prints `{ok, errors, rules}`. */
export const checkVerb: Command = {
  name: 'check',
  summary: 'types, names, input members and built-ins, without running anything',
  help,
  async run(argv) {
    const options = { json: { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseOptions(argv, options, FOLDERS_MAX);
    return check(positionals, values.json === true);
  },
};

async function check(folders: string[], json: boolean): Promise<number> {
  const sources = await policySources(folders);
  const answer = (await RegoCompiler.load()).check(sources);
  if (json) {
    printJson({ ok: answer.ok, errors: answer.errors, rules: answer.rules });
  } else if (answer.ok) {
    print(
      `${pc.green('ok')} ${sources.files.length} files, ${answer.rules.length} documented rules`,
    );
  } else {
    print(describeFindings(answer.errors));
  }
  return answer.ok ? 0 : EXIT_FAILED;
}
