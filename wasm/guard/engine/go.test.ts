// Compares rules with Go's package regexp on random patterns and texts: with keywords and without the matches are Go's.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { compileTree, isNullable, lengths } from '../compiler/program.ts';
import { type Pattern, parsePattern } from '../compiler/re2.ts';
import { PatternError } from '../compiler/rules-error.ts';
import { goMatches } from './go-testing.ts';
import { type Found, findIn, guardOf } from './testing.ts';

const letter = fc.constantFrom(
  ...['a', 'b', 'c', 'k', 's', 'A', 'é', '😀', '-', '1', '_', ' ', 'ſ', '\u212a', '\n', 'я'],
);
const set = fc.constantFrom(
  ...['[a-c]', '[^a]', '\\w', '\\d', '.', '[^\\W\\d]', '[ab1_]', '[[:alpha:]]', '\\s', '\\S'],
  ...['[^é]', '[a-я]', '\\pL', '\\p{Greek}', '(?s:.)', '[K-ſ]', '[^[:^alnum:]]', '\\x61', '\\.'],
  ...['\\Qa-\\E', '[\\]a-]', '\\x{1f600}', '\\P{Lu}', '[^-a]'],
);
const quantifier = fc.constantFrom(
  ...['*', '+', '?', '*?', '+?', '??', '{2}', '{0}', '{1,}', '{0,2}', '{2,3}?', '{3,12}'],
  ...['{0,20}?', '{10,30}', '{70}', '{,2}'],
);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => {
  const inner = tie('pattern');
  const group = (open: string) => inner.map((text) => `${open}${text})`);
  const atom = fc.oneof(
    { weight: 6, arbitrary: letter },
    { weight: 4, arbitrary: set },
    { weight: 2, arbitrary: group('(') },
    { weight: 2, arbitrary: group('(?:') },
    { weight: 1, arbitrary: group('(?i:') },
    { weight: 1, arbitrary: group('(?m:') },
    { weight: 1, arbitrary: group('(?U:') },
  );
  const piece = fc.oneof(
    { weight: 5, arbitrary: atom },
    { weight: 3, arbitrary: fc.tuple(atom, quantifier).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B', '(?i)', '\\A', '\\z', '(?s)') },
  );
  const sequence = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
  const branches = fc.array(sequence, { minLength: 2, maxLength: 3 }).map((all) => all.join('|'));
  return {
    pattern: fc.oneof(
      { maxDepth: 3 },
      { weight: 4, arbitrary: sequence },
      { weight: 1, arbitrary: branches },
    ),
  };
});
const text = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: letter },
      fc.constantFrom('aa', 'ab', 'kas', 'ask', 'Sk', 'ba1', 'σ', '.', 'aaaaaaaaaaaaaaaaa', 'cab'),
    ),
    { maxLength: 24 },
  )
  .map((words) => words.join(''));

/** The pattern; undefined when it is refused, null when it makes no rule. */
function parsed(source: string): Pattern | null | undefined {
  let result: Pattern;
  try {
    result = parsePattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return undefined;
  }
  if (isNullable(result.tree)) return null;
  try {
    compileTree(result.tree);
    return result;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return null;
  }
}

/** A pattern whose findings may begin in the middle of a word, as those of other patterns for credentials may not. */
const anywhere = (source: string) =>
  parsePattern(source).groups > 0 ? `a{0}(?:${source})` : `a{0}(${source})`;

const keywordSets = [[], ['ask'], ['aaa', 'kas', 'cab', 'ask', 'ba1']];

/** A rule for each set of keywords: whether a match must hold one of them changes how it is found, not what. */
function rulesOf(sources: readonly string[]): string {
  const rules = sources.flatMap((source, number) => {
    const most = lengths(parsePattern(source).tree).most > 16_384 ? ['max: 16384'] : [];
    return keywordSets.map((keywords, variant) =>
      [
        `  - id: r${number}_${variant}`,
        `pattern: ${JSON.stringify(anywhere(source))}`,
        `keywords: ${JSON.stringify(keywords)}`,
        ...most,
      ].join('\n    '),
    );
  });
  return ['set: secrets', 'rules:', ...rules].join('\n');
}

/** Compares a few patterns on all texts; returns how many matches there were. */
function compare(sources: readonly string[], answers: Found[][][], texts: readonly string[]) {
  const guard = guardOf(rulesOf(sources));
  let count = 0;
  texts.forEach((subject, index) => {
    const found = findIn(guard, subject);
    if (found === undefined) return;
    sources.forEach((source, number) => {
      keywordSets.forEach((keywords, variant) => {
        const kind = `r${number}_${variant}`;
        const ours = found.filter(([name]) => name === kind).map(([, start, end]) => [start, end]);
        const theirs = answers[number]![index]!;
        assert.equal(ours, theirs, JSON.stringify({ source, keywords, subject }));
        count += theirs.length;
      });
    });
  });
  return count;
}

if (needs('go')) {
  test('rules match as Go does, whether a keyword is looked for or not', () => {
    const seed = fc.sample(fc.nat(), 1)[0]!;
    const texts = fc.sample(text, { numRuns: 40, seed });
    const sources = fc.sample(pattern, { numRuns: 200, seed }).filter((source) => source !== '');
    const answers = goMatches(sources, texts);
    const taken: string[] = [];
    const expected: Found[][][] = [];
    sources.forEach((source, index) => {
      const ours = parsed(source);
      assert.is(ours === undefined, answers[index] === null, `${JSON.stringify(source)} (${seed})`);
      if (!ours) return;
      taken.push(source);
      expected.push(answers[index] as unknown as Found[][]);
    });
    let matches = 0;
    for (let from = 0; from < taken.length; from += 4) {
      matches += compare(taken.slice(from, from + 4), expected.slice(from, from + 4), texts);
    }
    assert.ok(matches > 1000, `${matches} matches`);
  });
}

test.run();
