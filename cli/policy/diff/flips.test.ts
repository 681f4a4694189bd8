// What counts as a widening, how flips are named, and which of them a file accepts.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import { type AcceptedFlip, acceptance, type BoundFlip, parseAccepted } from './accepted.ts';
import { type FlipGroup, Flips, flipName } from './flips.ts';
import { flipOf, type Verdict, WIDENING } from './judge.ts';

const verdict = (allow: boolean, obligations: JsonObject[] = [], rule = 'r'): Verdict => ({
  ...{ allow, rule, obligations, reasons: '', controls: '' },
  asks: !allow && obligations.some(({ kind }) => kind === 'require_approval'),
});
const ask = { kind: 'require_approval', question: '?' };
const rate = (limit: number) => ({ kind: 'rate', limit, window_seconds: 60, per: 'agent' });

test('a verdict, a question and an obligation can each be lost', () => {
  assert.is(flipOf(verdict(false), verdict(true)), 'deny_to_allow');
  assert.is(flipOf(verdict(false, [ask]), verdict(true)), 'deny_to_allow');
  assert.is(flipOf(verdict(false), verdict(false, [ask])), 'deny_to_ask');
  assert.is(flipOf(verdict(false, [ask]), verdict(false)), 'obligations_changed');
  assert.is(flipOf(verdict(true), verdict(false, [ask])), 'allow_to_deny');
  assert.is(flipOf(verdict(true, [rate(5)]), verdict(true)), 'obligation_lost');
  assert.is(flipOf(verdict(true, [rate(5)]), verdict(true, [rate(6)])), 'obligation_lost');
  assert.is(flipOf(verdict(true, [rate(5)]), verdict(true, [rate(4)])), 'obligations_changed');
  const other = { ...rate(5), per: 'tenant' };
  assert.is(flipOf(verdict(true, [rate(5)]), verdict(true, [other])), 'obligation_lost');
  const redact = (...paths: string[]) => ({ kind: 'redact', paths });
  const less = [verdict(true, [redact('/a', '/b')]), verdict(true, [redact('/a')])] as const;
  assert.is(flipOf(...less), 'obligation_lost');
  assert.is(flipOf(less[1], less[0]), 'obligations_changed');
  assert.is(flipOf(verdict(true), verdict(true, [], 's')), 'reason_changed');
  assert.is(flipOf(verdict(true, [ask]), verdict(true, [ask])), undefined);
});

const change = '0123456789abcdef';
const group = (over: Partial<FlipGroup> = {}): BoundFlip => {
  const {
    boundary = 'tool',
    kind = 'deny_to_allow',
    from = 'platform.tool.a',
    to = 'platform.tool.b',
  } = over;
  const answer = { allow: true, rule: '', obligations: [] };
  const example = { input: '{"a":1}', old: answer, now: answer };
  const name = flipName(boundary, kind, from, to);
  return {
    ...{ name, boundary, kind, from, to, generated: 1, recorded: 0, change, example },
    ...over,
  };
};
const entry = (over: Partial<AcceptedFlip> = {}): AcceptedFlip => {
  const { name, boundary, from, to } = group();
  return { name, boundary, from, to, change, why: 'wanted', ...over };
};

test('a name says boundary and rules, and holds nothing that could steer a terminal', () => {
  assert.is(group().name, 'tool:a:b');
  assert.is(
    flipName('tool', 'obligation_lost', 'platform.tool.a', 'platform.tool.a'),
    'tool:a:a:obligation_lost',
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (rule) => {
      assert.match(flipName('tool', 'deny_to_allow', rule, 'x'), /^tool:[A-Za-z0-9._-]*:x$/);
    }),
  );
});

test('the smallest example is kept, and groups are bounded', () => {
  const flips = new Flips();
  const example = group().example;
  flips.add(group({ example: { ...example, input: '{"a":22}' } }));
  flips.add(group({ example: { ...example, input: '{"a":3}' } }));
  flips.add(group({ example: { ...example, input: '{"b":44}' } }));
  assert.equal(
    [...flips.groups.values()].map((each) => [each.generated, each.example.input]),
    [[3, '{"a":3}']],
  );
  for (let at = 0; at < 600; at++) flips.add(group({ from: `r${at}`, name: `tool:r${at}:b` }));
  assert.is(flips.groups.size, 501);
  const { refused } = acceptance(
    [...flips.groups.values()].map((each) => ({ ...each, change })),
    [entry({ name: 'tool:others:deny_to_allow' })],
    '2026-01-01',
  );
  assert.ok(
    refused.some(({ name }) => name === 'tool:others:deny_to_allow'),
    'the rest cannot be accepted',
  );
});

test('only an entry that is right in every member and in time accepts', () => {
  const today = '2026-06-15';
  assert.equal(acceptance([group()], [entry()], today).refused, []);
  assert.equal(acceptance([group()], [entry({ expires: today })], today).refused, []);
  const late = acceptance([group()], [entry({ expires: '2026-06-14' })], today);
  assert.equal([late.refused.length, late.expired.length, late.stale.length], [1, 1, 0]);
  for (const wrong of [
    { boundary: 'mesh' },
    { from: 'platform.tool.x' },
    { to: 'x' },
    { name: 'tool:a:c' },
    { change: 'fedcba9876543210' },
  ]) {
    const found = acceptance([group()], [entry(wrong)], today);
    assert.equal([found.refused.length, found.stale.length], [1, 1], JSON.stringify(wrong));
  }
  const narrowing = acceptance([group({ kind: 'allow_to_deny' })], [entry()], today);
  assert.equal([narrowing.refused.length, narrowing.stale.length], [0, 1]);
  assert.ok(!WIDENING.has('allow_to_deny'));
});

test('a file of another form is refused, naming the entry', () => {
  const parse = (value: unknown) => parseAccepted(JSON.stringify(value), 'f.json');
  assert.equal(parse({ accepted: [entry()] }), [entry()]);
  const bad: [unknown, RegExp][] = [
    [[], /one member "accepted"/],
    [{ accepted: [], more: 1 }, /one member/],
    [{ accepted: [{ ...entry(), why: ' ' }] }, /entry 1: why is missing/],
    [{ accepted: [entry(), { ...entry(), name: undefined }] }, /entry 2: name is missing/],
    [{ accepted: [{ ...entry(), change: undefined }] }, /entry 1: change is missing/],
    [{ accepted: [{ ...entry(), until: 'x' }] }, /unknown member "until"/],
    [{ accepted: [entry({ expires: '2026-02-30' })] }, /expires is a day/],
    [{ accepted: [entry(), entry()] }, /two entries named/],
  ];
  for (const [value, message] of bad) {
    assert.throws(
      () => parse(value),
      (error: unknown) => error instanceof PlatformError && message.test(error.message),
    );
  }
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      try {
        assert.ok(Array.isArray(parseAccepted(text, 'f')));
      } catch (error) {
        assert.instance(error, PlatformError);
      }
    }),
  );
});

test.run();
