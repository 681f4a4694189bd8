// Tests of strings.render_template: against OPA's own on templates put together from all kinds of pieces.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Call } from '../opa-testing.ts';
import { engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';

const engine = await engineUnderTest('template');
const render = 'strings.render_template';

const data = {
  test: 'hello',
  n: 2023,
  zero: 0,
  list: ['a', 'b', 3, null, { x: 1 }],
  empty: [],
  obj: { a: 1, b: { c: 'deep' } },
  t: true,
  f: false,
  nil: null,
  e: '',
};

const operand = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      '.',
      '$',
      '.test',
      '.n',
      '.zero',
      '.list',
      '.empty',
      '.obj',
      '.obj.b.c',
      '.t',
      '.f',
    ),
    fc.constantFrom('.nil', '.e', '.nope', '.nope.x', '.test.x', '.nil.x', '$.list', '$x'),
    fc.constantFrom('1', '-2', '1.5', '"b"', '"a\\n"', '`raw\\n`', "'x'", 'true', 'nil', '"%v|%s"'),
  );
const call = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(
        'len',
        'index',
        'print',
        'println',
        'and',
        'or',
        'not',
        'eq',
        'ne',
        'lt',
        'le',
        'gt',
        'ge',
      ),
      fc.array(operand(), { maxLength: 3 }),
    )
    .map(([name, operands]) => [name, ...operands].join(' '));
const pipeline = (): fc.Arbitrary<string> =>
  fc.oneof(
    operand(),
    call(),
    fc.tuple(operand(), call()).map((both) => both.join(' | ')),
    fc
      .tuple(fc.constantFrom('not', 'print 1', 'len'), call())
      .map(([outer, inner]) => `${outer} (${inner})`),
  );
const open = (): fc.Arbitrary<string> => fc.constantFrom('{{', '{{', '{{- ', '{{ ');
const close = (): fc.Arbitrary<string> => fc.constantFrom('}}', '}}', ' -}}', ' }}');
const action = (inside: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(open(), inside, close()).map((parts) => parts.join(''));
const { template } = fc.letrec<{ template: string; block: string }>((tie) => ({
  template: fc
    .array(fc.oneof({ maxDepth: 2 }, piece(), tie('block')), { maxLength: 3 })
    .map((all) => all.join('')),
  block: fc
    .tuple(
      action(
        fc
          .tuple(
            fc.constantFrom(
              'if ',
              'with ',
              'range ',
              'range $y := ',
              'range $k, $y := ',
              'if $y := ',
            ),
            pipeline(),
          )
          .map((parts) => parts.join('')),
      ),
      tie('template'),
      fc.oneof(
        fc.constant(''),
        fc
          .tuple(action(fc.constantFrom('else', 'else if .t', 'else with .obj')), tie('template'))
          .map((both) => both.join('')),
      ),
    )
    .map((parts) => `${parts.join('')}{{end}}`),
}));

function piece(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      ' a ',
      'x}}',
      '\n',
      '{{break}}',
      '{{continue}}',
      '{{/* c */}}',
      '{{- /* c */ -}}',
    ),
    fc.constantFrom(
      '{{$y}}',
      '{{$k}}',
      '{{$x := 5}}',
      '{{$x = .n}}',
      '{{',
      '{{end}}',
      '{{else}}',
      '{{foo}}',
      '<no value>',
    ),
    action(pipeline()),
    action(pipeline()),
  );
}

test('templates give what OPA gives', () => {
  const calls = fc
    .sample(template, { numRuns: 4000, seed: 6 })
    .map((text) => [render, text, data] as Call);
  agreesWithOpa(engine, calls);
});

test('printf takes data by its text', () => {
  agreesWithOpa(engine, [
    [render, '{{printf "%v %s %q" .n .test .test}} {{printf "%d|%5.1f" 5 1.5}}', data],
    [render, '{{.test | printf "%s-%v" "x"}} {{printf "%v" .list}} {{printf "%v" .obj}}', data],
  ]);
});

test('only data that OPA reads as JSON is taken', () => {
  agreesWithOpa(engine, [
    [render, '{{.a}}', { a: new Set([1]) }],
    [render, '{{.a}}', { a: [{ b: new Set() }] }],
    [render, '{{.a}}', []],
    [render, 1, {}],
  ]);
  assert.throws(() => engine.callStrict(render, '{{.a}}', { a: new Set([1]) }), /failure 1/);
});

test('blocks that nest without end stop the evaluation', () => {
  assert.throws(() => engine.call(render, '{{if .t}}'.repeat(10_000), data), /failure 5/);
  assert.throws(() => engine.call(render, `{{${'('.repeat(10_000)}`, data), /failure 5/);
});

test.run();
