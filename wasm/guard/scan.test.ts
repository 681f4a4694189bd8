// Tests of the scan as a whole: hostile text never traps it, its offsets fit, its work grows with the text.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Guard } from '../../runtime/modules/guard.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

const bytes = moduleBytes('guard');
const guard = Guard.create(bytes);
const names = ['InvisibleText', 'PII', 'Secrets'] as const;

/** What matchers look for, in pieces, so that random joins come close to every format. */
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
  fc.stringMatching(/^[0-9 .\-]{0,20}$/),
  fc.stringMatching(/^[A-Za-z0-9_\-.+/=]{0,60}$/),
  fc.constantFrom(
    ...['@', '+', '(', ')', '://', ':', '=', '-----BEGIN ', 'PRIVATE KEY-----', '-----END '],
    ...[
      'eyJ',
      '.eyJ',
      'gh',
      'p_',
      'AKIA',
      'password',
      'token',
      'secret',
      'Q~',
      'AccountKey=',
      'GB29',
    ],
    ...[
      '\u200d',
      '\u200b',
      '\ufe0f',
      '\u{e0041}',
      '\u{1f3f4}',
      '\u{e007f}',
      '👩',
      '\u202e',
      '\\',
      '"',
    ],
  ),
);
const hostile = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('').toWellFormed());

test('random text never traps; findings are sorted, within the text and on character boundaries', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const utf8 = Buffer.from(text);
      const { allow, findings } = guard.scan({ direction: 'input', scanners: names, text });
      assert.is(allow, findings.length === 0);
      let last = -1;
      for (const { start, end } of findings) {
        assert.ok(start >= last && start < end && end <= utf8.length);
        for (const at of [start, end]) assert.ok(at === utf8.length || (utf8[at]! & 0xc0) !== 0x80);
        last = start;
      }
    }),
    { numRuns: 5000 },
  );
});

test('the answer for several scanners is the union of the answers for each', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const together = guard.scan({ direction: 'input', scanners: names, text });
      fc.pre(!together.truncated);
      for (const name of names) {
        const alone = guard.scan({ direction: 'input', scanners: [name], text });
        assert.equal(
          alone.findings,
          together.findings.filter((finding) => finding.scanner === name),
        );
      }
    }),
    { numRuns: 1000 },
  );
});

interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  scan(pointer: number, length: number): number;
  steps(): number;
}

const raw = new WebAssembly.Instance(new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>))
  .exports as unknown as Exports;

/** Bytes that the scan looked at. */
function steps(text: string): number {
  const input = Buffer.from(JSON.stringify({ direction: 'input', scanners: names, text }));
  const pointer = raw.reserve(input.length);
  new Uint8Array(raw.memory.buffer).set(input, pointer);
  assert.is(raw.scan(pointer, input.length), 0);
  return raw.steps();
}

/** Texts made to make a matcher look at the same bytes again and again. */
const traps: Record<string, string> = {
  'one long word': 'a',
  digits: '1',
  'digits in groups': '1 ',
  'at signs': 'a@',
  'labels of a host': 'a@b.',
  'local parts': 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@',
  'token prefixes': '-glpat-',
  'short tokens': '-sk-ant-aaaa ',
  'web token headers': 'eyJ.',
  'web token runs': '-eyJ',
  'web token pairs': '-eyJa.eyJ-',
  'private keys': '-----BEGIN PRIVATE KEY-----',
  'private key labels': '-----BEGIN A',
  dashes: '-',
  'URLs with users': '://a:b',
  assignments: 'password=',
  'long assignments': 'password=a1a1a1a1',
  'client secrets': 'a1Q~',
  'base64 runs': 'aws AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA ',
  'tag characters': '\u{e0041}',
  'direction marks': '\u200fa',
  joiners: '\u200d',
  'variation selectors': '\u{e0100}',
  pluses: '+1',
  parentheses: '(212)',
  'account numbers': 'GB29 ',
  'telephone words': 'phone 12 ',
};

for (const [name, unit] of Object.entries(traps)) {
  test(`twice the text is at most twice the work: ${name}`, () => {
    const text = unit.repeat(Math.ceil(20_000 / unit.length));
    const once = steps(text);
    const twice = steps(text + text);
    assert.ok(twice <= once * 2.05, `${once} steps, then ${twice}`);
    // The constant is bounded too, whatever the text.
    assert.ok(once <= text.length * 250, `${once} steps for ${text.length} characters`);
  });
}

test('text full of numbers costs little: most are too short for any finding', () => {
  for (const unit of ['1 ', '1,2,', '7.25 ', '4111 ', '12 34 ']) {
    const text = unit.repeat(4000);
    const count = steps(text);
    assert.ok(count <= text.length * 40, `${unit}: ${count} steps for ${text.length} characters`);
  }
});

test.run();
