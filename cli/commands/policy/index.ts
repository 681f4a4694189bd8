// `platform policy`: everything a policy's author needs, on the compiler that builds the bundles.
import type { Command } from '../../command.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { build } from './build.ts';
import { check } from './check.ts';
import { evaluate } from './eval.ts';
import { format } from './format.ts';
import { FOLDERS_HELP } from './sources.ts';
import { test } from './test.ts';

const FOLDERS_MAX = 32;

const help = `Usage
  platform policy check [FOLDER...]                      types, names, schemas, allowed built-ins
  platform policy test [FOLDER...] [--run R] [--threshold N]   run tests, show uncovered lines
  platform policy build [FOLDER...] --output PATH [--key FILE] compile to a (signed) bundle
  platform policy eval [FOLDER...] --input FILE [--data FILE] [--boundary B | --query Q]
  platform policy fmt FOLDER... [--check]                format in place

${FOLDERS_HELP}

Options
  --json           print one JSON document
  --run R          only tests whose name matches the regular expression R
  --threshold N    fail when fewer than N percent of the lines are covered (default 0)
  --output PATH    where the bundle goes: a folder, or a file that ends in .tar.gz
  --key FILE       private JWK (Ed25519) that signs the bundle
  --input FILE     the input's JSON; - is standard input
  --data FILE      the data.json to decide with
  --boundary B     tool (default), credential, console, mesh or secret
  --query Q        any Rego query, answered by OPA's interpreter, with what print wrote
  --check          only say which files fmt would change

Exit codes
  0 right, passed, built, allowed; 1 not; 2 wrong command line

Examples
  platform policy check my-policies
  platform policy test my-policies --threshold 100
  platform policy eval my-policies --input call.json --data data.json`;

/** Checks, tests, builds, evaluates and formats policies. */
export const policyCommand: Command = {
  name: 'policy',
  summary: 'check, test, build, evaluate and format policies',
  help,
  async run(argv) {
    const [verb, ...rest] = argv;
    const { values, positionals: folders } = parseOptions(
      rest,
      {
        json: { type: 'boolean', default: false },
        run: { type: 'string' },
        threshold: { type: 'string', default: '0' },
        output: { type: 'string' },
        key: { type: 'string' },
        input: { type: 'string' },
        data: { type: 'string' },
        boundary: { type: 'string', default: 'tool' },
        query: { type: 'string' },
        check: { type: 'boolean', default: false },
      },
      FOLDERS_MAX,
    );
    const json = values.json === true;
    if (verb === 'check') return check({ folders, json });
    if (verb === 'test') {
      return test({ folders, json, run: values.run, threshold: percent(values.threshold) });
    }
    if (verb === 'build') {
      return build({ folders, json, output: needed('output', values.output), key: values.key });
    }
    if (verb === 'eval') {
      const { boundary = 'tool', data, query } = values;
      const input = needed('input', values.input);
      return evaluate({ folders, json, input, data, boundary, query });
    }
    if (verb === 'fmt') {
      if (folders.length === 0) throw new UsageError('fmt needs a folder');
      return format({ folders, json, check: values.check === true });
    }
    throw new UsageError(`policy has no "${verb ?? ''}"; it has check, test, build, eval and fmt`);
  },
};

function needed(option: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`--${option} is needed`);
  return value;
}

function percent(value: string | undefined): number {
  const number = Number(value);
  if (!(number >= 0 && number <= 100)) throw new UsageError('--threshold is a percentage');
  return number;
}
