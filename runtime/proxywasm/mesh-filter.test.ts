// The mesh filter against what the platform decides elsewhere.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failure } from '../decide/decide.ts';
import { codeOf } from '../errors.ts';
import { Record as RecordModule } from '../modules/record.ts';
import { Scope } from '../modules/scope.ts';
import { moduleBytes } from '../modules/source.ts';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN, sampleAgent } from '../testing/sample-data.ts';
import { createFilterHost } from './host.ts';
import { meshFilter, meshFilterConfiguration } from './mesh-filter.ts';
import {
  askMesh,
  meshDecider,
  peerProperties,
  problemOf,
  requestHead,
  samplePair,
  valuesOf,
} from './testing/mesh.ts';

const test = suite('mesh filter');
const pair = await samplePair(40);
const decide = meshDecider(pair);
const record = RecordModule.create(moduleBytes('record'));
const scope = Scope.create(moduleBytes('scope'));
const filterOf = (service: string) =>
  meshFilter(pair, { service, trustDomain: SAMPLE_TRUST_DOMAIN });
const filters = new Map(
  ['vault', 'gateway', 'billing', 'é "x"'].map((name) => [name, filterOf(name)]),
);
const vault = filters.get('vault')!;

const peers = fc.oneof(
  fc.nat(60).map(sampleAgent),
  fc.constantFrom(SAMPLE_GATEWAY, 'spiffe://platform.local/service/a/b', 'spiffe://platform.local'),
  fc
    .array(fc.stringMatching(/^[a-zA-Z0-9._-]{1,8}$/), { minLength: 1, maxLength: 6 })
    .map((path) => `spiffe://platform.local/${path.join('/')}`),
  fc
    .tuple(
      fc.nat(60).map(sampleAgent),
      fc.constantFrom('/', '/x', '%2f', ' ', ',', '\0', 'é', '/..'),
    )
    .map((parts) => parts.join('')),
  fc.constantFrom('spiffe://elsewhere/agent/a/b/c', 'spiffe://platform.localx/a', 'https://x/', ''),
  fc.string({ maxLength: 40 }),
);

test('the decision, its id and its rule are those of Node, for every peer and service', () => {
  let allowed = 0;
  let judged = 0;
  fc.assert(
    fc.property(peers, fc.constantFrom(...filters.keys()), (peer, service) => {
      const { verdict, facts } = askMesh(filters.get(service)!, peer);
      let refusal = '';
      try {
        const { trustDomain } = scope.parse(peer);
        if (trustDomain !== SAMPLE_TRUST_DOMAIN) refusal = 'svid_foreign';
      } catch (error) {
        refusal = peer === '' ? 'svid_missing' : codeOf(error);
      }
      if (refusal !== '') {
        assert.is(
          problemOf(verdict).code,
          refusal === 'input_lone_surrogate' ? 'spiffe_scheme_wrong' : refusal,
        );
        assert.is(facts.get('decision_id'), refusedId(facts, refusal));
        return;
      }
      const decision = decide((name) => facts.get(name));
      assert.is(facts.get('decision_id'), decision.id);
      assert.is(facts.get('rule'), decision.rule);
      assert.is(facts.get('reason'), decision.reason.code);
      assert.is(verdict.kind === 'continue', decision.allow);
      judged += 1;
      if (decision.allow) allowed += 1;
      else assert.equal(problemOf(verdict).reason, decision.reason);
    }),
    { numRuns: 5000 },
  );
  assert.ok(allowed > 200 && judged - allowed > 500, `${allowed} of ${judged} allowed`);
});

/** The id of a decision that the policy was not asked for, as any host names it. */
function refusedId(facts: ReadonlyMap<string, string>, code: string): string {
  const identity = {
    spiffe_id: '',
    trust_domain: SAMPLE_TRUST_DOMAIN,
    tenant: '',
    agent: '',
    role: '',
  };
  const input = record.canonicalizeValue({
    action: 'connect',
    context: { request_id: facts.get('request_id')!, time: facts.get('time')! },
    identity,
    resource: { kind: 'service', name: facts.get('service')! },
  });
  const { policy, data } = pair;
  const id = record.decisionId([
    ...['platform/decision/v1', 'mesh', 'authorization', policy.revision, data.revision],
    input,
    failure(code),
  ]);
  return Buffer.from(id).toString('hex');
}

test('facts are fresh and have their form', () => {
  const times = [0, 951_782_399_999, 951_782_400_000, 1_709_251_199_001, 4_102_444_800_123];
  let now = new Date(0);
  const filter = meshFilter(pair, {
    ...{ service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN, clock: () => now },
  });
  const seen = new Set<string>();
  for (const time of [...times, ...fc.sample(fc.nat({ max: 4e12 }), 500)]) {
    now = new Date(time);
    const { verdict, facts } = askMesh(filter, sampleAgent(1));
    assert.is(facts.get('time'), now.toISOString());
    const id = facts.get('request_id')!;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    seen.add(id).add(valuesOf(verdict.headers, 'x-platform-salt').join());
  }
  assert.is(seen.size, 2 * (times.length + 500));
  filter.close();
});

test('without a certificate of the peer there is no identity, whatever else the proxy knows', () => {
  for (const uri of ['', undefined]) {
    const properties = new Map<string, string | boolean | number>(peerProperties(sampleAgent(1)));
    properties.set('connection.uri_san_local_certificate', sampleAgent(1));
    if (uri === undefined) properties.delete('connection.uri_san_peer_certificate');
    else properties.set('connection.uri_san_peer_certificate', uri);
    const stream = vault.stream(properties);
    assert.is(problemOf(stream.requestHeaders(requestHead, true)).code, 'svid_missing');
    stream.end();
  }
});

test('a configuration that lacks anything, or says it twice, makes no filter', () => {
  const whole = Buffer.from(
    meshFilterConfiguration(pair, { service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN }),
  ).toString();
  const members = JSON.parse(whole) as Record<string, unknown>;
  const texts = [
    ...Object.keys(members).map((name) => JSON.stringify({ ...members, [name]: undefined })),
    ...Object.keys(members)
      .map((name) => JSON.stringify({ ...members, [name]: 7 }))
      .slice(0, 4),
    JSON.stringify({ ...members, trust_domain: '' }),
    `{"service":"gateway",${whole.slice(1)}`,
    whole.slice(0, -1),
    `${whole}x`,
    whole.replace('"data":', '"data":nonsense'),
    '',
    '[]',
    'null',
  ];
  for (const text of texts) {
    assert.throws(
      () => createFilterHost({ wasm: pair.policy.filter!, configuration: Buffer.from(text) }),
      (error: unknown) => /^module_(output_invalid|trapped)$/.test(codeOf(error)),
      text.slice(0, 80),
    );
  }
});

test('a bundle without a filter makes none', () => {
  const policy = { ...pair.policy, filter: undefined };
  assert.throws(
    () => meshFilter({ ...pair, policy }, { service: 'vault', trustDomain: 'x' }),
    (error: unknown) => codeOf(error) === 'module_missing',
  );
});

test.after(() => {
  for (const filter of filters.values()) filter.close();
});
test.run();
