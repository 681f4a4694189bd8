// `platform policy bench`: what a decision of a policy costs, beside stock opa-wasm.
import { readFile } from 'node:fs/promises';
import Table from 'cli-table3';
import { BOUNDARIES } from '../../../runtime/decide/boundary.ts';
import { InputError } from '../../../runtime/errors.ts';
import type { BenchmarkCase, Figures } from '../../../runtime/measure.ts';
import type { Command } from '../../command.ts';
import { parseOptions } from '../../options.ts';
import { benchPolicy } from '../../policy/bench/bench.ts';
import {
  readData,
  readSide,
  type Side,
  sideOfFolders,
  withSomeData,
} from '../../policy/diff/side.ts';
import { FOLDERS_HELP, FOLDERS_MAX, print, printJson, requireBoundary } from './sources.ts';

const help = `Usage
  platform policy bench [FOLDER|BUNDLE...] [--input FILE...] [--data FILE] [--boundary B]

Times decisions of the compiled module from a request to the decision, beside the same module in
@open-policy-agent/opa-wasm and beside writing the request as JSON alone,
which no decision can be faster than. All are measured in one run, in turns, so that whatever else
the machine does hits all alike. A ratio above 1 means that ours is faster, at the median.

${FOLDERS_HELP}

Options
  --input FILE     a request's JSON; may be given again; by default made-up requests
  --data FILE      the data.json, or data bundle, to decide with; by default that of the folder, else
                   what is in force on this machine, else made-up agents
  --boundary B     ${BOUNDARIES.join(', ')} (default tool)
  --json           print one JSON document

Exit codes
  0 measured; 1 not; 2 wrong command line

Examples
  platform policy bench
  platform policy bench my-policies --input call.json --data data.json
  platform policy bench policy.tar.gz --boundary secret --json`;

/** Measures what decisions cost. */
export const benchVerb: Command = {
  name: 'bench',
  summary: 'what a decision costs, beside stock opa-wasm',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        input: { type: 'string', multiple: true },
        data: { type: 'string' },
        boundary: { type: 'string', default: 'tool' },
        json: { type: 'boolean', default: false },
      },
      FOLDERS_MAX,
    );
    const { boundary = 'tool', data } = values;
    requireBoundary(boundary);
    const inputs = await Promise.all((values.input ?? []).map(readInput));
    const side = await withSomeData(await sideOf(positionals, data), (note) => {
      process.stderr.write(`${note}\n`);
    });
    const cases = await benchPolicy(side, boundary, inputs);
    const { label, dataLabel, revision = null } = side;
    const about = { policy: label, revision, data: dataLabel ?? null, boundary, unit: 'µs' };
    if (values.json) printJson({ ...about, cases });
    else print(table(cases));
    return 0;
  },
};

async function sideOf(paths: string[], data: string | undefined): Promise<Side> {
  const [only, ...more] = paths;
  if (only !== undefined && more.length === 0) return readSide(only, data);
  const side = await sideOfFolders(paths);
  return data === undefined ? side : { ...side, data: await readData(data), dataLabel: data };
}

async function readInput(path: string): Promise<Uint8Array> {
  return readFile(path).catch((cause: unknown) => {
    throw new InputError('input_invalid', `cannot read ${path}`, { cause });
  });
}

function table(cases: readonly BenchmarkCase[]): string {
  const output = new Table({
    head: ['requests', 'who', 'p50 µs', 'p99 µs', 'decisions a second', 'ours is'],
    style: { head: [], border: [] },
  });
  for (const { name, ours, peers, ratios } of cases) {
    output.push(row(name, 'ours', ours, ''));
    for (const [peer, figures] of Object.entries(peers)) {
      output.push(row('', peer, figures, `${ratios[peer]!.toPrecision(3)} × as fast`));
    }
  }
  return output.toString();
}

function row(name: string, who: string, { p50, p99, perSecond }: Figures, ratio: string): string[] {
  return [name, who, p50.toPrecision(3), p99.toPrecision(3), perSecond.toFixed(0), ratio];
}
