// `platform decide`: recomputes decisions offline from bundles on disk, one request a line.
import { createInterface } from 'node:readline';
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import { loadPair } from '../../runtime/bundle/load.ts';
import { BOUNDARIES, DECISION_MODULES } from '../../runtime/decide/boundary.ts';
import type { DecisionRequest } from '../../runtime/decide/decision.ts';
import { createLocalDecider } from '../../runtime/decide/local.ts';
import { answerOf, readRequest } from '../../runtime/decide/wire.ts';
import { InputError } from '../../runtime/errors.ts';
import type { Command } from '../command.ts';
import { parseOptions, UsageError } from '../options.ts';

const help = `Usage
  platform decide --bundles DIR --keys FILE < requests.ndjson

Reads one request a line from standard input and writes one decision a line. It needs no running
platform and no network: the same inputs under the same bundles give the same ids everywhere.

A request is a JSON object:
  boundary   ${BOUNDARIES.join(', ')}
  module     ${DECISION_MODULES.join(', ')}
  input      the module's input, as base64 of its JSON text
  salt       64 hex digits; the salt of the commitments
  schema     for the module arguments: base64 of the tool's canonical schema

Options
  --bundles DIR  folder with the signed bundles policy and data
  --keys FILE    the public keys (JWK or JWK set) that may sign them

Exit codes
  0 every line was decided, 1 a line was unreadable, 2 wrong command line

Examples
  platform decide --bundles .platform-state/bundles --keys bundle.jwk.pub < requests.ndjson
  printf '{"boundary":"tool","module":"scope","input":"%s","salt":"%064d"}\\n' \\
    "$(printf '{"scope":"spiffe://a/b/*","spiffe_id":"spiffe://a/b/c"}' | base64 -w0)" 0 |
    platform decide --bundles DIR --keys FILE`;

export const decide: Command = {
  name: 'decide',
  summary: 'recompute decisions and their ids offline',
  help,
  async run(argv) {
    const { values } = parseOptions(argv, {
      bundles: { type: 'string' },
      keys: { type: 'string' },
    });
    if (values.bundles === undefined || values.keys === undefined) {
      throw new UsageError('--bundles and --keys are needed');
    }
    const pair = await loadPair(values.bundles, await readBundleKeys(values.keys));
    const decider = createLocalDecider({ current: () => pair });
    let number = 0;
    for await (const line of createInterface({ input: process.stdin })) {
      number += 1;
      const text = `${JSON.stringify(answerOf(decider.decide(parseRequest(line, number))))}\n`;
      if (!process.stdout.write(text)) {
        await new Promise((resolve) => process.stdout.once('drain', resolve));
      }
    }
    return 0;
  },
};

/** Reads one line; throws an InputError that names the line. */
function parseRequest(line: string, number: number): DecisionRequest {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new InputError('input_invalid', `line ${number}: not JSON`, { cause });
  }
  return readRequest(value, `line ${number}: `);
}
