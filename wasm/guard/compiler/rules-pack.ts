// Writes rules as the section that wasm/guard/engine reads: records, automata, programs and names.
import { type Automaton, buildAutomaton, keywordBytes } from './automaton.ts';
import { keywordReach } from './automaton-keywords.ts';
import { compileTree, lengths } from './program.ts';
import { Packer } from './program-pack.ts';
import type { Tree } from './re2.ts';
import { type Rule, SETS } from './rules.ts';
import { PatternError, RuleError } from './rules-error.ts';
import { beginsWord } from './rules-word.ts';

const NONE = 0xffff;
const HEADER_BYTES = 48;
const RULE_BYTES = 40;
/** Findings are judged by the entropy of so many bytes at most. */
const ENTROPY_BYTES = 1024;
/** The bit of a pattern's number that says that it is looked for near a finding's beginning only. */
const NEAR_BEGINNING = 0x8000;
/** So far behind the fewest bytes of a finding a placeholder may end; fewer bytes than one has. */
const PLACEHOLDER_TAIL = 2;
/** Entropies are counted in parts of a bit: 2 to the power of 12. */
const ENTROPY_UNIT = 4096;
const Flag = { generic: 1, whole: 2, direct: 4, captures: 8, word: 16 } as const;
/** Matches whose beginnings a keyword leaves so little choice are tried one by one. */
const DIRECT_STARTS = 4;
const DIRECT_MAX = 512;

/** How a rule will be searched for. */
export interface RulePlan {
  rule: Rule;
  /** Whether the whole text is scanned, since a match need not hold a keyword (or there is none). */
  isWhole: boolean;
}

/** Packs the rules; `plans`, when given, is told how each will be searched for. */
export function packRules(rules: readonly Rule[], plans: RulePlan[] = []): Uint8Array {
  // Rules of one set stand together, in the order of the files.
  const ordered = SETS.flatMap((set) => rules.filter((rule) => rule.set === set));
  const kinds = [...new Set(ordered.map(({ kind }) => kind))].sort();
  const packer = new Packer(HEADER_BYTES);
  const reaches: number[] = [];
  const whole: boolean[] = [];
  const records = ordered.map((rule) => {
    const record = packChecked(rule, kinds.indexOf(rule.kind), packer);
    reaches.push(record.reach);
    whole.push(record.isWhole);
    plans.push({ rule, isWhole: record.isWhole });
    return record.bytes;
  });
  const rulesAt = packer.append(concat(records));
  const programsAt = packer.appendPrograms();
  const kindsAt = packer.append(packNames(kinds, packer));
  const entropyAt = packer.append(entropyTable());
  const sets = SETS.map((set) => {
    const first = ordered.findIndex((rule) => rule.set === set);
    const numbers = ordered.flatMap((rule, number) => (rule.set === set ? [number] : []));
    return packSet(ordered, numbers, Math.max(first, 0), whole, reaches, packer);
  });
  const setsAt = packer.append(concat(sets));
  const header = [
    ...[1, ordered.length, rulesAt, packer.programCount, programsAt, packer.setsOffset],
    ...[kinds.length, kindsAt, entropyAt, SETS.length, setsAt, 0],
  ];
  return packer.finish(words(header));
}

/** As `packRule`; says where the pattern stands when it is too large. */
function packChecked(rule: Rule, kind: number, packer: Packer): ReturnType<typeof packRule> {
  try {
    return packRule(rule, kind, packer);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new RuleError(rule.place, `the rule ${rule.id}: ${error.message}`, error);
  }
}

function packRule(rule: Rule, kind: number, packer: Packer) {
  const exact = compileTree(rule.pattern.tree, {
    group: rule.group === 0 ? undefined : rule.group,
  });
  const keywords = rule.keywords.map(keywordBytes);
  const reach = keywords.length === 0 ? undefined : keywordReach(exact, keywords);
  const isWhole = reach === undefined;
  const most = Math.min(reach?.most ?? rule.max, rule.max);
  const least = Math.min(reach?.least ?? 1, most);
  const isDirect = !isWhole && most - least < DIRECT_STARTS && rule.max <= DIRECT_MAX;
  const loose = isDirect ? undefined : compileTree(rule.pattern.tree, { loose: true });
  // Where nothing was loosened one automaton serves both ends.
  const isLooser = loose !== undefined && loose.instructions.length < exact.instructions.length;
  const [program, looser] = packer.addPrograms([exact, isLooser ? loose : undefined]);
  const filter = isDirect ? undefined : (looser ?? program);
  const stop = rule.stopwords.length === 0 ? NONE : packer.addWords(rule.stopwords);
  const allow = [
    ...rule.allow.map((pattern) => packer.addPattern(pattern)),
    ...rule.placeholders.map((pattern) => packer.addPattern(pattern) | NEAR_BEGINNING),
  ];
  const allowAt = packer.append(shorts(allow));
  const flags =
    (rule.generic ? Flag.generic : 0) |
    (isWhole ? Flag.whole : 0) |
    (isDirect ? Flag.direct : 0) |
    (rule.group > 0 ? Flag.captures : 0) |
    (beginsWord(rule) ? Flag.word : 0);
  const bytes = new Uint8Array(RULE_BYTES);
  const view = new DataView(bytes.buffer);
  [kind, rule.score, rule.check, flags, program!, filter ?? NONE].forEach((value, index) => {
    view.setUint16(index * 2, value, true);
  });
  [rule.max, most, least, Math.round(rule.entropy * ENTROPY_UNIT)].forEach((value, index) => {
    view.setUint32(12 + index * 4, value, true);
  });
  view.setUint16(28, stop, true);
  view.setUint16(30, allow.length, true);
  view.setUint32(32, allowAt, true);
  view.setUint32(36, placeholderBytes(rule), true);
  return { bytes, reach: most, isWhole };
}

/**
 * In how many of a finding's first bytes a placeholder excuses it. A word that is appended to a credential stands
 * behind the fewest bytes that the format has, and excuses nothing; what a generic rule finds has no format.
 */
function placeholderBytes({ generic, group, pattern }: Rule): number {
  if (generic) return 0xffffffff;
  const finding = group === 0 ? pattern.tree : (groupIn(pattern.tree, group) ?? pattern.tree);
  return lengths(finding).least + PLACEHOLDER_TAIL;
}

function groupIn(tree: Tree, group: number): Tree | undefined {
  if (tree.kind === 'group' && tree.index === group) return tree;
  if (tree.kind === 'group' || tree.kind === 'repeat') return groupIn(tree.item, group);
  if (tree.kind !== 'concat' && tree.kind !== 'either') return undefined;
  for (const item of tree.items) {
    const found = groupIn(item, group);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The record of a set; `numbers` are its rules. */
function packSet(
  rules: readonly Rule[],
  numbers: readonly number[],
  first: number,
  whole: readonly boolean[],
  reaches: readonly number[],
  packer: Packer,
): Uint8Array {
  const byKeyword = new Map<string, number[]>();
  for (const number of numbers) {
    if (whole[number]) continue;
    for (const keyword of rules[number]!.keywords) {
      const key = Buffer.from(keywordBytes(keyword)).toString();
      byKeyword.set(key, [...(byKeyword.get(key) ?? []), number]);
    }
  }
  const keywords = [...byKeyword.keys()].sort();
  const rulesOf = keywords.map((keyword) => byKeyword.get(keyword)!);
  const automaton = buildAutomaton(
    keywords.map(keywordBytes),
    rulesOf.map((numbers) => Math.max(...numbers.map((number) => reaches[number]!))),
  );
  const everywhere = numbers.filter((number) => whole[number]);
  const record = packAutomaton(automaton, rulesOf, packer);
  return words([
    ...[first, numbers.length, ...record],
    ...[packer.append(shorts(everywhere)), everywhere.length, 0],
  ]);
}

/** Classes, their number, states, first state with a finding, transitions, findings and how far back a match may begin. */
function packAutomaton(
  automaton: Automaton,
  rulesOf: readonly (readonly number[])[],
  packer: Packer,
): number[] {
  const count = automaton.next.length;
  if (count > 0xffff) throw new RangeError('the keywords of a set make more than 65,535 states');
  const all = Array.from({ length: count }, (_, state) => state);
  const quiet = all.filter((state) => automaton.found[state]!.length === 0);
  const order = [...quiet, ...all.filter((state) => automaton.found[state]!.length > 0)];
  const place: number[] = [];
  order.forEach((state, index) => {
    place[state] = index;
  });
  const back = order.map((state) => automaton.back[state]!);
  const found = order.slice(quiet.length).map((state) => {
    const rules = new Set(automaton.found[state]!.flatMap((keyword) => rulesOf[keyword]!));
    return packer.append(shorts([rules.size, ...[...rules].sort((a, b) => a - b)]));
  });
  return [
    ...[packer.append(automaton.classes), automaton.classCount, count, quiet.length],
    packer.append(packTransitions(automaton, place)),
    ...[packer.append(words(found)), packer.append(shorts(back))],
  ];
}

/** For each state, in order, the one that it is like, and the classes for which it goes on elsewhere; see keywords.ts. */
function packTransitions(automaton: Automaton, place: readonly number[]): Uint8Array {
  const values: number[] = [];
  for (const state of automaton.order) {
    const row = automaton.next[state]!;
    const like = state === 0 ? undefined : automaton.next[automaton.like[state]!]!;
    const other = [...row.keys()].filter((letter) => row[letter] !== (like?.[letter] ?? 0));
    values.push(place[state]!, place[automaton.like[state]!]!, other.length);
    for (const letter of other) values.push(letter, place[row[letter]!]!);
  }
  return shorts(values);
}

function packNames(names: readonly string[], packer: Packer): Uint8Array {
  return words(
    names.flatMap((name) => [packer.append(new TextEncoder().encode(name)), name.length]),
  );
}

/** n times its binary logarithm, in parts of a bit: what entropies are summed from. */
function entropyTable(): Uint8Array {
  return words(
    Array.from({ length: ENTROPY_BYTES + 1 }, (_, n) =>
      n === 0 ? 0 : Math.round(n * Math.log2(n) * ENTROPY_UNIT),
    ),
  );
}

function words(values: readonly number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer);
}

function shorts(values: readonly number[]): Uint8Array {
  return new Uint8Array(Uint16Array.from(values).buffer);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
