// What rules find, written down plainly: every place is tried in turn, and generic findings give way.
import { byPlace, type Found } from './testing.ts';

/** A rule for the guard, and what it means in the words of ECMAScript. */
export interface PlainRule {
  id: string;
  /** RE2, as it stands in the rule file. */
  pattern: string;
  /** The same for ECMAScript, where it is written differently. */
  source?: string;
  /** Its flags: of i, s and m. */
  flags?: string;
  keywords?: readonly string[];
  max: number;
  generic?: boolean;
  /** Whether the finding is all of the match or begins as it does: then it never begins in the middle of a word. */
  word: boolean;
}

/** The rules as a file (YAML). */
export function ruleFile(rules: readonly PlainRule[]): string {
  const entries = rules.map(({ id, pattern, keywords = [], max, generic = false }) =>
    JSON.stringify({ id, pattern, keywords, max, generic }),
  );
  return `set: secrets\nrules: [${entries.join(', ')}]`;
}

/**
 * All that the rules find. Of each rule the matches do not overlap: from the end of one the next is the first place
 * at which it matches in `max` characters, in the way that it prefers most. Texts are ASCII, without backslashes.
 */
export function plainFindings(rules: readonly PlainRule[], text: string): Found[] {
  const found: Found[] = [];
  const generic: (Found & { rule?: number })[] = [];
  rules.forEach((rule) => {
    for (const finding of matchesOf(rule, text)) (rule.generic ? generic : found).push(finding);
  });
  // The sort is stable: of those that start at one place, the first rule's comes first.
  generic.sort((a, b) => a[1] - b[1]);
  for (const finding of generic) {
    if (!found.some(([, start, end]) => start < finding[2] && finding[1] < end))
      found.push(finding);
  }
  return found.sort(byPlace);
}

function matchesOf(rule: PlainRule, text: string): Found[] {
  const found: Found[] = [];
  let from = 0;
  while (from < text.length) {
    const match = isMidWord(rule, text, from) ? null : matchAt(rule, text, from);
    if (match === null) {
      from++;
      continue;
    }
    const [start, end] = match.indices![1] ?? match.indices![0];
    if (start < end) found.push([rule.id, start, end]);
    from = match.indices![0][1];
  }
  return found;
}

function isMidWord({ word }: PlainRule, text: string, at: number): boolean {
  return word && /^[0-9A-Za-z]{2}/.test(at > 0 ? text.slice(at - 1) : '');
}

/** The match that begins at a place: the most preferred one that ends soon enough. */
function matchAt(rule: PlainRule, text: string, at: number): RegExpExecArray | null {
  const { pattern, source = pattern, flags = '', max } = rule;
  const bounded = new RegExp(`(?:${source})(?<![^]{${at + max + 1}})`, `yd${flags}`);
  bounded.lastIndex = at;
  return bounded.exec(text);
}
