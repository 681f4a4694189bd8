// Tests of redaction and tokens: the vectors that the Python SDK passes too, and what holds for any text.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputError } from '../errors.ts';
import { type Redacted, type RedactFinding, type RedactOptions, redact } from './redact.ts';
import { Untokenizer, untokenize } from './untokenize.ts';

interface Case {
  name: string;
  text: string;
  findings: RedactFinding[];
  options: RedactOptions;
}

interface Vectors {
  redact: (Case & { expected: Redacted })[];
  refused: Case[];
  untokenize: { name: string; text: string; tokens: Record<string, string>; expected: string }[];
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('fixtures/redact.json', import.meta.url), 'utf8'),
);

for (const { name, text, findings, options, expected } of vectors.redact) {
  test(`vector: ${name}`, () => assert.equal(redact(text, findings, options), expected));
}

for (const { name, text, findings, options } of vectors.refused) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => redact(text, findings, options),
      (error: unknown) => error instanceof InputError && error.code === 'input_invalid',
    );
  });
}

for (const { name, text, tokens, expected } of vectors.untokenize) {
  test(`tokens reversed: ${name}`, () => {
    assert.is(untokenize(text, tokens), expected);
    assert.is(untokenize(text, new Map(Object.entries(tokens))), expected);
  });
}

test('half of a surrogate pair is refused', () => {
  assert.throws(
    () => redact('a\ud800', [], { mode: 'redact' }),
    (error: unknown) => error instanceof InputError && error.code === 'input_lone_surrogate',
  );
});

/** A text and findings in it, at character boundaries. */
const found = fc
  .array(
    fc.record({
      text: fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.toWellFormed()),
      kind: fc.constantFrom('email', 'phone', 'iban', undefined),
    }),
    { maxLength: 12 },
  )
  .map((parts) => {
    let text = '';
    const findings: RedactFinding[] = [];
    for (const part of parts) {
      const start = Buffer.byteLength(text);
      text += part.text;
      const end = Buffer.byteLength(text);
      if (part.kind !== undefined && end > start) findings.push({ kind: part.kind, start, end });
    }
    return { text, findings };
  });

const key = 'a key of tests, no secret';

test('tokens are reversed exactly, the same value has the same token, no value stays', () => {
  fc.assert(
    fc.property(found, ({ text, findings }) => {
      const tokenized = redact(text, findings, { mode: 'tokenize', key });
      assert.is(untokenize(tokenized.text, tokenized.tokens), text);
      assert.equal(redact(text, findings, { mode: 'tokenize', key }), tokenized);
      const other = redact(text, findings, { mode: 'tokenize', key: `${key}!` });
      for (const token of Object.keys(other.tokens)) assert.not(token in tokenized.tokens);
    }),
    { numRuns: 2000 },
  );
});

test('what was not found stays as it is, in every mode', () => {
  fc.assert(
    fc.property(found, fc.constantFrom('redact', 'mask', 'tokenize'), (input, mode) => {
      const { text, findings } = input;
      const bytes = Buffer.from(text);
      const redacted = redact(text, findings, { mode, key });
      let rest = redacted.text;
      let done = 0;
      for (const { start, end } of [...findings, { start: bytes.length, end: bytes.length }]) {
        const kept = bytes.toString('utf8', done, start);
        assert.ok(rest.startsWith(kept));
        rest = rest.slice(kept.length).replace(/^(\[[A-Z]+_\d+\]|\*{8}|<[a-z]+:[0-9a-f]{16}>)/, '');
        done = end;
      }
      assert.is(rest, '');
    }),
    { numRuns: 2000 },
  );
});

test('tokens that are split over pieces are reversed as in the whole text', () => {
  const pieces = fc.array(
    fc.constantFrom('<', 'email', ':', '>', '0', 'é', '👩', 'a <', '<<email:'),
  );
  fc.assert(
    fc.property(found, pieces, fc.array(fc.nat(1000), { maxLength: 20 }), (input, noise, cuts) => {
      const { text, tokens } = redact(input.text, input.findings, { mode: 'tokenize', key });
      const whole = noise.join('') + text + noise.join('');
      const at = cuts.map((cut) => Math.floor((cut * whole.length) / 1000)).sort((a, b) => a - b);
      const parts = [0, ...at].map((from, index) => whole.slice(from, at[index] ?? whole.length));
      const stream = new Untokenizer(tokens);
      const joined = parts.map((part, index) => stream.push(part, index === parts.length - 1));
      assert.is(joined.join(''), untokenize(whole, tokens));
    }),
    { numRuns: 3000 },
  );
});

test('at most one token waits in a stream', () => {
  const stream = new Untokenizer({});
  let pushed = 0;
  let given = 0;
  for (const piece of '<email:0123456789abcdef>'.repeat(3) + '<'.repeat(100) + '<a'.repeat(100)) {
    pushed += piece.length;
    given += stream.push(piece).length;
    assert.ok(pushed - given <= 82);
  }
});

test('the longest name that a rule can give a kind is replaced and put back', () => {
  const kind = `k${'x'.repeat(63)}`;
  const { text, tokens } = redact('a secret', [{ kind, start: 2, end: 8 }], {
    ...{ mode: 'tokenize', key: 'k'.repeat(16) },
  });
  assert.is(untokenize(text, tokens), 'a secret');
  const stream = new Untokenizer(tokens);
  assert.is(
    [...text].map((piece) => stream.push(piece)).join('') + stream.push('', true),
    'a secret',
  );
});

test.run();
