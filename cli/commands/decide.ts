// `platform decide`: recomputes decisions offline from bundles on disk, one request a line.
import { createInterface } from 'node:readline';
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import { loadPair } from '../../runtime/bundle/load.ts';
import { BOUNDARIES, DECISION_MODULES } from '../../runtime/decide/boundary.ts';
import type { Decision, DecisionRequest } from '../../runtime/decide/decision.ts';
import { createLocalDecider } from '../../runtime/decide/local.ts';
import { InputError } from '../../runtime/errors.ts';
import { isJsonObject } from '../../runtime/json.ts';
import type { Command } from '../command.ts';
import { parseOptions, UsageError } from '../options.ts';

const SALT_BYTES = 32;

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
      const text = `${JSON.stringify(toAnswer(decider.decide(parseRequest(line, number))))}\n`;
      if (!process.stdout.write(text)) {
        await new Promise((resolve) => process.stdout.once('drain', resolve));
      }
    }
    return 0;
  },
};

function toAnswer({ id, allow, rule, reason }: Decision) {
  return { id, allow, rule, reason };
}

/** Reads one line; throws an InputError that names the line. */
function parseRequest(line: string, number: number): DecisionRequest {
  const fail = (what: string): never => {
    throw new InputError('input_invalid', `line ${number}: ${what}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return fail('not JSON');
  }
  if (!isJsonObject(value)) return fail('not a JSON object');
  const boundary = BOUNDARIES.find((name) => name === value.boundary);
  const module = DECISION_MODULES.find((name) => name === value.module);
  if (boundary === undefined) return fail(`boundary is one of ${BOUNDARIES.join(', ')}`);
  if (module === undefined) return fail(`module is one of ${DECISION_MODULES.join(', ')}`);
  if (typeof value.input !== 'string') return fail('input is base64 text');
  const salt = Buffer.from(typeof value.salt === 'string' ? value.salt : '', 'hex');
  if (salt.length !== SALT_BYTES) return fail('salt is 64 hex digits');
  const schema = typeof value.schema === 'string' ? Buffer.from(value.schema, 'base64') : undefined;
  return { boundary, module, input: Buffer.from(value.input, 'base64'), salt, schema };
}
