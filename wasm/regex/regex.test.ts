// Compares the pattern engine with the host's own, and shows that its work grows with the text alone.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../runtime/errors.ts';
import { ArgumentsModule } from '../../runtime/modules/arguments.ts';
import { ModuleInstance } from '../../runtime/modules/instantiate.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

// The engine is a part of other modules; `pattern` of JSON Schema is its plainest use.
const module = ArgumentsModule.create(moduleBytes('arguments'));
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function matches(pattern: string, text: string): boolean {
  return module.validate(encode({ pattern }), encode(text)).allow;
}

/** What registration says of a pattern: `undefined` when it is taken. */
function refusal(pattern: string): string | undefined {
  try {
    module.register(encode({ pattern }));
    return undefined;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    assert.is(error.code, 'schema_pattern_unsupported');
    assert.equal(error.data, { keyword: 'pattern', pointer: '/pattern' });
    return error.message;
  }
}

const letter = fc.constantFrom('a', 'b', 'c', 'é', '😀', '-', '1', '_', ' ', 'ſ', '\u2028');
const escapeLetter = fc.constantFrom(
  ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\n', '\\t', '\\x61', '\\u0062', '\\u{1f600}'],
  ...['\\ud83d\\ude00', '\\cJ', '\\x00', '\\.', '\\-', '\\/', '\\$'],
);
const classItem = fc.oneof(
  fc.constantFrom('a', 'b', 'é', '😀', '1', '_', '^', '.', '$'),
  escapeLetter.filter((text) => text !== '\\-'),
  fc.constantFrom('a-c', '0-9', 'A-Z', '\\x00-\\x7f', 'a-\\u{10ffff}', '\\-', ' -~'),
);
const characterClass = fc
  .tuple(fc.boolean(), fc.array(classItem, { maxLength: 4 }))
  .map(
    ([negated, items]) =>
      `[${negated ? '^' : ''}${items[0] === '^' ? '\\^' : (items[0] ?? '')}${items.slice(1).join('')}]`,
  );
const quantifier = fc.constantFrom(
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '{2}',
  '{0}',
  '{1,}',
  '{0,2}',
  '{2,3}?',
);

const { pattern } = fc.letrec<{ pattern: string }>((tie) => {
  const group = tie('pattern').map((inner) => `(${inner})`);
  const atom = fc.oneof(
    { weight: 6, arbitrary: letter },
    { weight: 2, arbitrary: fc.constantFrom('.', '\\.', '\\w', '\\d') },
    { weight: 2, arbitrary: escapeLetter.filter((text) => text !== '\\-') },
    { weight: 3, arbitrary: characterClass },
    { weight: 2, arbitrary: group },
    { weight: 1, arbitrary: tie('pattern').map((inner) => `(?:${inner})`) },
    {
      weight: 1,
      arbitrary: tie('pattern').map((inner) => `(?<name>${inner.replaceAll('?<name>', '')})`),
    },
  );
  const piece = fc.oneof(
    { weight: 5, arbitrary: atom },
    { weight: 3, arbitrary: fc.tuple(atom, quantifier).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B') },
  );
  const sequence = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  return {
    pattern: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 4, arbitrary: sequence },
      {
        weight: 1,
        arbitrary: fc.array(sequence, { minLength: 2, maxLength: 3 }).map((all) => all.join('|')),
      },
    ),
  };
});

const subject = fc
  .array(fc.oneof(letter, fc.constantFrom('\n', '\t', '.', '$', '/', 'A', '\0', '\u00a0')), {
    maxLength: 8,
  })
  .map((letters) => letters.join(''));

/**
 * The host's own engine, tried at each code point: left to itself it also looks between the halves of
 * a surrogate pair, where the standard does not. Names of groups are dropped, as it refuses one that
 * stands twice.
 */
function oracle(source: string): (text: string) => boolean {
  const pattern = new RegExp(source.replaceAll('(?<name>', '('), 'uy');
  return (text) => {
    for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
      pattern.lastIndex = at;
      if (pattern.test(text)) return true;
    }
    return false;
  };
}

test('agrees with ECMA-262 on generated patterns', () => {
  const answers = { yes: 0, no: 0 };
  const property = fc.property(pattern, fc.array(subject, { minLength: 4 }), (source, texts) => {
    const expected = oracle(source);
    for (const text of texts) {
      const found = expected(text);
      answers[found ? 'yes' : 'no'] += 1;
      assert.is(matches(source, text), found, JSON.stringify({ source, text }));
    }
  });
  fc.assert(property, { numRuns: 3000 });
  const share = answers.yes / (answers.yes + answers.no);
  assert.ok(share > 0.15 && share < 0.85, `${share} match`);
});

test('takes no pattern that ECMA-262 refuses, but for needless escapes of punctuation', () => {
  const piece = fc.oneof(
    fc.constantFrom(...'()[]{}|*+?.^$\\-,:=!<>'),
    fc.constantFrom(...'abckpuxdDwsSB0129é😀/@"'),
    fc.constantFrom(
      '(?',
      '(?:',
      '[^',
      '\\u',
      '\\u{',
      '\\x',
      '\\c',
      '{2,',
      '{1}',
      '\\p{L}',
      '\\1',
      '\\k<a>',
    ),
  );
  let taken = 0;
  const property = fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
    const source = pieces.join('');
    if (refusal(source) !== undefined) return;
    taken += 1;
    const plain = source.replaceAll(/\\([\\@":=!<>,\-/])/gu, (all, mark) =>
      mark === '\\' ? all : 'x',
    );
    new RegExp(plain, 'u');
  });
  fc.assert(property, { numRuns: 20_000 });
  assert.ok(taken > 1000);
});

test('refuses what has no linear-time meaning or is not implemented', () => {
  const unsupported = [
    '(?=a)',
    '(?!a)',
    '(?<=a)',
    '(?<!a)',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '(?i)a',
    '(?i:a)',
    '\\p{L}',
    '\\P{Lu}',
    '[\\p{L}]',
    '(?P<n>a)',
    '(?>a)',
  ];
  for (const source of unsupported) assert.match(refusal(source) ?? '', 'look-around', source);
});

test('refuses what is no pattern', () => {
  const wrong = [
    '(',
    ')',
    'a)',
    '(a',
    '[',
    '[a',
    ']',
    '{',
    '}',
    'a{',
    'a{1',
    'a{2,1}',
    '*',
    'a**',
    '+',
    '?',
    'a{1}{2}',
    '^*',
    '$+',
    '\\b?',
    '\\',
    '\\e',
    '\\a',
    '\\A',
    '\\z',
    '\\ca{',
    '\\c1',
    '\\x1',
    '\\u12',
    '\\u{}',
    '\\u{110000}',
    '\\u{1',
    '\\01',
    '[b-a]',
    '[\\w-a]',
    '[a-\\d]',
    '[\\B]',
    '[\\1]',
    '(?',
    '(?<',
    '(?<>a)',
    '(?<1>a)',
    'a|*',
  ];
  for (const source of wrong) assert.match(refusal(source) ?? '', 'is no pattern', source);
});

test('bounds the size of patterns before unfolding them', () => {
  const large = [
    'a{1001}',
    'a{0,1001}',
    'a{1001,}',
    'a{99999999999999999999}',
    '((a{100}){100}){100}',
    '(((((a{9}){9}){9}){9}){9}){9}',
    '(a?){1000}{0}'.replace('{0}', '') + '(b?){1000}'.repeat(6),
    'a'.repeat(4097),
    '('.repeat(65) + ')'.repeat(65),
    `${'(?:'.repeat(2000)}`,
  ];
  for (const source of large)
    assert.match(refusal(source) ?? '', /too large|no pattern/, source.slice(0, 40));
  const taken = [
    'a{1000}',
    'a{0,1000}',
    '(a{30}){30}',
    'a'.repeat(4096),
    '('.repeat(64) + ')'.repeat(64),
    '(((){1000}){1000}){1000}',
    '((a{0}){1000}){1000}',
    '[\\S\\W\\D]'.repeat(400),
  ];
  for (const source of taken) assert.is(refusal(source), undefined, source.slice(0, 40));
});

interface Stepping {
  steps(): number;
}

/** The steps that one validation of the text takes. */
function stepsFor(pattern: string, text: string): number {
  const instance = new ModuleInstance('arguments', moduleBytes('arguments'), [
    'register',
    'validate',
    'steps',
  ]);
  const schema = encode({ pattern });
  const schemaAt = instance.write(schema);
  const handle = instance.invoke((exports) => exports.register(schemaAt, schema.length));
  const value = encode(text);
  const at = instance.write(value);
  assert.is(
    instance.invoke((exports) => exports.validate(handle, at, value.length)),
    0,
  );
  return instance.invoke((exports) => (exports as unknown as Stepping).steps());
}

test('takes steps in proportion to the text on patterns that make others backtrack', () => {
  const hostile = [
    '(a+)+$',
    '(a|a)*$',
    '(a|aa)+$',
    '(.*a){12}$',
    '^(a?){40}a{40}$',
    '(((a*)*)*)*$',
    '(a*)*b',
    '(?:a|b|ab)*c',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ];
  for (const source of hostile) {
    const short = stepsFor(source, `${'a'.repeat(1000)}!`);
    const long = stepsFor(source, `${'a'.repeat(4000)}!`);
    assert.ok(long <= short * 4.1, `${source}: ${short}, then ${long} steps`);
    assert.ok(short < 1000 * 200, `${source}: ${short} steps for 1,000 characters`);
  }
});

test('gives up in a fixed number of steps, with the same answer each time', () => {
  const schema = encode({ pattern: '([a-z]?){900}$' });
  const text = encode(`${'a'.repeat(200_000)}!`);
  const first = module.validate(schema, text);
  assert.is(first.allow, false);
  assert.is(first.violations[0]?.keyword, 'budget');
  assert.equal(module.validate(schema, text), first);
});

test.run();
