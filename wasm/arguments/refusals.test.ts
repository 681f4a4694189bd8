// Registration refuses every schema that it cannot apply exactly, with its code, keyword and place.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SchemaError } from '../../runtime/errors.ts';
import { ArgumentsModule } from '../../runtime/modules/arguments.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

const module = ArgumentsModule.create(moduleBytes('arguments'));
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** The refusal of a schema, or undefined when it is taken. */
function refusal(
  schema: Uint8Array,
): { code: string; keyword: unknown; pointer: unknown } | undefined {
  try {
    module.register(schema);
    return undefined;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return { code: error.code, keyword: error.data.keyword, pointer: error.data.pointer };
  }
}

const unsupported = 'schema_keyword_unsupported';
const invalid = 'schema_invalid';
const unresolved = 'schema_ref_unresolved';

const cases: [unknown, string, string, string][] = [
  [
    { unevaluatedProperties: false },
    unsupported,
    'unevaluatedProperties',
    '/unevaluatedProperties',
  ],
  [
    { items: { unevaluatedItems: false } },
    unsupported,
    'unevaluatedItems',
    '/items/unevaluatedItems',
  ],
  [{ $anchor: 'a' }, unsupported, '$anchor', '/$anchor'],
  [{ $dynamicRef: '#a' }, unsupported, '$dynamicRef', '/$dynamicRef'],
  [{ $dynamicAnchor: 'a' }, unsupported, '$dynamicAnchor', '/$dynamicAnchor'],
  [{ $recursiveRef: '#' }, unsupported, '$recursiveRef', '/$recursiveRef'],
  [{ $vocabulary: {} }, unsupported, '$vocabulary', '/$vocabulary'],
  [{ dependencies: {} }, unsupported, 'dependencies', '/dependencies'],
  [{ additionalItems: false }, unsupported, 'additionalItems', '/additionalItems'],
  [{ discriminator: { propertyName: 'a' } }, unsupported, 'discriminator', '/discriminator'],
  [{ id: 'a' }, unsupported, 'id', '/id'],
  [{ Type: 'string' }, unsupported, 'Type', '/Type'],
  [{ typ: 'string' }, unsupported, 'typ', '/typ'],
  [{ x: 1 }, unsupported, 'x', '/x'],
  [{ $schema: 'https://example.org/mine' }, unsupported, '$schema', '/$schema'],
  [{ allOf: [true, { $id: 'a' }] }, unsupported, '$id', '/allOf/1/$id'],
  [{ properties: { 'a/b~': { no: 1 } } }, unsupported, 'no', '/properties/a~1b~0/no'],
  [{ $defs: { unused: { no: 1 } } }, unsupported, 'no', '/$defs/unused/no'],
  [{ if: true, then: { no: 1 } }, unsupported, 'no', '/then/no'],
  [[], invalid, '', ''],
  [null, invalid, '', ''],
  [{ type: 'text' }, invalid, 'type', '/type'],
  [{ type: [] }, invalid, 'type', '/type'],
  [{ type: ['string', 'string'] }, invalid, 'type', '/type'],
  [{ properties: [] }, invalid, 'properties', '/properties'],
  [{ properties: { a: 1 } }, invalid, 'properties', '/properties/a'],
  [{ items: [true] }, invalid, 'items', '/items'],
  [{ additionalProperties: 'no' }, invalid, 'additionalProperties', '/additionalProperties'],
  [{ required: true }, invalid, 'required', '/required'],
  [{ required: ['a', 'a'] }, invalid, 'required', '/required'],
  [{ dependentRequired: { a: [1] } }, invalid, 'dependentRequired', '/dependentRequired/a'],
  [{ enum: [] }, invalid, 'enum', '/enum'],
  [{ enum: 'a' }, invalid, 'enum', '/enum'],
  [{ allOf: [] }, invalid, 'allOf', '/allOf'],
  [{ anyOf: {} }, invalid, 'anyOf', '/anyOf'],
  [{ oneOf: [1] }, invalid, 'oneOf', '/oneOf/0'],
  [{ minimum: '1' }, invalid, 'minimum', '/minimum'],
  [{ multipleOf: 0 }, invalid, 'multipleOf', '/multipleOf'],
  [{ multipleOf: -1 }, invalid, 'multipleOf', '/multipleOf'],
  [{ minLength: -1 }, invalid, 'minLength', '/minLength'],
  [{ maxItems: 1.5 }, invalid, 'maxItems', '/maxItems'],
  [{ uniqueItems: 1 }, invalid, 'uniqueItems', '/uniqueItems'],
  [{ nullable: 'yes' }, invalid, 'nullable', '/nullable'],
  [{ exclusiveMinimum: true }, invalid, 'exclusiveMinimum', '/exclusiveMinimum'],
  [{ pattern: 1 }, invalid, 'pattern', '/pattern'],
  [{ $ref: 1 }, invalid, '$ref', '/$ref'],
  [{ $ref: '#' }, invalid, '$ref', '/$ref'],
  [{ allOf: [{ $ref: '#' }] }, invalid, '$ref', '/allOf/0/$ref'],
  [
    { $defs: { a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/a' } } } },
    invalid,
    '$ref',
    '/$defs/b/not/$ref',
  ],
  [{ if: { $ref: '#' } }, invalid, '$ref', '/if/$ref'],
  [{ pattern: '(?=a)' }, 'schema_pattern_unsupported', 'pattern', '/pattern'],
  [
    { patternProperties: { '(a)\\1': true } },
    'schema_pattern_unsupported',
    'patternProperties',
    '/patternProperties/(a)\\1',
  ],
  [{ $ref: '#/$defs/a' }, unresolved, '$ref', '/$ref'],
  [{ $ref: 'a.json' }, unresolved, '$ref', '/$ref'],
  [{ $ref: 'https://example.org/#/$defs/a', $defs: { a: true } }, unresolved, '$ref', '/$ref'],
  [{ $ref: '#a' }, unresolved, '$ref', '/$ref'],
  [{ $ref: '' }, unresolved, '$ref', '/$ref'],
  // What a reference points to must be a schema, not data that looks like one.
  [{ items: { $ref: '#/default' }, default: {} }, unresolved, '$ref', '/items/$ref'],
  [{ items: { $ref: '#/enum/0' }, enum: [{}] }, unresolved, '$ref', '/items/$ref'],
  [{ items: { $ref: '#/properties' }, properties: {} }, unresolved, '$ref', '/items/$ref'],
  [{ items: { $ref: '#/$defs/%zz' } }, unresolved, '$ref', '/items/$ref'],
  [{ items: { $ref: '#/$defs/a~2' }, $defs: { 'a~2': {} } }, unresolved, '$ref', '/items/$ref'],
  [{ items: { $ref: '#/allOf/01' }, allOf: [true, true] }, unresolved, '$ref', '/items/$ref'],
];

test('refuses with code, keyword and place', () => {
  for (const [schema, code, keyword, pointer] of cases) {
    assert.equal(refusal(encode(schema)), { code, keyword, pointer }, JSON.stringify(schema));
  }
});

test('refuses any keyword that it does not know, wherever it stands', () => {
  const known = new Set([
    'title',
    'format',
    'not',
    'items',
    'if',
    'then',
    'else',
    'enum',
    'const',
    'xml',
  ]);
  const keyword = fc
    .string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' })
    .filter((name) => !/^x-/.test(name));
  const property = fc.property(keyword, (name) => {
    if (known.has(name) || /^(\$|min|max|type|ref)/i.test(name)) return;
    const found = refusal(encode({ properties: { a: { anyOf: [{ [name]: 1 }] } } }));
    assert.is(found?.code, unsupported, name);
    assert.is(found?.keyword, name);
  });
  fc.assert(property, { numRuns: 2000 });
});

test('takes the annotations that change no answer', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.org/tool',
    $comment: 'c',
    title: 't',
    description: 'd',
    default: { not: 'a schema' },
    examples: [1],
    example: 1,
    deprecated: true,
    readOnly: true,
    writeOnly: false,
    format: 'email',
    contentEncoding: 'base64',
    contentMediaType: 'application/json',
    xml: { name: 'a' },
    externalDocs: { url: 'u' },
    'x-anything': { type: 'never looked at' },
  };
  for (const value of [1, 'no email', {}, null]) {
    assert.is(module.validate(encode(schema), encode(value)).allow, true);
  }
});

test('refuses bytes that are no JSON, and schemas that are too large', () => {
  const text = (source: string) => refusal(new TextEncoder().encode(source));
  for (const source of ['', '{', '{"type":}', '{"a":1,"a":1}', '{"minimum":1e400}', '"\\ud800"']) {
    assert.is(text(source)?.code, invalid, source);
  }
  assert.is(refusal(Uint8Array.of(0x22, 0xff, 0x22))?.code, invalid);
  assert.is(text(`{"a${'['.repeat(65)}`)?.code, invalid);
  assert.is(text(`{"title":"${'a'.repeat(64 * 1024)}"}`)?.code, 'schema_too_large');
  assert.is(text(`{"title":"${'a'.repeat(60 * 1024)}"}`), undefined);
  const pattern = '[a-z]{1000}';
  const wide = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`p${n}`, { pattern }]));
  assert.match(
    refusal(encode({ properties: wide }))?.code ?? '',
    /^schema_(too_large|pattern_unsupported)$/,
  );
});

test('bounds chains of references', () => {
  const chain = (length: number) => ({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      Array.from({ length }, (_, n) => [
        `d${n}`,
        n + 1 < length ? { $ref: `#/$defs/d${n + 1}` } : { type: 'null' },
      ]),
    ),
  });
  assert.is(module.validate(encode(chain(50)), encode(null)).allow, true);
  assert.is(module.validate(encode(chain(50)), encode(1)).allow, false);
  assert.is(refusal(encode(chain(80)))?.code, invalid);
  assert.is(refusal(encode(chain(2000)))?.code, invalid);
});

test('no bytes make registration trap', () => {
  const near = fc
    .tuple(
      fc.constantFrom(...cases.map(([schema]) => JSON.stringify(schema))),
      fc.nat(),
      fc.uint8Array({ maxLength: 4 }),
    )
    .map(([source, at, bytes]) => {
      const whole = new TextEncoder().encode(source);
      const cut = at % (whole.length + 1);
      return Uint8Array.from([
        ...whole.slice(0, cut),
        ...bytes,
        ...whole.slice(cut + bytes.length),
      ]);
    });
  fc.assert(
    fc.property(fc.oneof(near, fc.uint8Array({ maxLength: 64 })), (bytes) => {
      refusal(bytes);
    }),
    { numRuns: 20_000 },
  );
});

test.run();
