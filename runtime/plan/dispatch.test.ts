// Rules that are selected by what they ask for give what all of them give one after another.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonValue } from '../json.ts';
import { RegoCompiler } from '../modules/rego.ts';
import { moduleBytes } from '../modules/source.ts';
import { compilePlan } from './compile.ts';
import type { IrPolicy } from './ir.ts';
import { PlanUnderTest } from './testing.ts';

const compiler = await RegoCompiler.load();
const everything = undefined as never;

const CONFLICT = 3;
const ENTRYPOINTS = ['t/p', 't/s', 't/w', 't/g'];
const DATA = { d: 'x' };

/** What rules ask for: paths that share parts, an argument's, and what is nowhere. */
const SUBJECTS = ['input.a', 'input.b.c', 'input.b', 'input', 'input.list[0]', 'data.d'];
/** Constants that are equal with different texts, that look alike, and of every kind. */
const CONSTANTS = [
  '"x"',
  '"y"',
  '"z"',
  '""',
  '"1"',
  '1',
  '1.0',
  '2',
  '-0',
  '0',
  '1e0',
  'true',
  'false',
  'null',
  '{"c": "x"}',
  '["x"]',
];
const VALUES: JsonValue[] = [
  'x',
  'y',
  'z',
  '',
  '1',
  1,
  2,
  0,
  true,
  false,
  null,
  { c: 'x' },
  ['x'],
  {},
];

const value = fc.constantFrom(...VALUES);
const input = fc.record(
  {
    a: value,
    b: fc.oneof(value, fc.record({ c: value })),
    list: fc.array(value, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const test_ = fc
  .tuple(fc.constantFrom(...SUBJECTS), fc.constantFrom(...CONSTANTS))
  .map(([subject, constant]) => `${subject} == ${constant}`);
const other = fc.constantFrom(
  'input.a != "x"',
  'some v in input.list; v == "x"',
  'not input.a',
  'is_string(input.a)',
  'to_number(input.a) > 0',
  'input.b.c',
);
const body = fc
  .tuple(fc.array(test_, { maxLength: 3 }), fc.array(other, { maxLength: 1 }), fc.boolean())
  .map(([tests, more, first]) => {
    const all = first ? [...more, ...tests] : [...tests, ...more];
    return all.length === 0 ? 'true' : all.join('; ');
  });

/** Rules of one name of each kind; some disagree, some have an `else`. */
const policy = fc
  .record({
    bodies: fc.array(body, { minLength: 4, maxLength: 14 }),
    values: fc.array(fc.constantFrom('true', '1', '"v"'), { minLength: 14, maxLength: 14 }),
    same: fc.boolean(),
    otherwise: fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }),
    fallback: fc.boolean(),
  })
  .map(({ bodies, values, same, otherwise, fallback }) => {
    const value = (at: number): string => (same ? 'true' : values[at]!);
    return [
      'package t',
      ...(fallback ? ['default p := "none"'] : []),
      ...bodies.map(
        (each, at) =>
          `p := ${value(at)} if { ${each} }${otherwise[at] && !same ? ` else := ${at} if { input.a == "y" }` : ''}`,
      ),
      ...bodies.map((each, at) => `s contains ${values[at]} if { ${each} }`),
      ...bodies.map((each, at) => `o["k${at % 3}"] := ${value(at)} if { ${each} }`),
      ...bodies.map(
        (each, at) =>
          `f(x, ${CONSTANTS[at % 8]}) := ${value(at)} if { x == ${CONSTANTS[(at * 3) % 14]}; ${each} }`,
      ),
      'w := o',
      'g := [y | some k in ["x", "1", 1, true]; y := f(input.a, k)]',
    ].join('\n');
  });

test('selected rules give what all rules in a row give, and the interpreter', async () => {
  const inputs = fc.array(input, { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(policy, inputs, async (text, given) => {
      const files = [{ path: 't.rego', content: text }];
      const sources = { files, capabilities: everything, lenient: true };
      const { plan, errors } = compiler.plan({
        ...sources,
        entrypoints: ENTRYPOINTS,
        roots: ['t'],
      });
      assert.equal(errors, []);
      const of = (index: boolean): Promise<PlanUnderTest> =>
        PlanUnderTest.of(plan as unknown as IrPolicy, DATA, { index });
      const [indexed, plain] = [await of(true), await of(false)];
      const texts = given.map((each) => JSON.stringify(each));
      const asked = { ...sources, query: 'x = data.t.p', data: DATA, inputs: texts };
      const { replies } = compiler.answers(asked as never);
      given.forEach((each, at) => {
        const where = `${texts[at]}\n${text}`;
        for (const number of ENTRYPOINTS.keys())
          assert.equal(indexed.evaluate(each, number), plain.evaluate(each, number), where);
        const { results, code } = replies[at]!;
        const { value: found, failure } = indexed.evaluate(each);
        assert.equal(failure, code === 'eval_conflict_error' ? CONFLICT : undefined, where);
        if (failure === undefined) assert.equal(found, results?.[0]?.bindings.x, where);
      });
    }),
    { numRuns: 40 },
  );
});

test('equal plans give equal bytes', async () => {
  const content = `package t
    p := 1 if { input.a == "x" }
    ${['q', 'r', 's', 't', 'u'].map((name) => `p := 2 if { input.a == "${name}"; input.b == {"k": [1, 2]} }`).join('\n')}`;
  const sources = {
    files: [{ path: 't.rego', content }],
    capabilities: everything,
    entrypoints: ['t/p'],
    roots: ['t'],
  };
  const compile = async (): Promise<Uint8Array> => {
    const { plan } = compiler.plan(sources);
    return (await compilePlan(plan as unknown as IrPolicy, moduleBytes('engine'))).wasm!;
  };
  assert.equal(Buffer.from(await compile()), Buffer.from(await compile()));
});

test('six hundred rules run as few as match', async () => {
  const RULES = 620;
  const rules = Array.from(
    { length: RULES },
    (_, at) => `p contains ${at} if { input.a == "${at}"; input.b > 0 }`,
  );
  const sources = {
    files: [{ path: 't.rego', content: ['package t', ...rules].join('\n') }],
    capabilities: everything,
    entrypoints: ['t/p'],
    roots: ['t'],
  };
  const under = await PlanUnderTest.of(compiler.plan(sources).plan as unknown as IrPolicy);
  assert.equal(under.entrypoints(), ['t/p']);
  for (const at of [0, 1, 309, RULES - 1]) {
    assert.equal(under.evaluate({ a: `${at}`, b: 1 }), { value: { $set: [at] } });
    assert.equal(under.evaluate({ a: `${at}`, b: 0 }), { value: { $set: [] } });
  }
  assert.equal(under.evaluate({ a: `${RULES}`, b: 1 }), { value: { $set: [] } });
  assert.equal(under.evaluate({ b: 1 }), { value: { $set: [] } });
});

test('a function with many rules is divided, and its parts know of each other', async () => {
  const RULES = 100;
  const each = (rule: (at: number) => string): string[] =>
    Array.from({ length: RULES }, (_, at) => rule(at));
  const content = [
    'package t',
    'default any := false',
    ...each((at) => `any if { some x in input.list; x == ${at} }`),
    ...each((at) => `one := ${at} if { some x in input.list; x == ${at} }`),
    ...each((at) => `f(x) := ${at} if { some y in input.list; y == x + ${at} }`),
    ...each((at) => `all["k${at}"] := x if { some x in input.list; x == ${at} }`),
    'call := f(input.n)',
    'object := all',
  ].join('\n');
  const sources = { files: [{ path: 't.rego', content }], capabilities: everything, roots: ['t'] };
  const entrypoints = ['t/any', 't/one', 't/call', 't/object'];
  const { plan } = compiler.plan({ ...sources, entrypoints });
  const under = await PlanUnderTest.of(plan as unknown as IrPolicy);
  const all = (input: unknown): unknown[] =>
    entrypoints.map((_, at) => {
      const { value, failure } = under.evaluate(input, at);
      return failure ?? value;
    });
  assert.equal(all({ list: [], n: 0 }), [false, undefined, undefined, {}]);
  assert.equal(all({ list: [70], n: 5 }), [true, 70, 65, { k70: 70 }]);
  assert.equal(all({ list: [99], n: 0 }), [true, 99, 99, { k99: 99 }]);
  assert.equal(all({ list: [1, 99], n: 0 }), [true, CONFLICT, CONFLICT, { k1: 1, k99: 99 }]);
  assert.equal(all({ list: [3, 4], n: 4 }), [true, CONFLICT, 0, { k3: 3, k4: 4 }]);
});

test.run();
