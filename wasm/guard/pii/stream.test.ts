// Tests of the PII scanner on text that comes in pieces: whatever the pieces, the findings are those of the whole.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GuardFinding, GuardStreamResult } from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { hostile } from './hostile.ts';
import { guard } from './testing.ts';

/** Also what is only suspected is compared. */
const options = { direction: 'output', scanners: ['PII'], thresholds: { PII: 1 } } as const;

interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  streamReserve(length: number): number;
  streamOpen(pointer: number, length: number): number;
  streamPush(pointer: number, length: number, last: number): number;
  output(): number;
  outputLength(): number;
}

/** One instance for all streams: making one for each would take most of the time. */
const module = new WebAssembly.Module(moduleBytes('guard') as Uint8Array<ArrayBuffer>);
const raw = new WebAssembly.Instance(module).exports as unknown as Exports;

function write(text: string, reserve: 'reserve' | 'streamReserve'): [number, number] {
  const bytes = Buffer.from(text);
  const pointer = raw[reserve](bytes.length);
  new Uint8Array(raw.memory.buffer).set(bytes, pointer);
  return [pointer, bytes.length];
}

/** What the module says to each piece. */
function push(pieces: readonly string[]): GuardStreamResult[] {
  assert.is(raw.streamOpen(...write(JSON.stringify(options), 'streamReserve')), 0);
  return pieces.map((piece, index) => {
    const isLast = index === pieces.length - 1 ? 1 : 0;
    assert.is(raw.streamPush(...write(piece, 'reserve'), isLast), 0);
    const output = Buffer.from(raw.memory.buffer, raw.output(), raw.outputLength());
    return JSON.parse(output.toString());
  });
}

const name = ({ kind, start, end, score }: GuardFinding) => `${start} ${end} ${kind} ${score}`;

/** Holds the pieces to the whole; no finding may begin before what was released when it was pushed. */
function compare(pieces: readonly string[]): void {
  const whole = guard.scan({ ...options, text: pieces.join('') });
  fc.pre(!whole.truncated);
  let released = 0;
  const findings: GuardFinding[] = [];
  const answers = push(pieces);
  for (const answer of answers) {
    for (const { start } of answer.findings) assert.ok(start >= released, `${start} < ${released}`);
    assert.ok(answer.released >= released);
    released = answer.released;
    findings.push(...answer.findings);
  }
  assert.equal(findings.map(name).sort(), whole.findings.map(name).sort());
  assert.is(answers.at(-1)?.scores.PII, whole.scores.PII);
}

/** Cuts a text at the places given as fractions of 1000, between characters. */
function cut(text: string, places: readonly number[]): string[] {
  const characters = [...text];
  const at = places
    .map((place) => Math.floor((place * characters.length) / 1000))
    .sort((a, b) => a - b);
  return [0, ...at].map((from, index) =>
    characters.slice(from, at[index] ?? characters.length).join(''),
  );
}

const places = fc.array(fc.nat(1000), { minLength: 1, maxLength: 12 });

test('any split of hostile text gives the findings of the whole', () => {
  fc.assert(
    fc.property(hostile(30), places, (text, cuts) => compare(cut(text, cuts))),
    { numRuns: 8000 },
  );
});

test('a character at a time gives the findings of the whole', () => {
  fc.assert(
    fc.property(hostile(12), (text) => {
      if (text.length > 0) compare([...text]);
    }),
    { numRuns: 1500 },
  );
});

test('long text, of which most is no longer kept, gives the findings of the whole', () => {
  const filler = 'Words without numbers, and phone, and more. '.repeat(80);
  fc.assert(
    fc.property(fc.array(hostile(4), { minLength: 25, maxLength: 50 }), places, (parts, cuts) => {
      compare(cut(parts.map((part) => filler + part).join(' '), cuts));
    }),
    { numRuns: 150 },
  );
});

test('harmless text is released at once but for its last word or two', () => {
  const text = 'A reader of this stream waits for nothing but the end of a word';
  push([...text]).forEach(({ released }, index) => {
    assert.ok(index + 1 - released <= 20, `${index + 1} bytes pushed, ${released} released`);
  });
});

test.run();
