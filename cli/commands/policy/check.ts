// `platform policy check`: types, names, schemas, allowed built-ins, without running anything.
import pc from 'picocolors';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { describeFindings } from './findings.ts';
import { policySources, print, printJson } from './sources.ts';

export interface CheckFlags {
  folders: string[];
  json: boolean;
}

/** Returns 0 when every file is right, 1 when not; with `json` prints `{ok, errors, rules}`. */
export async function check(flags: CheckFlags): Promise<number> {
  const sources = await policySources(flags.folders);
  const answer = (await RegoCompiler.load()).check(sources);
  if (flags.json) {
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
