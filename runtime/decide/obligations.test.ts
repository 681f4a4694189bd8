// Obligations: only a list of which the caller can keep every element lets an allow stand.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../json.ts';
import { Record as RecordModule } from '../modules/record.ts';
import { moduleBytes } from '../modules/source.ts';
import { createDecider } from './decide.ts';
import type { Obligation } from './decision.ts';
import { HONOURED, honouredFor, isWellFormed } from './obligations.ts';

const record = RecordModule.create(moduleBytes('record'));
const pair = {
  policy: { revision: 'sha256:p', wasm: new Uint8Array(), entrypoints: [], modules: {} },
  data: { revision: 'sha256:d', json: new Uint8Array() },
};

/** The decision about an output that allows with these obligations, for a caller that honours `honours`. */
function decided(obligations: JsonValue, honours: readonly string[]) {
  const decider = createDecider({
    bundles: { current: () => pair },
    record,
    executorFor: (inForce) => ({
      pair: inForce,
      execute: () => record.canonicalizeValue({ allow: true, obligations }),
    }),
  });
  const salt = new Uint8Array(32);
  return decider.decide({ boundary: 'tool', module: 'authorization', input: {}, salt, honours });
}

const whole = fc.nat();
const per = fc.constantFrom('agent', 'tenant');
const path = fc.oneof(
  fc.constant(''),
  fc.string({ maxLength: 8 }).map((rest) => `/${rest}`),
);
const wellFormed: fc.Arbitrary<Obligation> = fc
  .oneof(
    fc.record({ kind: fc.constant('max_bytes'), bytes: whole }),
    fc.record({
      kind: fc.constant('redact'),
      paths: fc.array(path, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      ...{ kind: fc.constant('rate'), limit: whole, per },
      window_seconds: fc.constantFrom(60, 3600, 86_400),
    }),
    fc.record({
      ...{ kind: fc.constant('budget'), limit: whole, per },
      currency: fc.constantFrom('EUR', 'USD', 'JPY'),
    }),
  )
  .map((obligation): Obligation => ({ ...obligation }));
const every = HONOURED.tool!;
const lists = fc.array(wellFormed, { maxLength: 4 });
const odd = fc.constantFrom<JsonValue>(
  ...[null, true, false, '', '9', 'a', 'eur', 'EURO', 'EUR\n', -1, 0.5, 2 ** 53, 'day'],
  ...[[], {}, ['a'], [''], [7], ['/a', null], { 0: '/a' }],
);
/** A kind that another platform has, or that only looks like one of these. */
const unknownKind = fc
  .oneof(
    fc.string(),
    fc.constantFrom('Rate', 'rate ', '__proto__', 'constructor', 'toString', 'log'),
  )
  .filter((kind) => !every.includes(kind));

test('an allow stands with any list of well-formed obligations of which the caller honours all', () => {
  fc.assert(
    fc.property(lists, (obligations) => {
      const decision = decided(obligations, every);
      assert.ok(decision.allow, JSON.stringify(obligations));
      assert.equal(decision.obligations, obligations);
      const kinds = new Set(obligations.map(({ kind }) => kind));
      for (const kind of kinds) {
        const refused = decided(
          obligations,
          every.filter((one) => one !== kind),
        );
        assert.not.ok(refused.allow);
        assert.is(refused.reason.code, 'obligation_unknown');
        assert.is(refused.id, decision.id);
      }
    }),
  );
});

test('one obligation of an unknown kind, wherever it stands, refuses', () => {
  fc.assert(
    fc.property(lists, fc.nat(4), unknownKind, wellFormed, (obligations, at, kind, like) => {
      const list = obligations.toSpliced(at, 0, { ...like, kind });
      // Whoever claims to honour a kind that nobody here knows cannot have read it either.
      for (const honours of [every, [...every, kind]]) {
        const decision = decided(list, honours);
        assert.not.ok(decision.allow, JSON.stringify(list));
        assert.is(decision.reason.code, 'obligation_unknown');
      }
    }),
  );
});

test('one malformed obligation, wherever it stands, refuses', () => {
  const malformed = fc
    .tuple(wellFormed, fc.nat(9), odd, fc.constantFrom('drop', 'replace', 'add'))
    .map(([obligation, index, value, how]): JsonObject => {
      const members = Object.keys(obligation).filter((name) => name !== 'kind');
      const member = members[index % members.length]!;
      const { [member]: _dropped, ...rest } = obligation;
      if (how === 'drop') return rest;
      if (how === 'add') return { ...obligation, [`${member}s`]: value };
      return { ...rest, [member]: value };
    })
    .filter((made) => JSON.stringify(made) !== '{"kind":"redact","paths":[""]}');
  fc.assert(
    fc.property(lists, fc.nat(4), malformed, (obligations, at, made) => {
      const list: JsonValue = obligations.toSpliced(at, 0, made as Obligation);
      const decision = decided(list, every);
      assert.not.ok(decision.allow, JSON.stringify(list));
      assert.is(decision.reason.code, 'obligation_unknown');
    }),
    { numRuns: 500 },
  );
});

test('what is no list of objects with a kind refuses as unreadable', () => {
  const anything = fc.jsonValue({ maxDepth: 2, noUnicodeString: true });
  fc.assert(
    fc.property(lists, fc.nat(4), anything, fc.boolean(), (obligations, at, value, alone) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
      const list = alone ? plain : (obligations as JsonValue[]).toSpliced(at, 0, plain);
      fc.pre(JSON.stringify(list) !== '[]');
      try {
        record.canonicalizeValue(list);
      } catch {
        fc.pre(false);
      }
      assert.not.ok(decided(list, every).allow, JSON.stringify(list));
    }),
  );
});

test('calls are counted in three windows and no other', () => {
  const rate = { kind: 'rate', limit: 5, per: 'agent' };
  for (const window_seconds of [0, 1, 59, 61, 3601, 604_800, '60']) {
    assert.not.ok(isWellFormed({ ...rate, window_seconds }));
  }
});

test('what the mesh demands has one form each, and is honoured at one action', () => {
  const demands: [string, Obligation][] = [
    ['connect', { kind: 'read_body', protocol: 'mcp' }],
    ['call', { kind: 'validate_arguments', schema: { type: 'object' } }],
    ['call', { kind: 'scan', scanners: ['Secrets'], thresholds: {} }],
  ];
  for (const [action, obligation] of demands) {
    assert.ok(isWellFormed(obligation));
    for (const asked of ['connect', 'call', 'toString', '']) {
      const honours = honouredFor('mesh', { action: asked });
      assert.is(honours.includes(obligation.kind), asked === action);
    }
    assert.not.ok(honouredFor('tool', { action }).includes(obligation.kind));
    const [, member] = Object.keys(obligation);
    for (const value of [null, 7, 'x', [], ['x', 7]]) {
      assert.not.ok(isWellFormed({ ...obligation, [member!]: value }), JSON.stringify(value));
    }
  }
});

test('a question has one form, too', () => {
  assert.ok(isWellFormed({ kind: 'require_approval', question: 'May it?' }));
  assert.not.ok(isWellFormed({ kind: 'require_approval' }));
  assert.not.ok(isWellFormed({ kind: 'require_approval', question: 7 }));
});

test.run();
