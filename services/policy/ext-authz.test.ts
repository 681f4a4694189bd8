// What an Envoy that asks is told, beside what the mesh filter does with the same request.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import { meshFilter } from '../../runtime/proxywasm/mesh-filter.ts';
import { askMesh, meshDecider, problemOf } from '../../runtime/proxywasm/testing/mesh.ts';
import {
  SAMPLE_GATEWAY,
  SAMPLE_TRUST_DOMAIN,
  sampleAgent,
} from '../../runtime/testing/sample-data.ts';
import { createCheck } from './ext-authz.ts';
import { dataBundle, policyBundle, startService } from './testing.ts';

const test = suite('ext_authz');
const policy = await policyBundle();
const data = dataBundle();
const service = await startService({ policy, data });
const { engine, modules } = service;
const pair = engine.current()!;
const trustDomain = SAMPLE_TRUST_DOMAIN;
const check = createCheck({ engine, modules, trustDomain });
const filter = meshFilter(
  { ...pair, policy: { ...pair.policy, filter: policy.files.get('filter.wasm') } },
  { service: 'vault', trustDomain },
);
const decide = meshDecider(pair);
const request = { service: 'vault', method: 'GET', target: '/', body: undefined };

const peers = fc.oneof(
  fc.nat(30).map(sampleAgent),
  { arbitrary: fc.constant(SAMPLE_GATEWAY), weight: 3 },
  fc.constantFrom(
    ...['', 'spiffe://platform.local', 'spiffe://platform.local/service/a/b', 'https://x/'],
    ...['spiffe://elsewhere/service/gateway', 'SPIFFE://platform.local/a', 'gateway'],
    `${sampleAgent(1)}/`,
  ),
);
const names = fc.constantFrom(
  ...['x-platform-spiffe-id', 'x-platform-request-id', 'x-platform-time', 'x-platform-salt'],
  ...['x-platform-mesh-decision', 'x-platform-approval', 'x-platform-on-behalf-of'],
  ...['x_platform_time', 'x-platform_salt', 'x_platform-approval', 'x-platform-', 'x-platform'],
  ...['x-platform-x', 'x-other', 'accept'],
);
const values = fc.oneof(
  fc.nat(30).map(sampleAgent),
  fc.uuid({ version: 4 }),
  fc.stringMatching(/^[0-9a-f]{64}$/),
  fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map((at) => at.toISOString()),
  fc.constantFrom('', 'a1', 'a,b', '\xe9\xff', '2026-01-01T00:00:00Z', 'A'.repeat(64)),
);
const requests = fc.array(fc.tuple(names, values), { maxLength: 5 });

test('every peer and every header is judged as the filter judges it, under the same id', () => {
  const counted = { allowed: 0, denied: 0, adopted: 0 };
  fc.assert(
    fc.property(peers, requests, (principal, said) => {
      const pairs: HeaderPairs = [[':method', 'GET'], [':path', '/'], ...said];
      const { verdict, facts } = askMesh(filter, principal, pairs);
      const asked = { ...request, principal };
      const checked = check({ ...asked, headers: pairs });
      assert.is(checked.allow, verdict.kind === 'continue');
      for (const fact of ['rule', 'reason', 'spiffe_id', 'service']) {
        assert.is(checked.facts[fact], facts.get(fact), fact);
      }
      // Facts of a service are the request's own: then both ids are of one input.
      const isSame = ['request_id', 'time'].every(
        (fact) => checked.facts[fact] === facts.get(fact),
      );
      if (isSame) assert.is(checked.facts.decision_id, facts.get('decision_id'));
      if (checked.facts.spiffe_id !== '' && checked.facts.reason !== 'request_malformed') {
        assert.is(checked.facts.decision_id, decide((fact) => checked.facts[fact]).id);
      }
      if (checked.allow) {
        counted.allowed += 1;
        counted.adopted += isSame ? 1 : 0;
        assert.equal(shape(applied(pairs, checked)), shape(verdict.headers));
      } else {
        counted.denied += 1;
        assert.equal(
          anonymous(JSON.parse(checked.problem!) as object),
          anonymous(problemOf(verdict)),
        );
      }
    }),
    { numRuns: 4000 },
  );
  const { allowed, denied, adopted } = counted;
  assert.ok(allowed > 500 && denied > 500 && adopted > 2, JSON.stringify(counted));
});

/** The request as Envoy passes it on: values are set first, and then names are removed. */
function applied(
  pairs: HeaderPairs,
  { set, remove }: { set: Record<string, string>; remove: string[] },
): HeaderPairs {
  const kept = pairs.filter(([name]) => !(name in set));
  return [...kept, ...Object.entries(set)].filter(
    ([name]) => !remove.includes(name),
  ) as HeaderPairs;
}

/** Names and values, in one order; what is fresh in each request only by its form. */
function shape(pairs: HeaderPairs): string[] {
  const fresh = ['x-platform-request-id', 'x-platform-time', 'x-platform-salt'];
  return pairs
    .map(([name, value]) =>
      fresh.includes(name) || name === 'x-platform-mesh-decision'
        ? `${name}: ${value.replaceAll(/[0-9a-f]/g, '0')}`
        : `${name}: ${value}`,
    )
    .sort();
}

const anonymous = (problem: object) => ({ ...problem, decision_id: '', request_id: '' });

test('a service goes on with the facts of the request that it serves', () => {
  const said = {
    'x-platform-request-id': '00000000-0000-4000-8000-000000000001',
    'x-platform-time': '2026-01-02T03:04:05.678Z',
    'x-platform-salt': 'ab'.repeat(32),
  };
  const headers = Object.entries(said).map((pair): [string, string] => pair);
  const passed = check({ principal: SAMPLE_GATEWAY, ...request, headers });
  assert.is(passed.allow, true);
  for (const [name, value] of Object.entries(said)) assert.is(passed.set[name], value);
  assert.equal(passed.remove, []);
  const agent = check({ principal: sampleAgent(1), ...request, headers });
  for (const [name, value] of Object.entries(said)) assert.is.not(agent.set[name], value);
  const twice = check({
    ...request,
    principal: SAMPLE_GATEWAY,
    headers: [...headers, headers[0]!],
  });
  assert.is(twice.facts.reason, 'request_malformed');
});

test('headers that were joined on the way are not judged', () => {
  const checked = check({ principal: sampleAgent(1), ...request, headers: undefined });
  assert.is(checked.allow, false);
  assert.is(checked.facts.reason, 'request_malformed');
});

test('a service that the proxy does not name is one that nobody may reach', () => {
  const checked = check({ principal: sampleAgent(1), ...request, service: '', headers: [] });
  assert.is(checked.facts.reason, 'unknown_service');
});

test('without bundles everybody is denied', async () => {
  const empty = await startService();
  const bare = createCheck({ engine: empty.engine, modules: empty.modules, trustDomain });
  for (const principal of [sampleAgent(1), '', SAMPLE_GATEWAY]) {
    const checked = bare({ principal, ...request, headers: [] });
    assert.is(checked.allow, false);
    assert.is(checked.facts.reason, 'bundle_missing');
    assert.is((JSON.parse(checked.problem!) as { code: string }).code, 'bundle_missing');
  }
  await empty.stop();
});

test('an approval that is there twice is nobody’s', () => {
  const headers = ['a1', 'a2'].map((value): [string, string] => ['x-platform-approval', value]);
  assert.is(check({ principal: sampleAgent(1), ...request, headers }).allow, false);
});

test.after(async () => {
  filter.close();
  await service.stop();
});
test.run();
