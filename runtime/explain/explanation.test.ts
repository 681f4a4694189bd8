// What an explanation says of real decisions: the rule, its conditions, and the values they saw.
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPolicies } from '../bundle/compile.ts';
import { POLICIES } from '../bundle/testing.ts';
import type { JsonObject } from '../json.ts';
import { RegoCompiler, type RegoCondition, type RegoRuleTrace } from '../modules/rego.ts';
import { explainDecision } from './explanation.ts';
import { neededFor } from './needed.ts';
import { linesOf, textOf } from './text.ts';
import { rulesIn } from './tree.ts';
import { markUnknown } from './unknown.ts';
import { linesOfTest, viewOf } from './view.ts';

const compiler = await RegoCompiler.load();
const own = await readPolicies(POLICIES);
const agent = 'spiffe://platform.local/agent/acme/bot/main';
const operator = 'spiffe://platform.local/operator/local';
const data: JsonObject = {
  agents: { [agent]: { tenant: 'acme', resources: { mail: {} }, credentials: { mail: true } } },
  operators: { [operator]: { actions: { operate: true } } },
};
const use = (service: string): JsonObject => ({
  action: 'use',
  identity: { spiffe_id: agent },
  resource: { kind: 'credential', name: 'token', service, registered_by: operator },
});
const plain = stripVTControlCharacters;
const explain = (input: JsonObject, unknown: string[] = []) =>
  explainDecision(compiler, { sources: own, data, boundary: 'credential', input, unknown });

/** The first condition with this text, in the whole tree. */
function condition(tree: readonly RegoCondition[], text: string): RegoCondition {
  const all = [...tree, ...rulesIn(tree).flatMap(({ expressions = [] }) => expressions)];
  const found = all.find((each) => each.text === text);
  assert.ok(found, `no condition ${text}`);
  return found;
}

const ask = (content: string, query: string, more: JsonObject = {}, input?: JsonObject) =>
  compiler.explain({
    files: [{ path: 'a.rego', content }],
    capabilities: own.capabilities,
    data: more,
    query,
    ...(input === undefined ? {} : { input }),
  });

test('a denial names the rule that refused, what its conditions saw, and what permits nothing', () => {
  const explanation = explain(use('bank'));
  assert.is(explanation.rule, 'platform.credential.service_not_granted');
  assert.equal(
    explanation.why.map(({ title }) => title),
    ['Service is not granted'],
  );
  assert.ok(explanation.others.every(({ name }) => name === 'grants'));
  const text = plain(textOf(viewOf(explanation)));
  assert.match(text, /^deny platform\.credential\.service_not_granted\n/);
  assert.match(text, /✓ not service_granted\n +✗ The agent has a resource of the service/);
  assert.match(text, /✗ agent\.resources\[input\.resource\.service\] \(undefined\)/);
  assert.match(text, /input\.resource\.service = "bank"/);
  assert.not.match(text, /Everything that was evaluated/);
  assert.match(plain(textOf(viewOf(explanation), true)), /Everything that was evaluated/);
});

test('an allow names the rule that permitted, and all that could have refused', () => {
  const explanation = explain(use('mail'));
  assert.is(explanation.allow, true);
  assert.equal(
    explanation.why.map(({ title }) => title),
    ['Credential is granted'],
  );
  const reasons = own.files.find(({ path }) => path === 'credential/credential.rego')!.content;
  const count = reasons.match(/^reasons contains/gm)!.length;
  assert.is(explanation.others.length, count, 'rules that the index would skip are there too');
  assert.ok(explanation.others.every(({ outcome }) => outcome !== 'true'));
});

test('what is explained is what the interpreter decides, also without most of the sources', () => {
  for (const boundary of ['credential', 'console', 'tool']) {
    const query = `data.platform.${boundary}.decision`;
    const input = { ...use('mail'), context: { time: '2026-01-01T00:00:00.000Z' } };
    const { result } = compiler.eval({ ...own, data, query, input });
    const request = { sources: own, data, boundary, input };
    assert.equal(explainDecision(compiler, request).output, result[0]);
  }
  assert.ok(neededFor('credential', own.files).length < own.files.length / 2);
  const open = {
    path: 'operator/x.rego',
    content: 'package platform.tool.operator\nx := data[y]\n',
  };
  assert.ok(neededFor('tool', [...own.files, open]).some(({ path }) => path.startsWith('mesh/')));
});

test('numbers on both sides of a comparison are shown, under `not` too', () => {
  const content = `package p

over if not input.counters.a <= data.limits.a
`;
  const limits = { limits: { a: 120 } };
  const { tree, result } = ask(content, 'data.p.over', limits, { counters: { a: 121 } });
  assert.equal(result, [true]);
  const { values, outcome } = condition(tree, 'not input.counters.a <= data.limits.a');
  assert.is(outcome, 'true');
  assert.equal(values, { 'data.limits.a': '120', 'input.counters.a': '121' });
});

test('true, not true, undefined and not looked at are told apart', () => {
  const content = `package p

x if {
	input.a == 1
	input.b > 5
	input.c
}

y if {
	input.missing > 5
	input.a
}
`;
  const { tree } = ask(content, 'data.p.x', {}, { a: 1, b: 2 });
  const of = (text: string) => condition(tree, text).outcome;
  assert.equal(
    [of('input.a == 1'), of('input.b > 5'), of('input.c')],
    ['true', 'false', 'unreached'],
  );
  const missing = condition(ask(content, 'data.p.y', {}, { a: 1 }).tree, 'input.missing > 5');
  assert.is(missing.outcome, 'undefined');
  assert.is(missing.values?.['input.missing'], 'undefined');
});

test('a result that was kept is shown as such where it is used again', () => {
  const content = `package p

fact := input.a
one if fact == 1
two if fact == 2
both if { one; not two }
`;
  const { tree } = ask(content, 'data.p.both', {}, { a: 1 });
  const facts: RegoRuleTrace[] = [];
  const visit = (conditions: readonly RegoCondition[]): void => {
    for (const { rules = [] } of conditions) {
      for (const rule of rules) {
        if (rule.name === 'fact') facts.push(rule);
        visit(rule.expressions ?? []);
      }
    }
  };
  visit(tree);
  assert.equal(
    facts.map(({ repeated, value }) => [repeated ?? false, value]),
    [
      [false, '1'],
      [true, '1'],
    ],
  );
});

test('of `every` the element is shown that did not hold, of a comprehension only what it gave', () => {
  const content = `package p

x if {
	every n in input.list { n < 3 }
}
y if count([n | some n in input.list; n > 9]) > 0
`;
  const { tree } = ask(content, 'data.p.x', {}, { list: [1, 7, 2] });
  const every = condition(tree, 'every n in input.list { n < 3 }');
  assert.is(every.outcome, 'false');
  assert.equal(
    every.inner?.map(({ text, outcome, values }) => [text, outcome, values]),
    [['n < 3', 'false', { n: '7' }]],
  );
  const none = ask(content, 'data.p.y', {}, { list: [1] }).tree;
  const all = condition(none, 'count([n | some n in input.list; n > 9]) > 0');
  assert.is(all.outcome, 'false');
  assert.equal(all.inner ?? [], []);
});

test('a large evaluation is refused, a wide one is cut, and long values are shortened', () => {
  const loop = `package p

x if { some a in data.l; some b in data.l; some c in data.l; a + b + c == -1 }
`;
  const list = Array.from({ length: 120 }, (_, index) => index);
  const { errors } = ask(loop, 'data.p.x', { l: list });
  assert.is(errors[0]?.code, 'explain_too_large');
  const wide = `package p

f(n) if { n > 5; input.text == "x" }
x if { some n in data.l; f(n) }
`;
  const { tree } = ask(wide, 'data.p.x', { l: list }, { text: 'y'.repeat(10_000) });
  assert.ok(JSON.stringify(tree).length < 8_000);
  assert.ok((condition(tree, 'input.text == "x"').values?.['input.text']?.length ?? 0) < 300);
});

test('a failed test ends at the condition that was not true, with the rules that gave', () => {
  const files = [
    { path: 'a.rego', content: 'package p\n\nbad contains "late" if input.hour > 20\n' },
    {
      path: 'a_test.rego',
      content: `package p_test

test_late if {
	found := data.p.bad with input as {"hour": 22}
	found == {"early"}
}
`,
    },
  ];
  const [outcome] = compiler.test({ files, capabilities: own.capabilities }).tests;
  const shown = plain(linesOf(linesOfTest(outcome!.trace!), false).join('\n'));
  assert.match(shown, /✓ found := .*\n +found = {"late"}\n +✓ bad a\.rego:3/);
  assert.match(shown, /✗ found == {"early"}\n +found = {"late"}$/);
});

test('what depends on a committed member is unknown, never said to hold or not to hold', () => {
  const explanation = explain(use('bank'), ['resource']);
  assert.equal(explanation.unknown, ['resource']);
  assert.match(plain(textOf(viewOf(explanation))), /input\.resource is committed/);
  const all = rulesIn(explanation.tree).flatMap(({ expressions = [] }) => expressions);
  const reading = all.filter(({ text }) => text.includes('input.resource'));
  assert.ok(reading.length > 1);
  for (const { text, outcome } of reading) {
    assert.ok(outcome === 'unknown' || outcome === 'unreached', `${text} is ${outcome}`);
  }
  const granted = all.find(({ text }) => text === 'not service_granted');
  assert.ok(granted?.outcome !== 'true' && granted?.outcome !== 'false');
});

test('however a member is named, a condition that reads it is unknown', () => {
  const written = fc.constantFrom(
    'input.x',
    'input["x"]',
    'input.x.y',
    'f(input.x)',
    'input',
    'input[k]',
  );
  const around = fc.constantFrom('', ' == 1', ' in data.l', ', y) > 3');
  fc.assert(
    fc.property(
      written,
      around,
      fc.constantFrom('true', 'false', 'undefined'),
      (read, rest, was) => {
        const given = { text: `${read}${rest}`, row: 1, outcome: was as 'true' };
        assert.is(markUnknown([given], ['x'])[0]?.outcome, 'unknown');
        const rules = [{ name: 'r', path: 'data.p.r', kind: 'rule' as const, file: 'a', row: 1 }];
        const above = { text: 'r', row: 2, outcome: was as 'true' };
        const tree = [
          { ...above, rules: [{ ...rules[0]!, outcome: was as 'true', expressions: [given] }] },
        ];
        assert.is(markUnknown(tree, ['x'])[0]?.outcome, 'unknown');
      },
    ),
  );
  const other = { text: 'input.xy == input.y', row: 1, outcome: 'true' as const };
  assert.is(markUnknown([other], ['x'])[0]?.outcome, 'true');
});

test.run();
