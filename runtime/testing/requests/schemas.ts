// Inputs of the module `arguments` with many schemas: of every family of keywords, and some that are refused.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../json.ts';
import { anyPlane } from './pieces.ts';
import { anyValue } from './values.ts';

const texts = fc.oneof(
  anyPlane,
  fc.constantFrom('a@b', 'abc', '2026-01-01', 'é', 'e\u0301', 'ſ', 'K', ''),
);
const numbers = fc.constantFrom(0, -0, 1, 1.5, 0.1, 0.3, 2 ** 53, 5e-324, 1e308, 4.35, -7, 100);

/** A schema and values of which about half fit it. */
const families: readonly { schema: JsonValue; values: fc.Arbitrary<JsonValue> }[] = [
  {
    schema: {
      type: 'object',
      required: ['q'],
      properties: { q: { type: 'string', minLength: 1, maxLength: 12 } },
    },
    values: fc.record({ q: texts }),
  },
  {
    schema: {
      properties: { n: { type: 'number', multipleOf: 0.1, maximum: 100, exclusiveMinimum: -7 } },
    },
    values: fc.record({ n: numbers }),
  },
  {
    schema: {
      properties: { n: { type: 'integer', enum: [0, 1, 100, 1e15] } },
      additionalProperties: false,
    },
    values: fc.record({ n: numbers }),
  },
  {
    schema: { type: 'array', uniqueItems: true, maxItems: 4, contains: { const: 1 } },
    values: fc.array(numbers, { maxLength: 6 }),
  },
  {
    schema: { prefixItems: [{ type: 'string' }, { type: 'number' }], unevaluatedItems: false },
    values: fc.oneof(fc.tuple(texts, numbers), fc.tuple(texts, numbers, texts)),
  },
  {
    schema: {
      patternProperties: { '^[\\p{L}]+$': { type: 'string' } },
      propertyNames: { maxLength: 8 },
    },
    values: fc.dictionary(texts, texts, { maxKeys: 3, noNullPrototype: true }),
  },
  {
    schema: {
      $defs: {
        node: { properties: { next: { $ref: '#/$defs/node' } }, required: ['v'], type: 'object' },
      },
      $ref: '#/$defs/node',
    },
    values: fc.constantFrom<JsonValue>(
      { v: 1 },
      { v: 1, next: { v: 2, next: { v: 3 } } },
      { v: 1, next: {} },
    ),
  },
  {
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
    schema: { if: { required: ['a'] }, then: { required: ['b'] }, else: { maxProperties: 1 } },
    values: fc.dictionary(fc.constantFrom('a', 'b', 'c'), numbers, {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  },
  {
    schema: { oneOf: [{ type: 'string', pattern: '^a' }, { minLength: 3 }], not: { const: 'abc' } },
    values: texts,
  },
  {
    schema: { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { minProperties: 2 } } },
    values: fc.dictionary(fc.constantFrom('a', 'b', 'c'), numbers, {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  },
  { schema: { type: 'string', format: 'date', pattern: '^\\d{4}' }, values: texts },
  {
    schema: { const: { é: [1, 'e\u0301'] } },
    values: fc.constantFrom<JsonValue>({ é: [1, 'e\u0301'] }, { é: [1, 'é'] }),
  },
  { schema: true, values: anyValue },
  { schema: false, values: anyValue },
  // Refused: a pattern that no linear engine has, a reference to nowhere, a keyword of another shape.
  { schema: { pattern: '(a)\\1' }, values: texts },
  { schema: { $ref: '#/$defs/none' }, values: anyValue },
  { schema: { type: 'text' }, values: anyValue },
  { schema: { minLength: -1 }, values: texts },
];

/** A request of the module: its input, and the schema that the host was given, which may be another. */
export interface Validation {
  input: JsonObject;
  schema?: Uint8Array;
}

const canonical = (value: JsonValue): Uint8Array =>
  Buffer.from(JSON.stringify(value, (_key, member) => sorted(member)));

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Requests whose schema mostly is the one that the input names. */
export const validation: fc.Arbitrary<Validation> = fc
  .tuple(fc.constantFrom(...families), fc.nat(40))
  .chain(([{ schema, values }, odd]) =>
    fc.oneof({ weight: 8, arbitrary: values }, { weight: 1, arbitrary: anyValue }).map((value) => {
      const bytes = canonical(schema);
      const digest = createHash('sha256').update(bytes).digest('hex');
      const named = odd === 0 ? digest.replace(/^./, 'x') : digest;
      const input: JsonObject = { arguments: value, schema: `sha256:${named}` };
      if (odd === 1) input.more = 1;
      return odd === 2 ? { input } : { input, schema: bytes };
    }),
  );
