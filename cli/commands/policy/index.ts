// `platform policy`: everything a policy's author needs, on the compiler that builds the bundles.
import type { Command } from '../../command.ts';
import { UsageError } from '../../options.ts';
import { suggest } from '../../suggest.ts';
import { benchVerb } from './bench.ts';
import { buildVerb } from './build.ts';
import { checkVerb } from './check.ts';
import { controlsVerb } from './controls.ts';
import { diffVerb } from './diff.ts';
import { envoyVerb } from './envoy.ts';
import { evalVerb } from './eval.ts';
import { explainVerb } from './explain.ts';
import { formatVerb } from './format.ts';
import { initVerb } from './init.ts';
import { lintVerb } from './lint.ts';
import { proveVerb } from './prove.ts';
import { serveVerb } from './serve.ts';
import { signVerb } from './sign.ts';
import { FOLDERS_HELP } from './sources.ts';
import { testVerb } from './test.ts';
import { verifyVerb } from './verify.ts';

const verbs: Command[] = [
  initVerb,
  checkVerb,
  formatVerb,
  lintVerb,
  testVerb,
  evalVerb,
  explainVerb,
  buildVerb,
  signVerb,
  verifyVerb,
  serveVerb,
  envoyVerb,
  controlsVerb,
  proveVerb,
  diffVerb,
  benchVerb,
];

const help = `Usage
  platform policy VERB [FOLDER|BUNDLE...] [options]

Verbs
${verbs.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join('\n')}

${FOLDERS_HELP}

Options
  --help      with a verb: its options, exit codes and examples
  --json      print one JSON document; a failure is one on standard error, {"error": {code, message}}

Exit codes
  0 right, passed, built, allowed; 1 not; 2 wrong command line

Examples
  platform policy check my-policies
  platform policy test my-policies --threshold 100
  platform policy eval my-policies --input call.json --data data.json`;

/** Hands over to the verb that is named first. */
export const policyCommand: Command = {
  name: 'policy',
  summary: 'write, test, explain, compare, prove and ship policies',
  help,
  verbs,
  async run([name = '', ...rest]) {
    const verb = verbs.find((candidate) => candidate.name === name);
    if (verb !== undefined) return verb.run(rest);
    if (name === '' || name.startsWith('-'))
      throw new UsageError('which verb? platform policy VERB');
    const names = verbs.map((candidate) => candidate.name);
    const meant = suggest(name, names);
    throw new UsageError(
      `policy has no "${name}"; ${meant === undefined ? `it has ${names.join(', ')}` : `did you mean: platform policy ${meant}`}`,
    );
  },
};
