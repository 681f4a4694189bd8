// Arbitrary patterns of Go's package regexp, texts and replacements for them.
import fc from 'fast-check';

const letter = fc.constantFrom(
  'a',
  'b',
  'c',
  'B',
  'é',
  'É',
  '😀',
  '-',
  '1',
  '_',
  ' ',
  's',
  'ſ',
  'k',
  '\n',
  'σ',
  'ǅ',
);
const property = fc.constantFrom(
  ...['\\pL', '\\PL', '\\p{Lu}', '\\p{Greek}', '\\P{^Latin}', '\\p{Nd}', '\\p{lowercase letter}'],
  ...['\\p{Any}', '\\p{ascii}', '\\p{Assigned}', '\\pN', '\\p{LC}', '\\p{Cn}'],
);
const set = fc.oneof(fc.constantFrom('\\d', '\\D', '\\w', '\\W', '\\s', '\\S'), property);
const escape = fc.constantFrom(
  ...[
    '\\n',
    '\\t',
    '\\x61',
    '\\x{1F600}',
    '\\141',
    '\\.',
    '\\_',
    '\\-',
    '\\]',
    '\\[',
    '\\a',
    '\\077',
  ],
);
const classItem = fc.oneof(
  letter,
  fc.constantFrom(
    '^',
    '.',
    '$',
    '-',
    '[',
    'a-c',
    'A-Z',
    'k-t',
    ' -~',
    '\\x00-\\x7f',
    'é-\\x{10FFFF}',
  ),
  fc.constantFrom('[:alpha:]', '[:^digit:]', '[:word:]', '[:punct:]', '[:space:]', '[:upper:]'),
  set,
  escape,
);
const characterClass = fc
  .tuple(fc.boolean(), fc.array(classItem, { minLength: 1, maxLength: 4 }))
  .map(([negated, items]) => `[${negated ? '^' : ''}${items.join('')}]`);
const quantifier = fc.constantFrom(
  ...['*', '+', '?', '*?', '+?', '??', '{2}', '{0}', '{0,0}', '{1,}', '{0,2}', '{2,3}?', '{,2}'],
);
/** A pattern of Go's package regexp. */
export const { pattern } = fc.letrec<{ pattern: string }>((tie) => {
  const inner = tie('pattern');
  const atom = fc.oneof(
    { weight: 6, arbitrary: letter },
    { weight: 1, arbitrary: fc.constant('.') },
    { weight: 2, arbitrary: fc.oneof(set, escape) },
    { weight: 3, arbitrary: characterClass },
    { weight: 3, arbitrary: inner.map((text) => `(${text})`) },
    { weight: 1, arbitrary: inner.map((text) => `(?:${text})`) },
    { weight: 1, arbitrary: inner.map((text) => `(?P<n>${text})`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('i', 'm', 's', 'U', 'im', 'i-s', '-i', 'sU-m'), inner)
        .map(([flags, text]) => `(?${flags}:${text})`),
    },
  );
  const piece = fc.oneof(
    { weight: 5, arbitrary: atom },
    { weight: 4, arbitrary: fc.tuple(atom, quantifier).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\z', '(?i)', '(?m)') },
    { weight: 1, arbitrary: fc.constantFrom('\\Qa.b\\E', '\\Q', '\\Q\\E', '^*', '(?U)', '(?s)') },
  );
  const sequence = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  return {
    pattern: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: sequence },
      {
        weight: 1,
        arbitrary: fc.array(sequence, { minLength: 2, maxLength: 3 }).map((all) => all.join('|')),
      },
    ),
  };
});
/** A text for such patterns. */
export const subject = fc.array(letter, { maxLength: 10 }).map((letters) => letters.join(''));
/** A replacement with names of groups. */
export const replacement = fc
  .array(
    fc.constantFrom('$1', '${1}', '$n', '${n}', '$$', '$', '${', 'x', '$10', '$01', '$é', '$0'),
    {
      maxLength: 3,
    },
  )
  .map((parts) => parts.join(''));
