// Credentials in texts that come in pieces: the findings are those of the whole text, and none begins in what was shown.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard } from '../../../runtime/modules/guard.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { fill, templates } from './examples.ts';

const guard = Guard.create(moduleBytes('guard'));
const options = { direction: 'output', scanners: ['Secrets'] } as const;
const all = [...templates().values()].flat();

/** An example, whole or cut short, or text between examples. */
const piece = fc.oneof(
  fc
    .tuple(fc.constantFrom(...all), fc.infiniteStream(fc.nat()), fc.nat({ max: 9 }))
    .map(([template, numbers, cut]) => {
      const { text } = fill(template, (below) => numbers.next().value! % below);
      return cut === 0 ? text.slice(0, text.length >> 1) : text;
    }),
  fc.constantFrom(' ', '\n', '\\n', '"', ': ', 'password=', 'token: ', 'é', '-----', 'eyJ', '://'),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.toWellFormed()),
);
const hostile = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

test('whatever the pieces, the findings are those of the whole text, and begin behind what was released', () => {
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
      const whole = guard.scan({ ...options, text });
      fc.pre(!whole.truncated);
      const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length];
      places.sort((a, b) => a - b);
      const stream = guard.stream(options);
      const found = [];
      let released = 0;
      for (let index = 1; index < places.length; index++) {
        const isLast = index === places.length - 1;
        const answer = stream.push(text.slice(places[index - 1], places[index]), isLast);
        for (const finding of answer.findings) assert.ok(finding.start >= released);
        assert.ok(answer.released >= released);
        released = answer.released;
        found.push(...answer.findings);
      }
      const order = (a: { start: number; end: number; kind: string }, b: typeof a) =>
        a.start - b.start || a.end - b.end || (a.kind < b.kind ? -1 : 1);
      assert.equal(found.sort(order), [...whole.findings].sort(order));
      // Nothing is shown from the first finding on.
      const first = Math.min(...whole.findings.map(({ start }) => start));
      if (found.length === 0) assert.is(released, Buffer.byteLength(text));
      else assert.ok(released <= first);
    }),
    { numRuns: 150 },
  );
});

test('plain text is released but for a few bytes', () => {
  const stream = guard.stream(options);
  const text = 'The guard reads what comes and shows it as soon as nothing in it can be a secret. ';
  let length = 0;
  for (let round = 0; round < 50; round++) {
    const { findings, released } = stream.push(text);
    length += text.length;
    assert.equal(findings, []);
    assert.ok(length - released <= 200, `${length - released} bytes are held`);
  }
});

test.run();
