// Tests of exact token counts: equal to js-tiktoken on text of every script, and on what is hard to split or merge.
import fc from 'fast-check';
import { Tiktoken, type TiktokenBPE } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { moduleBytes } from './source.ts';
import { TokenCounter, type TokenEncoding } from './tokens.ts';

const RANKS: readonly [TokenEncoding, TiktokenBPE][] = [
  ['cl100k_base', cl100k],
  ['o200k_base', o200k],
];
const counters = RANKS.map(([encoding, ranks]) => {
  const peer = new Tiktoken(ranks);
  return {
    encoding,
    expected: (text: string) => peer.encode(text, [], []).length,
    counter: TokenCounter.load(encoding),
  };
});

function assertSame(text: string): void {
  for (const { encoding, expected, counter } of counters) {
    assert.is(counter.count(text), expected(text), `${encoding} ${JSON.stringify(text)}`);
  }
}

/** A range of each script and of each kind of character that a pattern tells apart. */
const ranges: readonly [number, number][] = [
  [0x00, 0x7f],
  [0x80, 0x24f],
  [0x1c4, 0x1cc],
  [0x250, 0x36f],
  [0x370, 0x52f],
  [0x531, 0x5ff],
  [0x600, 0x7bf],
  [0x900, 0xdff],
  [0xe00, 0x109f],
  [0x10a0, 0x139f],
  [0x1780, 0x18af],
  [0x1c80, 0x1fff],
  [0x2000, 0x206f],
  [0x2070, 0x218f],
  [0x2190, 0x2bff],
  [0x3000, 0x31ff],
  [0x4e00, 0x9fff],
  [0xa000, 0xabff],
  [0xac00, 0xd7a3],
  [0xe000, 0xfaff],
  [0xfb00, 0xffff],
  [0x10000, 0x16fff],
  [0x1d400, 0x1d7ff],
  [0x1e900, 0x1e95f],
  [0x1f000, 0x1faff],
  [0x20000, 0x323af],
  [0xe0000, 0x10ffff],
];
const character = fc
  .constantFrom(...ranges)
  .chain(([min, max]) => fc.integer({ min, max }))
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint));

test('random text of every script', () => {
  const text = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(''));
  fc.assert(fc.property(text, assertSame), { numRuns: 4000 });
});

test('text of one script, in words', () => {
  const text = fc
    .constantFrom(...ranges)
    .filter(([, last]) => last < 0xd800 || last > 0xffff)
    .chain(([min, max]) => {
      const letter = fc.integer({ min, max }).map((codePoint) => String.fromCodePoint(codePoint));
      const word = fc.array(letter, { minLength: 1, maxLength: 9 }).map((each) => each.join(''));
      return fc.array(word, { maxLength: 8 });
    })
    .map((words) => words.join(' '));
  fc.assert(fc.property(text, assertSame), { numRuns: 2000 });
});

test('what the branches of the patterns tell apart, side by side', () => {
  const part = fc.constantFrom(
    ...['a', 'Z', 'é', 'É', 'ǅ', 'ʰ', 'あ', 'ا', '\u0301', 'ſ', 'ß', '한', 'ไ', '0', '٣', 'Ⅳ', '½'],
    ...[
      ' ',
      '  ',
      '\t',
      '\n',
      '\r',
      '\r\n',
      '\v',
      '\u0085',
      '\u00a0',
      '\u2028',
      '\u3000',
      '\ufeff',
    ],
    ...["'", "'s", "'S", "'t", "'M", "'d", "'re", "'rE", "'VE", "'ll", "'lL", "'l", '’s', "''"],
    ...[
      '/',
      '//',
      '.',
      '!',
      '-',
      '_',
      '😀',
      '👩‍👩‍👧',
      '\u200d',
      '\0',
      '\ue000',
      '\u{10ffff}',
      '漢',
    ],
    ...[
      'the',
      'Hello',
      'HTTPServer',
      'naïve',
      '2024',
      'const x = 1;',
      '<|endoftext|>',
      '<|fim_prefix|>',
    ],
  );
  const text = fc.array(part, { maxLength: 24 }).map((parts) => parts.join(''));
  fc.assert(fc.property(text, assertSame), { numRuns: 6000 });
});

test('repeats and random letters long enough for every level of the merge', () => {
  const unit = fc.oneof(character, fc.string({ minLength: 1, maxLength: 4 }));
  const repeat = fc
    .tuple(unit, fc.nat(600))
    .map(([each, bytes]) => each.repeat(Math.ceil(bytes / Buffer.byteLength(each))));
  const letters = fc.string({ unit: fc.constantFrom(...'etaoinshrdlu'), maxLength: 600 });
  fc.assert(fc.property(fc.oneof(repeat, letters), assertSame), { numRuns: 60 });
});

test('code, as it is indented and commented', () => {
  const line = fc.constantFrom(
    ...['function f(a, b) {', '  return a?.b ?? 0xFF;', '}', '# comment', '\tif err != nil {'],
    ...['SELECT * FROM users WHERE id=$1;', '{"key": [1, 2.50, null]}', '/* * */', '', '    '],
    ...[
      'https://example.com/a/b?c=d&e=%20',
      'camelCaseAndSnake_case',
      '=====>>>>',
      '日本語のコメント',
    ],
  );
  const code = fc.tuple(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n', '\n\n'));
  fc.assert(
    fc.property(code, ([lines, join]) => assertSame(lines.join(join))),
    { numRuns: 1000 },
  );
});

test('known counts', () => {
  const [cl100k_, o200k_] = counters.map(({ counter }) => counter);
  assert.is(cl100k_!.count(''), 0);
  assert.is(cl100k_!.count('tiktoken is great!'), 6);
  assert.is(o200k_!.count('tiktoken is great!'), 6);
  // A run of 4 MiB is one piece; each token of it is eight letters in both encodings.
  for (const { counter } of counters) assert.is(counter.count('a'.repeat(1 << 22)), 1 << 19);
  for (const { counter } of counters) assert.is(counter.count('ok'), 1);
});

test('the work grows with the text and hardly faster, also where all of it is one piece', () => {
  for (const name of ['tokens-cl100k', 'tokens-o200k'] as const) {
    const module = new WebAssembly.Module(moduleBytes(name) as Uint8Array<ArrayBuffer>);
    const exports = new WebAssembly.Instance(module).exports as Record<string, unknown>;
    const left = (of: string): number => (exports[of] as WebAssembly.Global<'i32'>).value;
    const call = (of: string, ...given: number[]): number =>
      (exports[of] as (...given: number[]) => number)(...given);
    const steps = (text: string): number => {
      const bytes = Buffer.from(text);
      const pointer = call('reserve', bytes.length) >>> 0;
      new Uint8Array((exports.memory as WebAssembly.Memory).buffer).set(bytes, pointer);
      assert.is(call('count', pointer, bytes.length), 0);
      return left('platform_budget') - left('platform_steps');
    };
    for (const unit of ['a', 'ab', ' ', '\n', '-', '的', 'etaoin', 'Aa', '\u0301', 'HTTPServer ']) {
      const text = unit.repeat(Math.ceil(100_000 / unit.length));
      assert.ok(steps(text + text) <= 2.2 * steps(text), `${name} ${JSON.stringify(unit)}`);
    }
  }
});

test('text that cannot be counted is refused', () => {
  for (const { counter } of counters) {
    const code = (text: string) => {
      try {
        counter.count(text);
      } catch (error) {
        return codeOf(error);
      }
      return 'counted';
    };
    assert.is(code('a\ud800b'), 'input_lone_surrogate');
    assert.is(code('a'.repeat((1 << 22) + 1)), 'input_too_large');
    assert.is(code('é'.repeat((1 << 21) + 1)), 'input_too_large');
    assert.is(code('é'), 'counted');
  }
  assert.throws(() => TokenCounter.load('p50k_base' as never), /p50k_base/);
});

test.run();
