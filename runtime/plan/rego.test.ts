// Policies with what is hard to keep, compiled and asked as OPA's interpreter is: documents that are
// replaced, one value for each rule, errors of built-ins, and rules that are found at run time.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonValue } from '../json.ts';
import { RegoCompiler } from '../modules/rego.ts';
import type { IrPolicy } from './ir.ts';
import { type Answer, PlanUnderTest } from './testing.ts';

const compiler = await RegoCompiler.load();
const everything = undefined as never;
/** Failures of the engine (wasm/engine/failure.ts) by OPA's codes. */
const FAILURES: Readonly<Record<string, number>> = {
  eval_builtin_error: 1,
  eval_type_error: 2,
  eval_conflict_error: 3,
};

/** Asks for all of `data.t`, compiled and with the interpreter. */
async function agree(
  text: string,
  inputs: JsonValue[],
  { data = {}, strict = false }: { data?: JsonValue; strict?: boolean } = {},
): Promise<Answer[]> {
  const files = [{ path: 't.rego', content: `package t\n${text}` }];
  const query = 'x = data.t';
  const sources = { files, capabilities: everything, query, lenient: true };
  const { plan, errors } = compiler.plan(sources);
  assert.equal(errors, []);
  const options = { bindings: true, strict };
  const compiled = await PlanUnderTest.of(plan as unknown as IrPolicy, data, options);
  const texts = inputs.map((input) => JSON.stringify(input));
  const { replies } = compiler.answers({ ...sources, data, strict, inputs: texts } as never);
  return inputs.map((input, at) => {
    const answer = plain(compiled.evaluate(input)) as Answer;
    const { code, results } = replies[at]!;
    const expected =
      code === undefined
        ? { value: { $set: (results ?? []).map(({ bindings }) => bindings) } }
        : { failure: FAILURES[code] };
    assert.equal(answer, plain(expected), JSON.stringify(input));
    return answer;
  });
}

/** Keys that are no strings as their JSON, as the interpreter's answers have them, and numbers by value. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { $object: entries, $number } = value as {
    $object?: [unknown, unknown][];
    $number?: string;
  };
  if ($number !== undefined) return Number($number);
  const members = entries?.map(([key, member]) => [
    typeof key === 'string' ? key : JSON.stringify(key),
    member,
  ]);
  const all = members ?? Object.entries(value);
  return Object.fromEntries(all.map(([key, member]) => [key, plain(member)]));
}

/** The value of one rule in an answer. */
function rule(answer: Answer, name: string): unknown {
  const { $set } = answer.value as { $set: { x: Record<string, unknown> }[] };
  return $set[0]?.x[name];
}

test('a result is remembered, but not across a replaced document', async () => {
  const [answer] = await agree(
    `n := input.n
    m := n + 1
    before := m
    replaced := x if { x := m with input.n as 10 }
    nested := [x, y, z] if { x := m with input as {"n": 5}; y := m with input.n as 7; z := m }
    inside := x if { x := nested with input.n as 20 }
    undefined_inside if { not m with input as {} }
    after := m`,
    [{ n: 1 }, {}, { n: 'x' }],
  );
  assert.is(rule(answer!, 'replaced'), 11);
  assert.equal(rule(answer!, 'nested'), [6, 8, 2]);
  assert.is(rule(answer!, 'after'), 2);
});

test('a document is replaced below a path, where objects are made as needed', async () => {
  await agree(
    `a := input
    deep := x if { x := a with input.u.v.w as 1 }
    scalar := x if { x := a with input.s.t as 1 }
    d := data.kept
    of_data := x if { x := d with data.kept.more as {1, 2} }
    all_data := x if { x := d with data.kept as "other" }
    other := y if { y := data.kept.list[1] with data.kept.list as ["p", "q"] }
    both := [x, y] if { x := d with data.kept as 1 with input as 2; y := a with data.kept as 1 with input as 2 }`,
    [{}, { u: 1 }, { u: { v: { x: 1 } }, s: 'text' }],
    { data: { kept: { a: 1, list: [1, 2] } } },
  );
});

test('functions and built-ins are replaced', async () => {
  await agree(
    `f(x) := x * 2
    g(x) := x + 100
    uses := f(input.n)
    by_function := y if { y := uses with f as g }
    by_value := y if { y := uses with f as 7 }
    counted := count(input.list)
    by_builtin := y if { y := counted with count as sum }
    h(_) := 9
    by_rule := y if { y := counted with count as h }
    fixed := y if { y := counted with count as 3 }
    from_loop := {y | some v in [1, 2]; y := uses with f as v}`,
    [{ n: 2, list: [4, 5] }, {}],
  );
});

test('rules that disagree are a conflict, rules that agree are not', async () => {
  const text = `p := input.a
    p := input.b
    q := {"k": v | some v in input.list}
    o[x] := y if { some x, y in input.pairs }
    o[x] := 1 if { some x in input.ones }
    f(x) := 1 if { x > 0 }
    f(x) := 2 if { x > 1 }
    r := f(input.n)
    same if { input.n > 0 }
    same if { input.n > 1 }`;
  const failures = await agree(text, [
    { a: 1, b: 1 },
    { a: 1, b: 2 },
    { list: [1, 1] },
    { list: [1, 2] },
    { pairs: { a: 1 }, ones: ['a'] },
    { pairs: { a: 2 }, ones: ['a'] },
    { n: 1 },
    { n: 2 },
  ]);
  assert.is(failures.filter(({ failure }) => failure !== undefined).length, 4);
});

test('an error of a built-in is undefined, or the end when errors are strict', async () => {
  const text = `bad := to_number(input.text)
    unless if { not to_number(input.text) }
    kept contains x if { some t in input.list; x := to_number(t) }`;
  const inputs: JsonValue[] = [
    { text: '1' },
    { text: 'x' },
    { list: ['1', 'y', '2'] },
    { text: [] },
  ];
  await agree(text, inputs);
  const strict = await agree(text, inputs, { strict: true });
  assert.ok(strict.some(({ failure }) => failure === FAILURES.eval_builtin_error));
});

test('ordered rules, defaults and partial rules', async () => {
  await agree(
    `default d := "none"
    d := "a" if { input.k == "a" }
    e := 1 if { input.k == "a" } else := 2 if { input.k == "b" } else := 3
    f(x) := "one" if { x == 1 } else := "text" if { is_string(x) }
    calls := [y | some x in [1, "t", null]; y := f(x)]
    s contains x if { some x in input.list }
    s contains "always"
    o[k] contains v if { some k, v in input.pairs }
    deep.er[k] := v if { some k, v in input.pairs }
    deep.fixed := 1
    everyone if { every x in input.list { x > 1 } }
    some_not if { not everyone }
    negated if { not input.k }
    pattern := [a, b] if { [a, {"b": b}, 3] = input.list }
    either := input.list[_]`,
    [
      {},
      { k: 'a', list: [2, 2] },
      { k: 'b', list: [1, { b: 2 }, 3] },
      { list: { x: 4 }, pairs: { b: 1, a: [1] } },
      { k: false, list: 'text', pairs: [5, 5] },
    ],
  );
});

test('rules are found at run time, beside documents of the same name', async () => {
  await agree(
    `import data.rules
    names := ["one", "two", "plain", "none"]
    found := {n: v | some n in names; v := data.places[n].allow}
    by_input := data.places[input.n]
    by_number := [data.numbered[7], data.numbered[input.n]]
    kept := x if { all := data.numbered; x := all[7] }
    p := data.places`,
    [{ n: 'one' }, { n: 'plain' }, { n: 7 }, {}],
    { data: { numbered: { 7: 'seven' }, places: { plain: { allow: 1 }, one: { base: true } } } },
  );
});

test('elements are found by whole numbers as they are written, and in the data by their text', async () => {
  const policy = `
    kept contains x if { some t in ["1", "1.0", "1e0", "-0", "2"]; x := [[10, 20][json.unmarshal(t)], t] }
    stored contains x if { some t in ["1", "1.0", "1e0", "-0", "2"]; x := [data.list[json.unmarshal(t)], t] }
    asked := data.list[input]
    inner := data.map.list[input]
    given := [10, 20][input]`;
  const inputs = ['0', '1', '01', '+1', '-0', '1.0', '2', '-1', '', 'x', 0, 1, 2, -1, 0.5, null];
  await agree(policy, inputs, { data: { list: [1, 2], map: { list: [3, 4] } } });
});

test('numbers, texts and sets that are constants of the policy', async () => {
  await agree(
    `n := [1, 1.0, 1e3, -0.5]
    same := [1 == 1.0, input.n == 1, input.big == 123456789012345678901234567890]
    o := {"a": {1, 2, {"x"}}, null: true, [1]: "key"}
    member := [x | some x in [1, "a", {"x"}]; x in {1, {"x"}, "b"}]
    compared := [input.n < 2, "a" < input.s, input.n <= "a", {1} > {1, 2}]
    kind := [is_string(input.s), is_number(input.n), is_null(input.z), is_set({1}), is_boolean(input.t)]`,
    [
      { n: 1, s: 'b', z: null, t: false },
      { n: 1.0, s: '', big: 5 },
      { n: 3, s: 1, z: 0, t: 0 },
    ],
  );
});

test.run();
