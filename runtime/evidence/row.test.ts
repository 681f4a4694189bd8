import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hex } from '../hex.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { decodeRow, encodeRow, type RowContent } from './row.ts';
import { decision, draft, record } from './testing/drafts.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\u0000', '"', '\\', '\ud800', '\u2028', '__proto__', 'é', '\u{1f600}'),
);
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, true, false, -0, 1e21, 5e-324, 2 ** 53),
    fc.integer(),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

test('a row of any strings is read back as it was said, in its one encoding, or refused', () => {
  let refused = 0;
  let written = 0;
  fc.assert(
    fc.property(
      fc.dictionary(text, value, { maxKeys: 4, noNullPrototype: true }),
      text,
      text,
      (subject, request, message) => {
        const said = draft({
          subject: subject as JsonObject,
          request,
          reason: { code: 'denied', message },
          decisions: [decision({ allow: false, reason: message.toWellFormed() })],
        });
        let bytes: Uint8Array;
        try {
          bytes = encodeRow(said, 'log', 7, record);
        } catch (error) {
          assert.is((error as { code: string }).code, 'evidence_row_invalid');
          refused++;
          return;
        }
        written++;
        assert.is(hex(record.canonicalize(bytes)), hex(bytes));
        const row = decodeRow(bytes);
        assert.is(row.sequence, 7);
        assert.is(row.request, request);
        assert.is(row.reason?.message, message);
        assert.is(JSON.stringify(row.subject), JSON.stringify(JSON.parse(canonical(subject))));
      },
    ),
    { numRuns: 2000 },
  );
  assert.ok(written > 500 && refused > 20, `${written} written, ${refused} refused`);
});

function canonical(of: JsonValue): string {
  return Buffer.from(record.canonicalize(Buffer.from(JSON.stringify(of)))).toString('utf8');
}

test('no choice of keys keeps a row out of the log, and nothing in it is asked how it is written', () => {
  const bare = Object.assign(Object.create(null), { b: 1, a: [2] });
  const subject = { 10: 'x', 9: 'y', bare, ['k'.repeat(200)]: 1 };
  const bytes = encodeRow(draft({ subject }), 'log', 7, record);
  assert.is(hex(record.canonicalize(bytes)), hex(bytes));
  assert.equal(decodeRow(bytes).subject, JSON.parse(JSON.stringify(subject)));
  const sly = Object.assign(['a'], { toJSON: () => 'b' });
  for (const wrong of [sly, new Date(0), undefined, () => 1, Number.NaN, 1n]) {
    const said = draft({ subject: { 10: 1, 9: wrong } as never });
    assert.throws(() => encodeRow(said, 'log', 7, record), isInvalid);
  }
});

function isInvalid(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'evidence_row_invalid';
}

test('nothing but the named fields of a draft gets into a row', () => {
  const stray = {
    ...draft({ decisions: [{ ...decision({ allow: true }), openings: 'SECRET' } as never] }),
    openings: [{ field: 'a', salt: '0'.repeat(64), value: Buffer.from('"SECRET"') }],
    password: 'SECRET',
    reason: { code: 'x', message: 'y', detail: 'SECRET' },
  };
  const row = Buffer.from(encodeRow(stray, 'log', 0, record)).toString('utf8');
  assert.not.match(row, 'SECRET');
  assert.not.match(row, 'openings');
});

const good = JSON.parse(
  Buffer.from(encodeRow(draft({ decisions: [decision({})] }), 'log', 0, record)).toString('utf8'),
) as RowContent;

test('rows that lack a field, or have one more or of another type, are refused', () => {
  const changes: Record<string, unknown> = {
    'another schema': { ...good, schema: 'platform/evidence/v2' },
    'one more field': { ...good, extra: 1 },
    'no log': { ...good, log: undefined },
    'a negative sequence': { ...good, sequence: -1 },
    'half a sequence': { ...good, sequence: 0.5 },
    'a sequence in text': { ...good, sequence: '0' },
    'an unknown kind': { ...good, kind: 'rumour' },
    'an unknown outcome': { ...good, outcome: 'maybe' },
    'a time of another zone': { ...good, time: '2026-01-31T12:00:00.000+01:00' },
    'a year of six digits': { ...good, time: '+275760-09-13T00:00:00.000Z' },
    'a year before the first': { ...good, time: '-000001-01-31T12:00:00.000Z' },
    'a time that is none': { ...good, time: '2026-02-31T12:00:00.000Z' },
    'a subject that is a list': { ...good, subject: [] },
    'a reason without message': { ...good, reason: { code: 'x' } },
    'controls that are numbers': { ...good, controls: [1] },
    'decisions that are no list': { ...good, decisions: {} },
    'a decision without input': {
      ...good,
      decisions: [{ ...good.decisions[0], input: undefined }],
    },
    'a decision with one more': { ...good, decisions: [{ ...good.decisions[0], more: 1 }] },
    'a decision with a number for an id': { ...good, decisions: [{ ...good.decisions[0], id: 1 }] },
    'a list': [good],
    nothing: null,
  };
  assert.equal(decodeRow(Buffer.from(JSON.stringify(good))), good);
  for (const [name, row] of Object.entries(changes)) {
    const code = codeOf(() => decodeRow(Buffer.from(JSON.stringify(row))));
    assert.is(code, 'evidence_corrupt', name);
  }
  assert.is(
    codeOf(() => decodeRow(Uint8Array.of(0xff))),
    'evidence_corrupt',
  );
});

test('a draft whose time or decision is unreadable is refused', () => {
  const bad = [
    draft({ time: 'now' }),
    draft({ time: '2026-01-31T12:00:00Z' }),
    draft({ decisions: [decision({}, { committedInput: Buffer.from('{') })] }),
    draft({ decisions: [decision({}, { committedInput: Buffer.from('{},"x":{}') })] }),
    draft({ decisions: [decision({}, { committedInput: Buffer.from('{ }') })] }),
    draft({ decisions: [decision({}, { outputBytes: Uint8Array.of(0x22, 0xff, 0x22) })] }),
    draft({ decisions: [decision({}, { committedInput: Buffer.from('{"a":1,"a":2}') })] }),
    draft({ decisions: [decision({}, { committedInput: Buffer.from('9007199254740993') })] }),
  ];
  for (const [at, each] of bad.entries()) {
    assert.is(
      codeOf(() => encodeRow(each, 'log', 0, record)),
      'evidence_row_invalid',
      String(at),
    );
  }
});

function codeOf(work: () => unknown): string {
  try {
    work();
    return 'no error';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

test.run();
