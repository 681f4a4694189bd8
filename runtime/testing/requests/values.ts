// The values that generated requests are made of: half well meant, half hostile.
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../json.ts';
import { SAMPLE_TRUST_DOMAIN } from '../sample-data.ts';

const hostileStrings = [
  '\u0000',
  '\u202e\u2066',
  'a\u200db',
  '\u{e0041}\u{e0042}',
  '\u{1f468}\u200d\u{1f469}',
  '﷽',
  'é',
  'e\u0301',
  '"\\',
  '__proto__',
  '../../etc/passwd',
  '\u2028',
  '{{7*7}}',
  '💥'.repeat(40),
  ' ',
  '',
];
/** Text, well meant and hostile. */
export const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...hostileStrings),
  fc.string({ maxLength: 60 }),
);
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
  fc.constantFrom(0, -0, 1e-7, 5e-324, 2 ** 53, 0.1 + 0.2, 4.35, 1.5e-300),
);
/** Any JSON value. */
export const anyValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    fc.constantFrom<JsonValue>(null, true, false),
    numbers,
    text,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value as fc.Arbitrary<JsonValue>;

/** Values that some parsers take and others do not; every host must refuse them with the same code. */
const brokenTexts = [
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"a":9007199254740993}',
  '{"a":1e400}',
  '{"a":1.0000000000000000001}',
  '{"a":"\\ud800"}',
  '[1,]',
  '{"a":01}',
  '',
  'null ',
  '\ufeff{}',
  '{"a":NaN}',
  '['.repeat(70) + ']'.repeat(70),
  `{"${'k'.repeat(257)}":1}`,
  '{"a":-0}',
  '{"a":1E2}',
  '{"a":"\\/"}',
  ' { "b" : 1 , "a" : [ ] } ',
];
/** Bytes that are no readable input, or hardly. */
export const brokenBytes = fc.oneof(
  fc.constantFrom(...brokenTexts).map((json) => Buffer.from(json)),
  fc
    .uint8Array({ maxLength: 30 })
    .map((bytes) => Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')])),
  fc.integer({ min: 1000, max: 60_000 }).map((n) => Buffer.from(`{"a":"${'x'.repeat(n)}"}`)),
);

/** The `identity` of an input, by the SPIFFE ID of an agent. */
export function identity(spiffeId: string): JsonObject {
  const [tenant = '', agent = '', role = ''] = spiffeId.split('/').slice(4);
  return { spiffe_id: spiffeId, trust_domain: SAMPLE_TRUST_DOMAIN, tenant, agent, role };
}

/** The `context` of every input. */
export const moment = { time: '2026-01-01T00:00:00.000Z', request_id: 'req-1' };
/** The number of a sample agent. */
export const agentNumber = fc.nat(219);
/** Calls of this minute, sometimes over the limits. */
export const counters = fc.record({
  agent_minute: fc.integer({ min: 1, max: 140 }),
  tenant_minute: fc.integer({ min: 1, max: 640 }),
});
/** What is put after a SPIFFE ID to make a look-alike of it; mostly nothing. */
export const nearMiss = fc.oneof(
  { weight: 30, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('/', 'x', '/*', '%2f', '/..', ' ', '\u0000', '\u0430') },
);

/** One value nine times in ten, otherwise one of the others. */
export function mostly<T>(usual: T, others: T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}
