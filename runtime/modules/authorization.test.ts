// A host that is prepared in pieces is the host that is made at once, and lets others go on meanwhile.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { samplePolicies } from '../bundle/testing.ts';
import { codeOf } from '../errors.ts';
import { sampleAgent, sampleData, sampleService } from '../testing/sample-data.ts';
import { Authorization } from './authorization.ts';

const ENTRYPOINT = 'platform/tool/decision';
const PIECE_BYTES = 256 * 1024;
const { wasm, decisions } = await samplePolicies();

const inputOf = (agent: number) => ({
  action: 'call',
  identity: { spiffe_id: sampleAgent(agent), tenant: `tenant-${agent % 20}` },
  resource: {
    ...{ kind: 'tool', name: 'get', service: sampleService(agent) },
    ...{ action: 'read', tags: [] },
  },
});

test('the event loop turns between the pieces, and the answers are the same', async () => {
  const data = Buffer.from(JSON.stringify(sampleData(3000)));
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const prepared = await Authorization.prepare({ wasm, decisions, data });
  isDone = true;
  assert.ok(turns > data.length / PIECE_BYTES, `${turns} turns`);
  const made = Authorization.create({ wasm, decisions, data });
  assert.equal(prepared.entrypoints, made.entrypoints);
  for (const agent of [0, 1, 2999, 3000]) {
    const input = inputOf(agent);
    const expected = Buffer.from(made.decide(ENTRYPOINT, input).bytes).toString();
    assert.is(Buffer.from(prepared.decide(ENTRYPOINT, input).bytes).toString(), expected);
    assert.is(expected.includes('unknown_agent'), agent === 3000);
  }
});

test('data that is no JSON, or has a key twice, is refused either way', async () => {
  for (const [text, code] of [
    ['{"agents":{"a":1,"a":2}}', 'input_duplicate_key'],
    ['{"agents":{"a":}}', 'input_not_json'],
    ['{"agents":{}', 'input_not_json'],
  ] as const) {
    const config = { wasm, decisions, data: Buffer.from(text) };
    assert.is(await Authorization.prepare(config).then(() => '', codeOf), code);
    assert.throws(
      () => Authorization.create(config),
      (error: unknown) => codeOf(error) === code,
    );
  }
});

test.run();
