// Tests of the PII scanner on text that comes in pieces: whatever the pieces, the findings are those of the whole.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GuardFinding } from '../../../runtime/modules/guard.ts';
import { hostile } from './hostile.ts';
import { guard } from './testing.ts';

const options = { direction: 'output', scanners: ['PII'] } as const;

/** Also what is only suspected is compared. */
const all = { ...options, thresholds: { PII: 1 } };

/** The findings of all pieces; none may begin before what was released when it was pushed. */
function inPieces(pieces: readonly string[]): { findings: GuardFinding[]; score: number } {
  const stream = guard.stream(all);
  const findings: GuardFinding[] = [];
  let released = 0;
  let score = 0;
  for (const [index, piece] of pieces.entries()) {
    const answer = stream.push(piece, index === pieces.length - 1);
    for (const { start } of answer.findings) assert.ok(start >= released, `${start} < ${released}`);
    assert.ok(answer.released >= released);
    released = answer.released;
    score = answer.scores.PII ?? 0;
    findings.push(...answer.findings);
  }
  const order = (a: GuardFinding, b: GuardFinding) =>
    a.start - b.start || a.end - b.end || (a.kind < b.kind ? -1 : 1);
  return { findings: findings.sort(order), score };
}

/** Cuts a text at the places given as fractions of 1000. */
function cut(text: string, places: readonly number[]): string[] {
  const at = places.map((place) => Math.floor((place * text.length) / 1000)).sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

const places = fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 });

test('any split of hostile text gives the findings of the whole', () => {
  fc.assert(
    fc.property(hostile(30), places, (text, cuts) => {
      const whole = guard.scan({ ...all, text });
      fc.pre(!whole.truncated);
      const split = inPieces(cut(text, cuts));
      assert.equal(split.findings, whole.findings);
      assert.is(split.score, whole.scores.PII);
    }),
    { numRuns: 300 },
  );
});

test('a character at a time gives the findings of the whole', () => {
  fc.assert(
    fc.property(hostile(12), (text) => {
      const whole = guard.scan({ ...all, text });
      fc.pre(!whole.truncated && text.length > 0);
      assert.equal(inPieces([...text]).findings, whole.findings);
    }),
    { numRuns: 40 },
  );
});

test('long text, of which most is no longer kept, gives the findings of the whole', () => {
  const filler = 'Words without numbers, and phone, and more. '.repeat(50);
  fc.assert(
    fc.property(fc.array(hostile(6), { minLength: 20, maxLength: 40 }), places, (parts, cuts) => {
      const text = parts.map((part) => filler + part).join(' ');
      const whole = guard.scan({ ...options, text });
      fc.pre(!whole.truncated);
      const stream = guard.stream(options);
      const pieces = cut(text, cuts);
      const findings = pieces.flatMap(
        (piece, index) => stream.push(piece, index === pieces.length - 1).findings,
      );
      assert.equal(findings.length, whole.findings.length);
      assert.equal(new Set(findings.map(key)), new Set(whole.findings.map(key)));
    }),
    { numRuns: 12 },
  );
});

function key({ kind, start, end, score }: GuardFinding): string {
  return `${kind} ${start} ${end} ${score}`;
}

test('harmless text is released at once but for its last word or two', () => {
  const stream = guard.stream(options);
  const text = 'A reader of this stream waits for nothing but the end of a word';
  for (let length = 1; length <= text.length; length++) {
    const { released } = stream.push(text[length - 1]!, length === text.length);
    assert.ok(length - released <= 20, `${length} bytes pushed, ${released} released`);
  }
});

test.run();
