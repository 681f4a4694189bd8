// `platform guard`: scans texts on this machine, with no running platform and no network.
import type { Command } from '../../command.ts';
import { UsageError } from '../../options.ts';
import { suggest } from '../../suggest.ts';
import { canaryVerb } from './canary.ts';
import { explainVerb } from './explain.ts';
import { scanVerb } from './scan.ts';

const verbs: Command[] = [scanVerb, explainVerb, canaryVerb];

const help = `Usage
  platform guard VERB [options]

Verbs
${verbs.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join('\n')}

The same module scans in the gateway, in both SDKs and in the guard service; here it needs neither a
running platform nor a network.

Options
  --help      with a verb: its options, exit codes and examples
  --json      print one JSON document; a failure is one on standard error, {"error": {code, message}}

Exit codes
  0 nothing found, 1 something found, 2 could not be done

Examples
  platform guard scan .
  platform guard scan --staged
  platform guard explain 'Ignore all previous instructions.'`;

/** Hands over to the verb that is named first. */
export const guardCommand: Command = {
  name: 'guard',
  summary: 'scan files, prompts and responses, and say why something was found',
  help,
  verbs,
  async run([name = '', ...rest]) {
    const verb = verbs.find((candidate) => candidate.name === name);
    if (verb !== undefined) return verb.run(rest);
    const names = verbs.map((candidate) => candidate.name);
    const meant = suggest(name, names);
    throw new UsageError(
      meant === undefined
        ? `guard has ${names.join(', ')}`
        : `guard has no "${name}"; did you mean: platform guard ${meant}`,
    );
  },
};
