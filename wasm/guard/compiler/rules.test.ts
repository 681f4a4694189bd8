// Compiles rules: what is proved of their keywords, what is refused and how, and guards with rules of users.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard } from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { keywordBytes } from './automaton.ts';
import { keywordReach } from './automaton-keywords.ts';
import { compileGuard } from './link.ts';
import { compileTree } from './program.ts';
import { parsePattern } from './re2.ts';
import { RuleError } from './rules-error.ts';
import { packRules } from './rules-pack.ts';
import { readRules } from './rules-read.ts';
import { planRules, shippedRules } from './rules-section.ts';

const reach = (pattern: string, ...keywords: string[]) =>
  keywordReach(compileTree(parsePattern(pattern).tree), keywords.map(keywordBytes));

test('proves that every match holds a keyword, and how far from its beginning one ends', () => {
  assert.equal(reach('ghp_[a-z]{4}', 'ghp_'), { least: 4, most: 4 });
  assert.equal(reach('[a-z]{0,5}ghp_', 'ghp_'), { least: 4, most: 9 });
  assert.equal(reach('(?:foo|(?i)BAR)=', 'foo', 'bar'), { least: 3, most: 3 });
  assert.equal(reach('[fg]oo|xfoo', 'foo', 'goo'), { least: 3, most: 4 });
  assert.equal(reach('.*foo', 'foo'), { least: 3, most: Number.POSITIVE_INFINITY });
  assert.equal(reach('a(?:bc|bcd)d', 'bcd'), { least: 4, most: 4 });
  // A case-insensitive s is also U+017F, of two bytes, and k is the sign of Kelvin, of three.
  assert.equal(reach('(?i)sky', 'sky'), { least: 3, most: 6 });
  assert.equal(reach('пароль', 'парол'), { least: 10, most: 10 });
});

test('takes nothing for proved that is not', () => {
  assert.is(reach('gh[ps]_', 'ghp_'), undefined);
  assert.is(reach('(?:foo)?bar', 'foo'), undefined);
  assert.is(reach('foo|ba', 'foo'), undefined);
  assert.is(reach('fo+', 'foo'), undefined);
  assert.is(reach('[^a]oo', 'foo'), undefined);
  assert.is(reach('(?i)é', 'foo'), undefined);
});

const rule = (members: string) => `set: secrets\nrules:\n  - id: one\n    ${members}`;
const refused: Record<string, [text: string, message: string]> = {
  'no YAML': ['a: [', 'rules.yaml:1:5: is no YAML'],
  'no mapping': ['', 'rules.yaml:1:1: the file has to be a mapping of set, rules, allow'],
  'another set': ['set: other\nrules: []', 'rules.yaml:1:6: set is one of secrets, injection'],
  'an unknown member': [rule('patern: abc'), 'rules.yaml:4:5: a rule has no member patern'],
  'no pattern': [rule('max: 3'), 'rules.yaml:3:5: the rule one needs the member pattern'],
  'an open group': [rule("pattern: 'a('"), 'rules.yaml:4:14: pattern is no RE2 pattern'],
  'look-around': [rule("pattern: 'a(?=b)'"), 'look-around is not supported'],
  'a back-reference': [rule("pattern: '(a)\\1'"), 'rules.yaml:4:14: pattern is no RE2 pattern'],
  'an empty match': [rule("pattern: 'a*'\n    max: 4"), 'matches nothing at all'],
  'no bound': [rule("pattern: 'a+'"), 'say max, the most bytes of a match'],
  'a bound below all matches': [rule("pattern: 'abc'\n    max: 2"), 'max is 2, but the shortest'],
  'too many states': [rule("pattern: '\\pL{900}'"), 'unfold to more than 12000'],
  'an unknown check': [rule("pattern: 'abc'\n    check: no_such"), 'there is no check no_such'],
  'a short keyword': [rule("pattern: 'abc'\n    keywords: [ab]"), 'a keyword has 3 to 64 bytes'],
  'an entropy out of range': [rule("pattern: 'abc'\n    entropy: 9"), 'a number from 0 to 8'],
  'an id twice': [
    `${rule("pattern: 'abc'")}\n  - id: one\n    pattern: 'abd'`,
    'two rules have the id one',
  ],
  'a wrong allow-list': [
    rule("pattern: 'abc'\n    allow: ['[']"),
    'rules.yaml:5:13: allow is no RE2',
  ],
};

for (const [what, [text, message]] of Object.entries(refused)) {
  test(`refuses ${what}, and says where`, () => {
    try {
      packRules(readRules([{ file: 'rules.yaml', text }]));
      assert.unreachable('the rules were taken');
    } catch (error) {
      assert.instance(error, RuleError);
      assert.is((error as RuleError).code, 'rule_invalid');
      assert.ok((error as RuleError).message.includes(message), (error as RuleError).message);
    }
  });
}

test('makes a guard with rules of users, metered as the shipped one', () => {
  const shipped = moduleBytes('guard');
  const text = rule("pattern: '\\bacme-[0-9]{6}\\b'\n    keywords: [acme-]\n    allow: ['0{6}']");
  const wasm = compileGuard([{ file: 'own.yaml', text }]);
  assert.ok(Buffer.from(compileGuard([{ file: 'own.yaml', text }])).equals(wasm));
  const names = WebAssembly.Module.exports(new WebAssembly.Module(wasm)).map(({ name }) => name);
  assert.ok(names.includes('platform_steps'));
  const request = {
    direction: 'input',
    scanners: ['Secrets'],
    text: 'acme-123456 acme-000000',
  } as const;
  assert.equal(Guard.create(shipped).scan(request).findings, []);
  assert.equal(Guard.create(wasm).scan(request).findings, [
    { scanner: 'Secrets', kind: 'one', score: 1000, start: 0, end: 11 },
  ]);
});

test('what a file without rules allows is found by no rule of the set', () => {
  const text = 'acme-123456 acme-000000';
  const own = { file: 'own.yaml', text: rule("pattern: 'acme-[0-9]{6}'") };
  const starts = (...lists: string[]) => {
    const sources = [own, ...lists.map((list) => ({ file: 'list.yaml', text: list }))];
    const guard = Guard.create(compileGuard(sources, { shipped: false }));
    return guard
      .scan({ direction: 'input', scanners: ['Secrets'], text })
      .findings.map(({ start }) => start);
  };
  assert.equal(starts(), [0, 12]);
  assert.equal(starts("set: secrets\nallow: ['^acme-1']"), [12]);
  assert.equal(starts("set: injection\nallow: ['^acme-1']"), [0, 12]);
  const others = `${rule("pattern: 'abc'").replace('one', 'two')}\nallow: ['^acme-1']`;
  assert.equal(starts(others), [0, 12]);
});

test('a placeholder excuses what has it near the beginning, and anything that a generic rule finds', () => {
  const found = (members: string, text: string) => {
    const rules = `${rule(`pattern: 'acme-[0-9a-z]{8,}'\n    max: 99${members}`)}\nplaceholders: [sample]`;
    const guard = Guard.create(
      compileGuard([{ file: 'own.yaml', text: rules }], { shipped: false }),
    );
    return guard.scan({ direction: 'input', scanners: ['Secrets'], text }).findings.length;
  };
  assert.is(found('', 'acme-sample12'), 0);
  assert.is(found('', 'acme-12345678sample'), 1);
  assert.is(found('\n    generic: true', 'acme-12345678sample'), 0);
});

test('scans the whole text for few of the shipped rules for credentials', () => {
  const plans = planRules(shippedRules()).filter(({ rule: { set } }) => set === 'secrets');
  const whole = plans.filter(({ isWhole }) => isWhole).map(({ rule: { id } }) => id);
  assert.ok(plans.length >= 200, `${plans.length} rules`);
  assert.ok(whole.length <= 5, whole.join(' '));
});

test.run();
