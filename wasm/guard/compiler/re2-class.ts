// Sets of code points of RE2 patterns: Perl and POSIX classes, Unicode properties, negation and case folding.

/** Sorted pairs of first and last code point; pairs neither overlap nor touch. */
export type Ranges = readonly (readonly [number, number])[];

export const CODE_POINT_MAX = 0x10ffff;

const WORD: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];

/** `\d`, `\s` and `\w`, which are ASCII in RE2. */
export const PERL: Readonly<Record<string, Ranges>> = {
  d: [[0x30, 0x39]],
  s: [
    [0x09, 0x0a],
    [0x0c, 0x0d],
    [0x20, 0x20],
  ],
  w: WORD,
};

/** `[:name:]` in a class. */
export const POSIX: Readonly<Record<string, Ranges>> = {
  alnum: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  alpha: [
    [0x41, 0x5a],
    [0x61, 0x7a],
  ],
  ascii: [[0, 0x7f]],
  blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: [[0x30, 0x39]],
  graph: [[0x21, 0x7e]],
  lower: [[0x61, 0x7a]],
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
  upper: [[0x41, 0x5a]],
  word: WORD,
  xdigit: [
    [0x30, 0x39],
    [0x41, 0x46],
    [0x61, 0x66],
  ],
};

/** Sorts and joins ranges in any order. */
export function normalize(ranges: Ranges): Ranges {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const joined: [number, number][] = [];
  for (const [low, high] of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else joined.push([low, high]);
  }
  return joined;
}

/** What normalized ranges leave out. */
export function negate(ranges: Ranges): Ranges {
  const gaps: [number, number][] = [];
  let from = 0;
  for (const [low, high] of ranges) {
    if (low > from) gaps.push([from, low - 1]);
    from = high + 1;
  }
  if (from <= CODE_POINT_MAX) gaps.push([from, CODE_POINT_MAX]);
  return gaps;
}

const properties = new Map<string, Ranges>();

/** The code points of a general category or script, as Unicode of the build's Node has them; undefined for none. */
export function property(name: string): Ranges | undefined {
  const known = properties.get(name);
  if (known !== undefined) return known;
  if (name === 'Any') return [[0, CODE_POINT_MAX]];
  const test = propertyTest(name);
  if (test === undefined) return undefined;
  const found: [number, number][] = [];
  for (let point = 0; point <= CODE_POINT_MAX; point++) {
    if (!test.test(String.fromCodePoint(point))) continue;
    const last = found.at(-1);
    if (last?.[1] === point - 1) last[1] = point;
    else found.push([point, point]);
  }
  properties.set(name, found);
  return found;
}

function propertyTest(name: string): RegExp | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  for (const form of [`gc=${name}`, `sc=${name}`]) {
    try {
      return new RegExp(`^\\p{${form}}$`, 'u');
    } catch {
      // The other form may be known.
    }
  }
  return undefined;
}

let orbits: ReadonlyMap<number, readonly number[]> | undefined;

/** For each code point that differs from others in case only, all of them with itself (simple case folding). */
export function caseOrbits(): ReadonlyMap<number, readonly number[]> {
  if (orbits !== undefined) return orbits;
  const found = new Map<number, Set<number>>();
  for (let point = 0; point <= CODE_POINT_MAX; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    for (const other of [character.toLowerCase(), character.toUpperCase()]) {
      const code = other.codePointAt(0)!;
      if (code === point || String.fromCodePoint(code) !== other) continue;
      // Not every pair of these mappings is one of simple folding: the dotless i is no other case of I.
      if (!new RegExp(`^\\u{${code.toString(16)}}$`, 'iu').test(character)) continue;
      const all = new Set([point, code, ...(found.get(point) ?? []), ...(found.get(code) ?? [])]);
      for (const each of all) found.set(each, all);
    }
  }
  orbits = new Map([...found].map(([point, all]) => [point, [...all]]));
  return orbits;
}

/** The ranges with all that differs from them in case only. */
export function fold(ranges: Ranges): Ranges {
  if (ranges.length === 1 && ranges[0]![0] === ranges[0]![1]) {
    const [point] = ranges[0]!;
    return normalize((caseOrbits().get(point) ?? [point]).map((each) => [each, each] as const));
  }
  const added: [number, number][] = [];
  const normal = normalize(ranges);
  for (const [point, orbit] of caseOrbits()) {
    if (normal.some(([low, high]) => low <= point && point <= high)) {
      for (const other of orbit) added.push([other, other]);
    }
  }
  return normalize([...normal, ...added]);
}
