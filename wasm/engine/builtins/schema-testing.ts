// JSON Schemas and documents for tests, right and wrong ones.
//
// Objects have one key where OPA's errors would otherwise come in any order. References never lead in circles,
// because OPA's process does not survive those.
import fc from 'fast-check';

const key = fc.constantFrom('a', 'b', 'ab', 'x');
const number = fc.constantFrom(
  ...[0, 1, 2, 3, -1, 1.5, 0.1, 10, 1_000_000, 2.5e-5, 1e21, 12_345_678, 0.30000000000000004],
);
const string = fc.constantFrom(
  ...['', 'a', 'abc', 'é😀', '2020-01-02', '12:30:00Z', '2020-01-02T12:30:00Z', 'a@b.c', 'foo@'],
  ...['1.2.3.4', '::1', 'http://x/y', '/a/~0', '0#', 'x-.y', 'host.name', '<b>', '^a', '[', '{a}'],
  ...['123e4567-e89b-12d3-a456-426614174000', 'Joe <j@x.org>', '1.2.3', 'a\\b'],
);

/** Documents. */
export const document = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.constantFrom<unknown>(null, true, false), number, string),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 1 }),
  ),
})).value;

const size = fc.constantFrom<unknown>(0, 1, 2, 3, 5, -1, 1.5, 'x');
const formats = [
  ...['date', 'time', 'date-time', 'hostname', 'email', 'idn-email', 'ipv4', 'ipv6', 'uri', 'iri'],
  ...['uri-reference', 'iri-reference', 'uri-template', 'uuid', 'regex', 'json-pointer'],
  ...['relative-json-pointer', 'unknown'],
];
const types = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string', 'bogus'];

type Keyword = Record<string, unknown>;

/** A keyword with a value. */
function keyword(name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Keyword> {
  return value.map((found) => ({ [name]: found }));
}

const simple = fc.oneof(
  keyword(
    'type',
    fc.oneof(fc.constantFrom(...types), fc.array(fc.constantFrom(...types), { maxLength: 2 })),
  ),
  keyword('multipleOf', fc.constantFrom<unknown>(1, 2, 0.1, 0.5, 3, 0, 'x')),
  ...['minimum', 'maximum'].map((name) => keyword(name, number)),
  ...['exclusiveMinimum', 'exclusiveMaximum'].map((name) =>
    keyword(name, fc.oneof(number, fc.constantFrom<unknown>(true, false))),
  ),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (name) => keyword(name, size),
  ),
  keyword('pattern', fc.constantFrom<unknown>('^a', 'b$', '[0-9]+', '(', 5, '\\p{L}')),
  keyword('format', fc.constantFrom(...formats)),
  keyword('enum', fc.array(document, { maxLength: 2 })),
  keyword('const', document),
  keyword('required', fc.array(key, { minLength: 1, maxLength: 2 })),
  keyword('uniqueItems', fc.constantFrom<unknown>(true, false, 1)),
  keyword('$ref', fc.constantFrom('#/definitions/q', '#/definitions/missing', '#q')),
);

const part = fc.letrec<{ schema: unknown }>((tie) => {
  const schema = tie('schema');
  const list = fc.array(schema, { maxLength: 3 });
  const nested = fc.oneof(
    ...['properties', 'patternProperties'].map((name) =>
      keyword(name, fc.dictionary(fc.constantFrom('a', 'b', '^a', '('), schema, { maxKeys: 1 })),
    ),
    ...['additionalProperties', 'propertyNames', 'items', 'additionalItems', 'contains', 'not'].map(
      (name) => keyword(name, schema),
    ),
    keyword('items', list),
    keyword('dependencies', fc.dictionary(key, fc.oneof(schema, fc.array(key)), { maxKeys: 1 })),
    ...['anyOf', 'oneOf', 'allOf'].map((name) => keyword(name, list)),
    fc.record({ if: schema, then: schema, else: schema }),
  );
  const object = fc
    .array(fc.oneof({ maxDepth: 3 }, simple, nested), { minLength: 1, maxLength: 3 })
    .map((keywords): Keyword => Object.assign({}, ...keywords));
  return {
    schema: fc.oneof({ weight: 1, arbitrary: fc.boolean() }, { weight: 9, arbitrary: object }),
  };
}).schema;

const drafts = ['04', '06', '07'].map((draft) => `http://json-schema.org/draft-${draft}/schema#`);

/** Schemas with a definition that others may refer to, of any draft or none. */
export const schema = fc
  .tuple(part, fc.constantFrom(...types), fc.option(fc.constantFrom(...drafts, 'x'), { freq: 3 }))
  .map(([found, type, draft]): unknown =>
    typeof found === 'boolean'
      ? found
      : {
          ...(found as Keyword),
          definitions: { q: { $id: '#q', type } },
          ...(draft === null ? {} : { $schema: draft }),
        },
  );
