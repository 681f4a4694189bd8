// What an audit counts: the same whatever the order, in memory that has a bound.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Boundary } from '../../decide/boundary.ts';
import { decodeRow, encodeRow } from '../row.ts';
import { decision, draft, record } from '../testing/drafts.ts';
import { Conduct } from './conduct.ts';
import { Recent } from './recent.ts';
import { type RecordedRow, readRow } from './recorded.ts';
import { Tally } from './tally.ts';
import { BUCKETS_MAX, OTHER_NAMES, Timeline } from './timeline.ts';

const times = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 3_600_000 }),
    fc.integer({ min: -1e13, max: 1e14 }),
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
  ),
  { minLength: 1, maxLength: 60 },
);

test('a timeline loses nothing, is in order, and is never over its bound', () => {
  fc.assert(
    fc.property(times, fc.nat(59), (all, split) => {
      let timeline = new Timeline();
      for (const [index, time] of all.entries()) {
        if (index === split) timeline = new Timeline(JSON.parse(JSON.stringify(timeline.state())));
        const { byBoundary } = timeline.at(time);
        const answers = byBoundary.get('tool') ?? { allowed: 0, denied: 0 };
        answers.allowed++;
        byBoundary.set('tool', answers);
        timeline.at(time).diverged++;
      }
      const buckets = timeline.buckets();
      assert.ok(buckets.length <= BUCKETS_MAX, `${buckets.length} parts`);
      const { widthMs } = timeline;
      const expected = new Map<number, number>();
      const first = Math.floor(Math.min(...all) / widthMs) * widthMs;
      for (const time of all) {
        const at = Math.floor((time - first) / widthMs);
        expected.set(at, (expected.get(at) ?? 0) + 1);
      }
      for (const [index, { start, byBoundary, diverged }] of buckets.entries()) {
        assert.is(Date.parse(start), Math.max(first + index * widthMs, -8.64e15));
        assert.is(diverged, expected.get(index) ?? 0);
        assert.is(byBoundary.tool?.allowed ?? 0, expected.get(index) ?? 0);
      }
      assert.is(
        [...expected.keys()].every((index) => index < buckets.length),
        true,
      );
    }),
    { numRuns: 300 },
  );
});

const reproduced = { verdict: 'reproduced', why: '' } as const;
const rowOf = (number: number, name: string): RecordedRow => {
  const output = { allow: number % 2 === 0, rule: name };
  const decisions = [decision(output, { boundary: name as Boundary })];
  return readRow(encodeRow(draft({ controls: [name], decisions }), 'log', number, record));
};

test('names that a forger makes up are counted together from a number on', () => {
  const tally = new Tally();
  for (let number = 0; number < 3000; number++) {
    const why = { verdict: 'undetermined', why: `reason ${number}` } as const;
    tally.add(rowOf(number, `name-${number}`), [why]);
  }
  const { controls, boundaries, rules, undetermined, rows } = tally;
  assert.is(rows, 3000);
  for (const counts of [controls, undetermined]) {
    assert.is(counts.size, 1001);
    assert.is(counts.get(OTHER_NAMES), 2000);
  }
  for (const answers of [boundaries, rules]) {
    assert.is(answers.size, 1001);
    assert.equal(answers.get(OTHER_NAMES), { allowed: 1000, denied: 1000 });
  }
  tally.add(rowOf(0, '__proto__'), [reproduced]);
  const lie = { verdict: 'diverged', why: 'another output' } as const;
  for (let number = 0; number < 300; number++) tally.add(rowOf(number, 'x'), [lie]);
  assert.is(tally.diverged.length, 100);
  assert.is(tally.divergedCount, 300);
  assert.equal(new Tally(JSON.parse(JSON.stringify(tally.state()))).state(), tally.state());
});

test('names as long as a row are remembered by their beginning, and boundaries of one time by the first few', () => {
  const tally = new Tally();
  const long = (number: number) => `${number} ${'x'.repeat(100_000)}`;
  for (let number = 0; number < 30; number++) {
    const why = { verdict: 'undetermined', why: `no ${long(number)}` } as const;
    tally.add(rowOf(number, long(number)), [why]);
  }
  assert.is(tally.boundaries.size, 30);
  assert.ok(JSON.stringify(tally.state()).length < 100_000);

  const timeline = new Timeline();
  const minute = 60_000;
  for (let number = 0; number < 5000; number++) {
    timeline.answers(number * minute, `name-${number}`).denied++;
  }
  const parts = timeline.buckets().map(({ byBoundary }) => Object.values(byBoundary));
  assert.is(
    parts.flat().reduce((sum, { denied }) => sum + denied, 0),
    5000,
  );
  assert.ok(parts.every((names) => names.length <= 65));
  timeline.answers(1e15, 'much later').allowed++;
  assert.ok(timeline.buckets().every(({ byBoundary }) => Object.keys(byBoundary).length <= 65));
});

test('actions of any length are joined, and remembered in little', () => {
  const conduct = new Conduct();
  const judge = (kind: 'intent' | 'outcome', action: string) => {
    const row = draft({ kind, action, ...(kind === 'outcome' && { outcome: 'error' as const }) });
    return conduct.check(decodeRow(encodeRow(row, 'log', 0, record)))?.why;
  };
  const [one, other] = ['1', '2'].map((end) => 'a'.repeat(100_000) + end) as [string, string];
  judge('intent', one);
  assert.ok(JSON.stringify(conduct.state()).length < 1000);
  assert.is(judge('outcome', other), 'no intent of this action is open before it');
  assert.is(judge('intent', one), 'another intent of this action is still open');
  assert.is(judge('outcome', one), undefined);
});

test('too many open intents are forgotten from the oldest on, and nothing is said for sure of them', () => {
  const conduct = new Conduct(true, undefined, 3);
  const judge = (kind: 'intent' | 'outcome', action: string) => {
    const row = draft({ kind, action, ...(kind === 'outcome' && { outcome: 'error' as const }) });
    return conduct.check(decodeRow(encodeRow(row, 'log', 0, record)))?.verdict;
  };
  for (const action of ['a', 'b', 'c']) judge('intent', action);
  assert.is(conduct.forgotten, 0);
  assert.is(judge('outcome', 'x'), 'diverged', 'all intents are known');
  judge('intent', 'd');
  assert.is(conduct.forgotten, 1);
  assert.is(conduct.openIntents, 3);
  assert.is(judge('outcome', 'a'), 'undetermined');
  assert.is(judge('outcome', 'b'), undefined);
  const again = new Conduct(true, JSON.parse(JSON.stringify(conduct.state())), 3);
  assert.is(again.forgotten, 1);
  assert.is(again.openIntents, 2);
});

test('of remembered values the one that was not asked for longest gives way', () => {
  const recent = new Recent<number>(2);
  let made = 0;
  const get = (name: string) => recent.get(name, () => ++made);
  assert.equal([get('a'), get('b'), get('a'), get('c'), get('a'), get('b')], [1, 2, 1, 3, 1, 4]);
});

test.run();
