// Tests of the YAML built-ins: against OPA's own, on texts of all shapes that are taken and values of all kinds.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Call } from '../opa-testing.ts';
import { engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest('yaml');

const texts = [
  'foo:\n  - qux: bar\n  - baz: 2',
  'foo:\n- qux: bar\n- baz: {',
  '{"json": "ok"}',
  '  test:\ntest1: hello\n',
  'a: 1\n---\n\tb: 2\n',
  'a: 1\n---\nb: 2\n',
  '[1,2,3',
  '',
  '# only a comment\n',
  '---\n',
  '---\na: b\n...\n---\nc\n',
  'a\n---\n{',
  'plain',
  'plain text\n  goes on\n\n  here',
  'a: plain text\n  goes on\n\n  here\nb: 1',
  'a: 1\n  b: 2',
  'a: b: c',
  '- a\n- - b\n  - c\n-\n  d\n- ',
  '- a: 1\n  b: 2\n-   c: 3\n    d: 4',
  'a:\n  b:\n    c: [1, {d: e}, "f"]\n  g: {h: i, j: [k]}\n',
  '"quoted key": \'it\'\'s\'\n"a\\tb\\u00e9\\x41": "line\n  folded\n\n  twice \\\n  joined"',
  "a: 'x\n  y'\n",
  'a: |\n  one\n   two\n\n  three\n\nb: >\n  folded\n  text\n\n  new\n    deep\n  back\n',
  'a: |-\n  x\n\n',
  'a: |+\n  x\n\nb: 1',
  'a: |2\n    x\n   y\n',
  '|\n  root\n',
  '- |\n a\n- >-\n b\n c\n',
  'a: >\n\n  x\n',
  'n: ~\nm: null\no:\np: Null\nq: nULL',
  't: true\nf: False\ny: yes\no: on\nz: tRue',
  'i: 12\nj: -3\nk: +4\nl: 0x1F\nm: 0o17\nn: 017\no: 0b101\np: 1_000\nq: 09',
  'f: 1.5\ng: .5\nh: 5.\ni: 1e3\nj: -1.25e-7\nk: 1e21\nl: 123456789012345678901234567890\nm: 1.0\nn: 1_0.5\no: 1e-7',
  'u: 18446744073709551615\nv: 9223372036854775808\nw: -9223372036854775808\nx: -9223372036854775809',
  'i: .inf',
  'n: .nan',
  'd: 2023-01-01\ne: 2023-01-01T00:00:00Z\nf: 12:30',
  '1: a\ntrue: b\n1.5: c',
  '~: a',
  '[a]: b',
  'a: &x {b: 1}\nc: *x\nd: *y',
  'a: &x {b: 1}\nc: *x\nd: [*x, *x]',
  'base: &b {x: 1, y: 2}\nmore:\n  <<: *b\n  y: 3\n',
  'a: &a {x: 1}\nb: &b {x: 2, y: 3}\nc:\n  <<: [*a, *b]\n',
  'c:\n  <<: 1\n',
  'a: !!str 1\nb: !!str true\nc: !!str',
  'a: 1 # comment\nb: "x" # comment\nc: x#y\n# end',
  'a: 1\na: 2\n',
  'url: http://x.y/z\ntime: 1:2\nw: a:b\n',
  '{a: 1, b, "c":2, d: }',
  '[a: 1, "b": 2, c]',
  '[a b, c\n  d, e]',
  '[1, 2,]',
  '[,]',
  '{a: 1 b: 2}',
  'a: @b',
  'a: `b`',
  'a: %b',
  '%YAML 1.2\n---\na',
  'a: -b\nc: - d',
  'a: ?b\nc: :d',
  'a:\n\tb: 1',
  'a:\t1',
  'a: "unended',
  "a: 'unended",
  'a: "bad \\q"',
  'a: "x" y',
  'a: [1] 2',
  'a: 1\n- b',
  '- a\nb: 1',
  'a:\r\n  b: 1\r\nc: 2\r\n',
  'a:\n  - b\n  c: d',
  'a:\n - b\n - c\nd: e',
  '\ufeffa: b',
  'ä: ü\n日: 😀',
  'a: b\n\n\n\nc: d',
  '---\n---\n',
  'a: [\n1,\n2\n]\nb: {\n  c: d\n}\n',
  'a: ""\nb: \'\'',
  '- - - a',
  'x: - 1',
  'x:\n  y\n  z',
  'x: y\n z: 1',
  'x:\n# c\n  y: 1\n  # d\n  z: 2',
  '"a": 1\n\'b\': 2',
  'a : 1',
  'a:b',
  'a: |\n\tx',
  '- a\n # c\n- b',
  '  - a\n  - b',
  '  - a\n - b',
];

test('text is read, or refused, as OPA does', () => {
  agreesWithOpa(
    engine,
    texts.flatMap((text): Call[] => [
      ['yaml.unmarshal', text],
      ['yaml.is_valid', text],
    ]),
  );
  agreesWithOpa(engine, [
    ['yaml.is_valid', 1],
    ['yaml.unmarshal', 1],
  ]);
});

const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      '',
      'a',
      'true',
      'no',
      'null',
      '1',
      '1.5',
      '~',
      '- a',
      'a: b',
      'a #b',
      ' a',
      'a ',
      '<<',
      '2023-01-01',
    ),
    fc.constantFrom(
      'a\nb',
      'a\n',
      '\na',
      'a\n\n',
      ' a\nb',
      'a \nb',
      '\n',
      "it's",
      '"',
      '[x]',
      'x, y',
      '---',
      '1:30',
      '.',
    ),
    fc
      .array(fc.constantFrom(...'ab1-:#?,[]{}&*!|>\'"%@` .~=\t'), { maxLength: 4 })
      .map((all) => all.join('')),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  );
const key = (): fc.Arbitrary<string> =>
  fc.oneof(
    text().filter((s) => /^[\x20-\x23\x25-\x7e]*$/.test(s)),
    fc.constantFrom('ä', 'é', '日', 'Ω'),
    fc.constantFrom('a1', 'a2', 'a10', 'A', 'b', '10', '9', '010'),
  );
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text(),
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e21, 1e6, 1e-7, 12345678901234567890n),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key(), tie('value'), { maxKeys: 3 }),
  ),
}));

test('values are written as OPA writes them, and read back', () => {
  const values = fc.sample(value, { numRuns: 2000, seed: 44 });
  agreesWithOpa(
    engine,
    values.map((each): Call => ['yaml.marshal', each]),
  );
  agreesWithOpa(engine, [['yaml.marshal', [{ foo: new Set([1, 2, 3]) }]]]);
  agreesWithOpa(
    engine,
    values.map((each): Call => ['yaml.unmarshal', engine.call('yaml.marshal', each)]),
  );
});

test('any text is read or refused', () => {
  const pieces = [
    'a',
    ': ',
    '- ',
    '\n',
    '  ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    "'",
    '|',
    '>',
    '&a',
    '*a',
    '#',
    '!!str ',
    '---\n',
    '\\',
    '<<',
    '?',
    '\t',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (all) => {
      assert.type(engine.call('yaml.is_valid', all.join('')), 'boolean');
    }),
    { numRuns: 5000 },
  );
});

test('deep nesting stops the evaluation', () => {
  assert.throws(() => engine.call('yaml.is_valid', '['.repeat(5000)), /failure 5/);
  assert.throws(() => engine.call('yaml.is_valid', '- '.repeat(5000)), /failure 5/);
});

test.run();
