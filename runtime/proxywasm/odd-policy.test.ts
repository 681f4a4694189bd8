// The filter under policies that answer oddly or not at all: it reads answers and failures as Node does.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CompiledPolicies } from '../bundle/compile.ts';
import { mergeFilter } from '../bundle/merge.ts';
import type { LoadedPair } from '../bundle/pair.ts';
import type { Decision } from '../decide/decision.ts';
import { SAMPLE_TRUST_DOMAIN, sampleAgent } from '../testing/sample-data.ts';
import type { Filter } from './filter.ts';
import { meshFilter } from './mesh-filter.ts';
import { peerProperties } from './testing/mesh.ts';
import { CONFLICT, meshPolicyOf, unsignedDecider } from './testing/mesh-policy.ts';

const test = suite('odd policies');

const echo = await meshPolicyOf('decision := data.answer');

function pairOf({ wasm, decisions, filter }: CompiledPolicies, data: string): LoadedPair {
  const revision = 'sha256:policy';
  return {
    policy: { revision, wasm, decisions, filter, entrypoints: [], modules: {} },
    data: { revision: 'sha256:data', json: Buffer.from(data) },
  };
}

function ask(pair: LoadedPair): { kind: string; facts: ReadonlyMap<string, string> } {
  const filter = meshFilter(pair, { service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN });
  const asked = askFilter(filter);
  filter.close();
  return asked;
}

function askFilter(filter: Filter) {
  const stream = filter.stream(peerProperties(sampleAgent(1)));
  const verdict = stream.requestHeaders([[':path', '/']], true);
  stream.end();
  return { kind: verdict.kind, verdict, facts: stream.facts() };
}

function decideInNode(pair: LoadedPair, facts: ReadonlyMap<string, string>): Decision {
  const decider = unsignedDecider(pair);
  const [, , , , tenant = '', agent = '', role = ''] = sampleAgent(1).split('/');
  return decider.decide({
    boundary: 'mesh',
    module: 'authorization',
    salt: new Uint8Array(32),
    input: {
      action: 'connect',
      context: { request_id: facts.get('request_id')!, time: facts.get('time')! },
      identity: {
        spiffe_id: sampleAgent(1),
        trust_domain: SAMPLE_TRUST_DOMAIN,
        tenant,
        agent,
        role,
      },
      resource: { kind: 'service', name: 'vault' },
    },
  });
}

const reason = fc.record(
  { code: fc.oneof(fc.string(), fc.integer()), message: fc.oneof(fc.string(), fc.constant(null)) },
  { requiredKeys: [] },
);
const answers = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue() },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        allow: fc.oneof(fc.boolean(), fc.constantFrom('true', 1, null)),
        rule: fc.oneof(fc.string(), fc.integer()),
        reason: fc.oneof(reason, fc.jsonValue()),
        reasons: fc.oneof(
          fc.array(fc.oneof(reason, fc.jsonValue()), { maxLength: 3 }),
          fc.jsonValue(),
        ),
        obligations: fc.oneof(
          fc.constant([]),
          fc.array(fc.record({ kind: fc.oneof(fc.string(), fc.integer()) }), { maxLength: 2 }),
          fc.jsonValue(),
        ),
      },
      { requiredKeys: [] },
    ),
  },
);

test('whatever the policy answers, filter and Node take it alike', () => {
  let allowed = 0;
  fc.assert(
    fc.property(answers, (answer) => {
      const pair = pairOf(echo, JSON.stringify({ answer }));
      const { kind, facts } = ask(pair);
      const decision = decideInNode(pair, facts);
      assert.is(facts.get('decision_id'), decision.id);
      assert.is(facts.get('rule'), decision.rule);
      assert.is(facts.get('reason'), decision.reason.code);
      assert.is(kind === 'continue', decision.allow);
      if (decision.allow) allowed += 1;
    }),
    { numRuns: 300 },
  );
  assert.ok(allowed > 3, `${allowed} allowed`);
});

test('no answer, and one that is no portable JSON, is a deny with the id that Node gives it', () => {
  for (const text of ['{}', '{"answer":12345678901234567890}', '{"answer":1e400}']) {
    const pair = pairOf(echo, text);
    const { kind, facts } = ask(pair);
    assert.is(kind, 'respond', text);
    assert.is(facts.get('decision_id'), decideInNode(pair, facts).id, text);
    assert.is(facts.get('reason'), decideInNode(pair, facts).reason.code);
  }
});

const trapping = {
  'a conflict of its rules': CONFLICT,
  'more memory than there is':
    'decision := count([[a, b] | some a in data.list; some b in data.list])',
};
for (const [what, rules] of Object.entries(trapping)) {
  test(`${what} denies this request, and the next one is judged afresh`, async () => {
    const list = Array.from({ length: 9000 }, (_, number) => number);
    const pair = pairOf(await meshPolicyOf(rules), JSON.stringify({ list }));
    const filter = meshFilter(pair, { service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN });
    for (let time = 0; time < 3; time++) {
      const { verdict, facts } = askFilter(filter);
      assert.is(verdict.kind === 'respond' && verdict.status, 403);
      const decision = decideInNode(pair, facts);
      assert.is(facts.get('decision_id'), decision.id);
      assert.is(facts.get('reason'), decision.reason.code);
    }
    filter.close();
  });
}

test('the merged module is the same each time, and imports nothing but the proxy', async () => {
  const filter = echo.filter!;
  assert.equal(Buffer.from(await mergeFilter(echo.decisions!)), Buffer.from(filter));
  const module = new WebAssembly.Module(filter as Uint8Array<ArrayBuffer>);
  const owners = new Set(WebAssembly.Module.imports(module).map((each) => each.module));
  assert.equal([...owners].toSorted(), ['env', 'wasi_snapshot_preview1']);
  const names = WebAssembly.Module.exports(module).map(({ name }) => name);
  assert.ok(
    names.every((name) => name === 'memory' || name.startsWith('proxy_')),
    names.join(),
  );
  assert.is(names.filter((name) => name === 'memory').length, 1);
});

test.run();
