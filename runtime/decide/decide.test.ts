// The one path to a decision: ids that anyone can recompute, commitments that hide, and deny on any failure.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoadedPair } from '../bundle/pair.ts';
import { codeOf, ModuleError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { Record as RecordModule } from '../modules/record.ts';
import { moduleBytes } from '../modules/source.ts';
import { opens } from './commitment.ts';
import { createDecider } from './decide.ts';
import type { DecisionRequest } from './decision.ts';
import { replaceMembers, topLevelMembers } from './members.ts';

const record = RecordModule.create(moduleBytes('record'));
const salt = new Uint8Array(32).fill(7);
const pair: LoadedPair = {
  policy: {
    revision: 'sha256:p',
    wasm: new Uint8Array(),
    entrypoints: [],
    modules: { authorization: { core: 'sha256:a' } },
  },
  data: { revision: 'sha256:d', json: new Uint8Array() },
};

/** A decider whose module always gives `output`. */
function deciderGiving(output: JsonObject | Error) {
  return createDecider({
    bundles: { current: () => pair },
    record,
    executorFor: (inForce) => ({
      pair: inForce,
      execute() {
        if (output instanceof Error) throw output;
        return record.canonicalizeValue(output);
      },
    }),
  });
}

const request = (input: JsonValue | Uint8Array): DecisionRequest => ({
  boundary: 'tool',
  module: 'authorization',
  input,
  salt,
});

/** Numbers that the platform refuses are none of this test's business. */
function canonicalOrNone(value: JsonValue): Uint8Array | undefined {
  try {
    return record.canonicalizeValue(value);
  } catch (error) {
    assert.is(codeOf(error), 'input_number_not_portable');
    return undefined;
  }
}

function idByHand(fields: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const field of fields) {
    const bytes = Buffer.from(field as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return hash.digest('hex');
}

test('an id is SHA-256 over the seven framed fields', () => {
  const decision = deciderGiving({ allow: true, rule: 'r', controls: ['c'] }).decide(
    request({ b: 1, a: 'x' }),
  );
  const output = '{"allow":true,"controls":["c"],"rule":"r"}';
  assert.is(
    decision.id,
    idByHand([
      'platform/decision/v1',
      'tool',
      'authorization',
      'sha256:p',
      'sha256:d',
      '{"a":"x","b":1}',
      output,
    ]),
  );
  assert.ok(decision.allow);
  assert.is(decision.rule, 'r');
  assert.equal(decision.controls, ['c']);
  assert.is(decision.moduleDigest, 'sha256:a');
});

test('committed fields stand only as commitments, which their openings open', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12, maxLength: 40 }), (secret) => {
      const planted = `s3cr3t-${secret}`;
      const decision = deciderGiving({ allow: true }).decide(
        request({ action: 'call', arguments: { [planted]: planted }, provenance: {} }),
      );
      const shown = Buffer.from(decision.committedInput).toString();
      assert.not.ok(shown.includes('s3cr3t-'));
      assert.is(decision.openings.length, 2);
      const committed = JSON.parse(shown) as Record<string, JsonValue>;
      for (const opening of decision.openings) {
        const commitment = Buffer.from(JSON.stringify(committed[opening.field]));
        assert.ok(opens(record, opening, commitment));
        const forged = { ...opening, value: Buffer.from('{}x') };
        assert.not.ok(opens(record, forged, commitment));
      }
    }),
    { numRuns: 50 },
  );
});

test('another salt gives another id, so that an id is no oracle for a short secret', () => {
  const decider = deciderGiving({ allow: true });
  const one = decider.decide(request({ arguments: { pin: '1234' } }));
  const two = decider.decide({
    ...request({ arguments: { pin: '1234' } }),
    salt: new Uint8Array(32),
  });
  assert.is.not(one.id, two.id);
});

test('unreadable input is a deny with its code and an id, whatever the module would have said', () => {
  const decider = deciderGiving({ allow: true });
  const cases: [JsonValue | Uint8Array, string][] = [
    [Buffer.from('{"a":1,"a":1}'), 'input_duplicate_key'],
    [Buffer.from([0x22, 0xff, 0x22]), 'input_not_utf8'],
    [Buffer.from('{"a":9007199254740993}'), 'input_number_not_portable'],
    [Buffer.from('{'), 'input_not_json'],
    ['\ud800', 'input_lone_surrogate'],
    [Number.NaN, 'input_number_not_portable'],
  ];
  for (const [input, code] of cases) {
    const decision = decider.decide(request(input));
    assert.not.ok(decision.allow);
    assert.is(decision.reason.code, code);
    assert.match(decision.id, /^[0-9a-f]{64}$/);
    assert.match(Buffer.from(decision.committedInput).toString(), /^\{"\$commitment":"sha256:/);
  }
});

test('no bundle, a trap, and an output that is no answer each deny', () => {
  const none = createDecider({
    bundles: { current: () => undefined },
    record,
    executorFor: () => {
      throw new Error('there is no pair');
    },
  });
  assert.is(none.decide(request({})).reason.code, 'bundle_missing');
  const trapped = deciderGiving(new ModuleError('module_trapped', 'trapped'));
  assert.is(trapped.decide(request({})).reason.code, 'module_trapped');
  assert.is(deciderGiving(new RangeError('surprise')).decide(request({})).reason.code, 'internal');
  for (const output of [{}, { allow: 'true' }, { allow: 1 }, { Allow: true }] as JsonObject[]) {
    assert.not.ok(deciderGiving(output).decide(request({})).allow);
  }
});

test('an executor that cannot be made denies until another pair is in force, and is made once', () => {
  let tries = 0;
  let current = pair;
  const decider = createDecider({
    bundles: { current: () => current },
    record,
    executorFor: (inForce) => {
      tries += 1;
      if (inForce === pair) throw new ModuleError('module_digest_mismatch', 'other bytes');
      return { pair: inForce, execute: () => Buffer.from('{"allow":true}') };
    },
  });
  for (let i = 0; i < 3; i++) {
    assert.is(decider.decide(request({})).reason.code, 'module_digest_mismatch');
  }
  assert.is(tries, 1);
  current = { ...pair };
  assert.ok(decider.decide(request({})).allow);
});

test('an obligation that cannot be read turns an allow into a deny', () => {
  const broken: JsonValue[] = [
    ['require_approval'],
    [{ type: 'require_approval' }],
    { kind: 'require_approval' },
    'require_approval',
    null,
    [{ kind: 'redact' }, 7],
  ];
  for (const obligations of broken) {
    const decision = deciderGiving({ allow: true, obligations }).decide({
      ...request({}),
      honours: ['redact'],
    });
    assert.not.ok(decision.allow, JSON.stringify(obligations));
    assert.is(decision.reason.code, 'module_output_invalid');
  }
});

test('an obligation that the caller does not honour turns an allow into a deny', () => {
  const obligations = [{ kind: 'redact', paths: ['/a'] }];
  const output: JsonObject = { allow: true, obligations };
  const ignored = deciderGiving(output).decide(request({}));
  assert.not.ok(ignored.allow);
  assert.is(ignored.reason.code, 'obligation_unknown');
  const honoured = deciderGiving(output).decide({ ...request({}), honours: ['redact'] });
  assert.ok(honoured.allow);
  assert.is(honoured.id, ignored.id);
});

test('a swap takes effect at the next decision', () => {
  let current = pair;
  const decider = createDecider({
    bundles: { current: () => current },
    record,
    executorFor: (inForce) => ({
      pair: inForce,
      execute: () => Buffer.from(`{"allow":${inForce === pair}}`),
    }),
  });
  assert.ok(decider.decide(request({})).allow);
  current = { ...pair, policy: { ...pair.policy, revision: 'sha256:q' } };
  const after = decider.decide(request({}));
  assert.not.ok(after.allow);
  assert.is(after.policyRevision, 'sha256:q');
});

test('members are found and replaced in any canonical object', () => {
  const objects = fc.dictionary(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.jsonValue({ noUnicodeString: false, maxDepth: 3 }),
    { noNullPrototype: true, maxKeys: 6 },
  );
  fc.assert(
    fc.property(objects, fc.nat(5), (object, index) => {
      const canonical = canonicalOrNone(JSON.parse(JSON.stringify(object)));
      fc.pre(canonical !== undefined);
      const members = topLevelMembers(canonical);
      const parsed = JSON.parse(Buffer.from(canonical).toString()) as Record<string, JsonValue>;
      assert.equal(members.map((member) => member.name).sort(), Object.keys(parsed).sort());
      for (const { name, start, end } of members) {
        assert.equal(
          JSON.parse(Buffer.from(canonical.subarray(start, end)).toString()),
          parsed[name],
        );
      }
      const name = members[index % Math.max(1, members.length)]?.name;
      // Committed fields have plain names; others may be in any script.
      if (name === undefined || !/^[\w-]+$/.test(name)) return;
      const replaced = replaceMembers(canonical, new Map([[name, Buffer.from('"new"')]]));
      const entries = Object.entries(parsed).map(([key, value]) => [
        key,
        key === name ? 'new' : value,
      ]);
      assert.equal(JSON.parse(Buffer.from(replaced).toString()), Object.fromEntries(entries));
    }),
  );
});

test.run();
