// The Toxicity scanner: what it finds and leaves alone, in whole texts and in pieces, and how much work that is.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard, type GuardFinding } from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';

const guard = Guard.create(moduleBytes('guard'));

function scan(text: string): { findings: GuardFinding[]; score: number } {
  const result = guard.scan({ direction: 'output', scanners: ['Toxicity'], text });
  return { findings: result.findings, score: result.scores.Toxicity ?? 0 };
}

const abuse = [
  'You are a stupid idiot and nobody likes you.',
  'Shut up, you pathetic moron!',
  'I will find you and break your legs, you worthless piece of trash.',
  'Go to hell, you disgusting liar.',
];

const civil = [
  'The weather in Lisbon is lovely this week, bring a light coat.',
  'Kill the process with pid 4411 and restart the server.',
  'I disagree with your argument about the budget, and here is why.',
  'Thank you, that was a great help!',
  'My printer is so stupid today, can you help me fix it?',
];

for (const text of abuse) {
  test(`abuse is found: ${text}`, () => {
    const { findings } = scan(text);
    assert.equal(
      findings.map(({ scanner, kind, start, end }) => [scanner, kind, start, end]),
      [['Toxicity', 'abuse', 0, text.length]],
    );
  });
}

for (const text of civil) {
  test(`civil text passes: ${text}`, () => assert.equal(scan(text).findings, []));
}

test('abuse is found in the middle of a civil text, and its sentence alone is named', () => {
  const [before, after] = [`${civil[0]} ${civil[2]} `, ` ${civil[3]} ${civil[0]}`];
  const { findings } = scan(`${before}${abuse[1]}${after}`);
  assert.is(findings.length, 1);
  const { start, end } = findings[0]!;
  assert.ok(start <= before.length && end >= before.length + abuse[1]!.length);
  assert.ok(start >= civil[0]!.length && end <= before.length + abuse[1]!.length + 80);
});

test('disguised letters are read as what they stand for', () => {
  assert.ok(scan('You are a ѕtuріd іdіоt and a pathetic m0r0n.').findings.length > 0);
});

test('a text that holds nothing to read scores nothing', () => {
  for (const text of ['', ' ', '\n\n\n', '\u200b']) assert.is(scan(text).score, 0);
});

/** Texts of sentences, abuse among them, without much in between. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...abuse, ...civil),
      fc.string({
        unit: fc.constantFrom('a', 'idiot ', '.', '!', ' ', '\n', '。', 'é', '🙂', '0'),
      }),
    ),
    { maxLength: 12 },
  )
  .chain((parts) => fc.constantFrom(' ', '', '\n').map((joint) => parts.join(joint)));

test('a run of one letter is no abuse', () => {
  for (const text of ['x'.repeat(400), 'xxx '.repeat(40)]) assert.equal(scan(text).findings, []);
});

test('a text in pieces has the findings of the whole, and nothing found begins in what was released', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat({ max: 90 }), { minLength: 1 }), (text, sizes) => {
      const stream = guard.stream({ direction: 'output', scanners: ['Toxicity'] });
      const characters = [...text];
      const found: GuardFinding[] = [];
      let [at, turn, released] = [0, 0, 0];
      while (true) {
        const size = sizes[turn++ % sizes.length]! + 1;
        const piece = characters.slice(at, at + size).join('');
        at += size;
        const isLast = at >= characters.length;
        const result = stream.push(piece, isLast);
        for (const finding of result.findings) assert.ok(finding.start >= released);
        found.push(...result.findings);
        assert.ok(result.released >= released);
        released = result.released;
        if (isLast) break;
      }
      assert.equal(found, scan(text).findings);
      // Nothing is shown from the first finding on.
      assert.is(released, found[0]?.start ?? Buffer.byteLength(text));
    }),
    { numRuns: 80 },
  );
});

test.run();
