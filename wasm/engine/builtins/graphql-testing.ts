// GraphQL documents for tests: whole ones, and the same with something broken in them.
import fc from 'fast-check';

/** A schema with every kind of type. */
export const schema = `
  "A pet" interface Pet { name(short: Boolean = false): String! }
  type Dog implements Pet { name(short: Boolean): String! barks: Boolean owner: Human }
  type Cat implements Pet { name(short: Boolean): String! meows: Int lives: [Int!]! }
  type Human { id: ID! pets(first: Int!, like: Filter): [Pet] either: CatOrDog size: Size weight: Float }
  union CatOrDog = Cat | Dog
  enum Size { SMALL LARGE @deprecated(reason: "none is") }
  input Filter @oneOf { name: String size: Size }
  input Box { width: Int! height: Int = 3 inner: [Box!] }
  directive @twice(times: Int! = 2) repeatable on FIELD | QUERY | VARIABLE_DEFINITION
  scalar Date @specifiedBy(url: "https://example.org")
  type Query { human(id: ID!): Human pet: Pet box(box: Box): Int when(at: Date): Date }
  type Mutation { rename(id: ID!, to: String = "x"): Human }
  extend type Query { dog: Dog }
`;

/** Queries that are valid against it. */
export const queries = [
  '{ human(id: 4) { id pets(first: 2) { name ... on Dog { barks } } } }',
  'query Q($id: ID!, $n: Int = 3) @twice { human(id: $id) { pets(first: $n, like: {name: "x"}) { n: name } } }',
  '# a comment\nquery Q { pet { ...F ... on Cat { lives meows } } } fragment F on Pet { name(short: true) }',
  'mutation M($to: String @twice(times: 1) @twice) { rename(id: "a", to: $to) { size weight } }',
  '{ box(box: {width: 1, inner: [{width: -2, height: null}]}) when(at: {any: [thing]}) }',
  '{ human(id: """block\n  string""") { either { __typename ... on Cat { name } ... on Dog { name } } } }',
  'query A { dog { barks @skip(if: false) @include(if: true) } } query B { dog { owner { id } } }',
  '{ __schema { types { name fields { name } } } __type(name: "Dog") { kind } }',
];

const piece = fc.constantFrom(
  ...'{}()[]!$@:=|&,.#"\\'.split(''),
  ...['...', '"""', '\\"""', '\\u00e9', '\\ud800', '\r\n', '\ufeff', 'é', '😀', '\0', "'", '\t'],
  ...['1', '-0', '01', '1.', '1.5e3', '1e999', '99999999999999999999', 'null', 'true', 'on'],
  ...['query', 'fragment', 'extend', 'type', 'input', 'implements', 'repeatable', 'schema', 'Dog'],
  ...['Filter', 'String', '$id', '@twice', '...F', '__typename', '__x', '@deprecated', '# c\n'],
);

function tokens(text: string): string[] {
  return text.match(/"""[\s\S]*?"""|"[^"\n]*"|[A-Za-z_]\w*|\s+|./gu) ?? [];
}

/** A document with a few of its tokens removed, doubled, replaced or exchanged. */
export function broken(document: string): fc.Arbitrary<string> {
  const change = fc.tuple(fc.nat(3), fc.nat(), fc.nat(), piece);
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const list = tokens(document);
    for (const [how, at, other, text] of changes) {
      const index = at % (list.length + 1);
      if (how === 0) list.splice(index, 1);
      else if (how === 1) list.splice(index, 0, text);
      else if (how === 2) list[index] = text;
      else list[index] = list[other % list.length]!;
    }
    return list.join('');
  });
}

/** Text that no author wrote. */
export const hostile = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 3 })), {
  maxLength: 40,
});
