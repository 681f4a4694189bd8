// Peers that speak in the platform's name: whatever the spelling, nothing of it reaches the service.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN, sampleAgent } from '../testing/sample-data.ts';
import type { HeaderPairs } from './filter.ts';
import { meshFilter } from './mesh-filter.ts';
import { askMesh, problemOf, requestHead, samplePair, valuesOf } from './testing/mesh.ts';

const test = suite('forged headers');
const vault = meshFilter(await samplePair(10), {
  service: 'vault',
  trustDomain: SAMPLE_TRUST_DOMAIN,
});

const PLATFORM = [
  'spiffe-id',
  'request-id',
  'time',
  'salt',
  'mesh-decision',
  'on-behalf-of',
  'approval',
  'x',
  '',
];

/** A platform header's name as somebody may spell it who wants it read as the real one. */
const spelled = fc
  .tuple(
    fc.constantFrom(...PLATFORM),
    fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 40, maxLength: 40 }),
  )
  .map(([name, turns]) =>
    [...`x-platform-${name}`]
      .map((character, index) => {
        const [upper, under] = turns[index]!;
        if (character === '-') return under ? '_' : '-';
        return upper ? character.toUpperCase() : character;
      })
      .join(''),
  );
const anyHeader = fc.oneof(
  { weight: 3, arbitrary: spelled },
  {
    weight: 2,
    arbitrary: fc.constantFrom('accept', 'x-other', 'xx-platform-time', 'x-platformtime'),
  },
);
const forged = fc.array(fc.tuple(anyHeader, fc.constantFrom('forged', 'a,b', '')), {
  maxLength: 12,
});

test('no spelling of a platform header passes but the approval, once', () => {
  let passed = 0;
  fc.assert(
    fc.property(forged, fc.constantFrom(sampleAgent(1), SAMPLE_GATEWAY), (headers, peer) => {
      const { verdict, facts } = askMesh(vault, peer, [...requestHead, ...headers]);
      const named = (wanted: string) =>
        headers.filter(([name]) => name.toLowerCase() === `x-platform-${wanted}`).length;
      const behalf = peer === SAMPLE_GATEWAY ? named('on-behalf-of') : 0;
      const ofFacts = named('request-id') + named('time') + named('salt');
      const claimed = peer === SAMPLE_GATEWAY ? ofFacts : 0;
      if (named('approval') > 1 || behalf > 0 || claimed > 0) {
        assert.is(problemOf(verdict).code, 'request_malformed');
        return;
      }
      assert.is(verdict.kind, 'continue');
      const platform = verdict.headers.filter(([name]) => /^x[-_]platform[-_]/i.test(name));
      const expected: HeaderPairs = [
        ['x-platform-spiffe-id', peer],
        ['x-platform-request-id', facts.get('request_id')!],
        ['x-platform-time', facts.get('time')!],
        ['x-platform-mesh-decision', facts.get('decision_id')!],
      ];
      for (const pair of expected) assert.equal(valuesOf(platform, pair[0]), [pair[1]]);
      assert.match(valuesOf(platform, 'x-platform-salt').join(), /^[0-9a-f]{64}$/);
      assert.is(platform.length, 5 + named('approval'));
      const others = (pairs: HeaderPairs) =>
        pairs.filter(([name]) => !/^x[-_]platform[-_]/i.test(name));
      assert.equal(others(verdict.headers), others([...requestHead, ...headers]));
      passed += 1;
    }),
    { numRuns: 2000 },
  );
  assert.ok(passed > 300, `${passed} passed`);
});

test('a service may name one agent that it acts for; nobody else may', () => {
  const behalf = (peer: string, ...values: string[]) =>
    askMesh(vault, peer, [
      ...requestHead,
      ...values.map((value): [string, string] => ['X-Platform-On-Behalf-Of', value]),
    ]).verdict;
  const passed = behalf(SAMPLE_GATEWAY, sampleAgent(2));
  assert.is(passed.kind, 'continue');
  assert.equal(valuesOf(passed.headers, 'x-platform-on-behalf-of'), [sampleAgent(2)]);
  const fromAgent = behalf(sampleAgent(1), sampleAgent(2));
  assert.is(fromAgent.kind, 'continue');
  assert.equal(valuesOf(fromAgent.headers, 'x-platform-on-behalf-of'), []);
  const wrong = [
    [sampleAgent(2), sampleAgent(2)],
    [''],
    [SAMPLE_GATEWAY],
    [`${sampleAgent(2)},${sampleAgent(4)}`],
    ['spiffe://elsewhere/agent/a/b/c'],
    ['spiffe://platform.local/agent/a/b'],
    ['spiffe://platform.local/agent/a/b/c/d'],
  ];
  for (const values of wrong) {
    assert.is(
      problemOf(behalf(SAMPLE_GATEWAY, ...values)).code,
      'request_malformed',
      values.join(),
    );
  }
});

test('a request that a service carries on keeps its id, time and salt, and an agent’s gets new ones', () => {
  const facts: HeaderPairs = [
    ['x-platform-request-id', '0b5ef1c6-6a3c-4c8e-9d2b-1f0e8a7c5d43'],
    ['X-Platform-Time', '2026-11-21T08:00:00.000Z'],
    ['x-platform-salt', '5a'.repeat(32)],
  ];
  const ask = (peer: string, headers: HeaderPairs) =>
    askMesh(vault, peer, [...requestHead, ...headers]);
  const kept = ask(SAMPLE_GATEWAY, facts);
  assert.is(kept.verdict.kind, 'continue');
  const agents = ask(sampleAgent(1), facts);
  assert.is(agents.verdict.kind, 'continue');
  for (const [name, value] of facts) {
    assert.equal(valuesOf(kept.verdict.headers, name.toLowerCase()), [value]);
    assert.not.equal(valuesOf(agents.verdict.headers, name.toLowerCase()), [value]);
  }
  assert.is(kept.facts.get('request_id'), facts[0]![1]);
  assert.is(kept.facts.get('time'), facts[1]![1]);
  const [id, time, salt] = facts.map(([, value]) => value) as [string, string, string];
  const wrong: HeaderPairs[] = [
    [...facts, ['x-platform-time', time]],
    [['x-platform-request-id', id.toUpperCase()]],
    [['x-platform-request-id', `${id} `]],
    [['x-platform-time', time.replace('Z', '+')]],
    [['x-platform-time', `0${time.slice(1)}0`]],
    [['x-platform-salt', salt.slice(1)]],
    [['x-platform-salt', `${salt.slice(1)}g`]],
  ];
  for (const headers of wrong) {
    const { verdict } = ask(SAMPLE_GATEWAY, headers);
    assert.is(problemOf(verdict).code, 'request_malformed', JSON.stringify(headers));
  }
});

test.after(() => vault.close());
test.run();
