// Rows read by their bytes are what they are when they are parsed, and refused alike.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../json.ts';
import { decodeRow } from '../row.ts';
import { record } from '../testing/drafts.ts';
import { type RecordedRow, readRow, recordedOf } from './recorded.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'tool',
    'authorization',
    'a"b\\c',
    '\u0000\u001f\u007f',
    'é€😀',
    '',
    '},{',
    '":"',
  ),
);
const value = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    ...[text, fc.integer(), fc.boolean(), fc.constant(null), fc.double({ noNaN: true })],
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('id', 'input', 'decisions')), tie('any'), {
      maxKeys: 4,
    }),
  ) as fc.Arbitrary<JsonValue>,
})).any;
const object = fc.dictionary(text, value, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;
const decision = fc.record({
  ...{ id: text, module: text, boundary: text, module_digest: text, policy_revision: text },
  ...{ data_revision: text, output: value },
  input: fc.oneof(
    value,
    fc.record({ identity: value, spiffe_id: value, resource: object }, { requiredKeys: [] }),
  ),
});
const row = fc.record(
  {
    ...{ schema: fc.constant('platform/evidence/v1'), log: text, action: text, request: text },
    ...{ sequence: fc.nat(), kind: fc.constantFrom('intent', 'outcome', 'denial', 'event') },
    time: fc
      .date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    ...{ spiffe_id: text, boundary: text, subject: object, controls: fc.array(text) },
    decisions: fc.array(decision, { maxLength: 3 }),
    ...{ outcome: fc.constantFrom('ok', 'error'), detail: object },
    reason: fc.record({ code: text, message: text }),
  },
  {
    requiredKeys: [
      ...(['schema', 'log', 'action', 'request', 'sequence', 'kind', 'time'] as const),
      ...(['spiffe_id', 'boundary', 'subject', 'controls', 'decisions'] as const),
    ],
  },
) as unknown as fc.Arbitrary<JsonObject>;

/** Canonical bytes somewhere in a larger buffer, as a read of the segment has them; undefined for no JSON of ours. */
function canonical(of: JsonValue): Buffer | undefined {
  try {
    const bytes = record.canonicalize(Buffer.from(JSON.stringify(of)));
    return Buffer.concat([Buffer.from('"}]'), bytes, Buffer.from('"}],')]).subarray(3, -4);
  } catch {
    return undefined;
  }
}

/** The row with its decisions as plain values. */
function plain({ decisions, ...rest }: RecordedRow): JsonValue {
  const values = decisions.map((each) => {
    const { id, module, boundary, module_digest, policy_revision, data_revision } = each;
    const texts = { id, module, boundary, module_digest, policy_revision, data_revision };
    return { ...texts, input: each.input, output: each.output };
  });
  return { ...rest, decisions: values } as unknown as JsonValue;
}

const read = (bytes: Buffer) => {
  try {
    return plain(readRow(bytes));
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const decoded = (bytes: Buffer) => {
  try {
    return decodeRow(bytes) as unknown as JsonValue;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('a row is read as it is parsed', () => {
  let count = 0;
  fc.assert(
    fc.property(row, (content) => {
      const bytes = canonical(content);
      fc.pre(bytes !== undefined);
      count++;
      assert.equal(read(bytes), decoded(bytes));
      assert.type(read(bytes), 'object');
      const { decisions } = readRow(bytes);
      const values = decodeRow(bytes).decisions;
      for (const [index, each] of decisions.entries()) {
        const { input, output, id } = values[index]!;
        assert.equal(each.inputBytes, canonical(input));
        assert.equal(each.outputBytes, canonical(output));
        assert.ok(each.hasOutput(canonical(output)!));
        assert.not(each.hasOutput(Buffer.from(`${output}x`)));
        if (/^[0-9a-f]*$/.test(id)) assert.ok(each.isNamed(id));
        assert.not(each.isNamed(`${id}0`));
        for (const [name, inner] of paths) {
          assert.is(each.inputText(name, inner), textAt(input, name, inner));
        }
        assert.equal(each.inputMember('resource'), canonicalMember(input, 'resource'));
        assert.equal(recordedOf(values[index]!, record).inputBytes, each.inputBytes);
      }
    }),
    { numRuns: 400 },
  );
  assert.ok(count > 100, `${count} rows`);
});

const paths: [string, string | undefined][] = [
  ...[['identity', 'spiffe_id'] as [string, string], ['resource', 'name'] as [string, string]],
  ...[['spiffe_id', undefined] as [string, undefined], ['id', 'id'] as [string, string]],
];

function textAt(input: JsonValue, ...path: (string | undefined)[]): string | undefined {
  let found: unknown = input;
  for (const name of path) {
    if (name === undefined) continue;
    const isObject = typeof found === 'object' && found !== null && !Array.isArray(found);
    found =
      isObject && Object.hasOwn(found as object, name) ? (found as JsonObject)[name] : undefined;
  }
  return typeof found === 'string' ? found : undefined;
}

function canonicalMember(input: JsonValue, name: string): Buffer | undefined {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject && Object.hasOwn(input, name)
    ? canonical((input as JsonObject)[name]!)
    : undefined;
}

test('what is not a row is refused alike, whatever is changed', () => {
  let refused = 0;
  const change = fc.tuple(fc.nat(30), fc.oneof(value, fc.constant(undefined)), text, fc.boolean());
  fc.assert(
    fc.property(row, change, (content, [at, put, name, inDecision]) => {
      const changed = structuredClone(content);
      const decisions = changed.decisions as JsonObject[];
      const into = inDecision
        ? (decisions[at % Math.max(1, decisions.length)] ?? changed)
        : changed;
      const keys = [...Object.keys(into), name];
      const key = keys[at % keys.length]!;
      if (put === undefined) delete into[key];
      else into[key] = put;
      const bytes = canonical(changed);
      fc.pre(bytes !== undefined);
      const [found, expected] = [read(bytes), decoded(bytes)];
      if (expected === 'evidence_corrupt') refused++;
      assert.equal(found, expected);
    }),
    { numRuns: 600 },
  );
  assert.ok(refused > 100, `${refused} refused`);
  for (const other of [null, 1, 'text', [], {}, [{}], { decisions: 1 }, { decisions: [1] }]) {
    assert.is(read(canonical(other as JsonValue)!), 'evidence_corrupt');
  }
});

test.run();
