// Gathers flips into groups: one for each pair of rules at a boundary, with a count and the smallest example.
import type { JsonObject } from '../../../runtime/json.ts';
import type { FlipKind } from './judge.ts';

/** Where an input came from. */
export type Origin = { generated: true } | { generated: false; sequence: number };

/** All inputs that went from one rule to another. */
export interface FlipGroup {
  /** Stable: made of the boundary, both rules and the kind, nothing else. */
  name: string;
  boundary: string;
  kind: FlipKind;
  from: string;
  to: string;
  /** How many generated inputs, and how many recorded decisions. */
  generated: number;
  recorded: number;
  /** The smallest input; a recorded one as it stands in evidence, committed fields replaced. */
  example: FlipExample;
}

export interface FlipExample {
  /** Canonical JSON. */
  input: string;
  /** What was asked for in clear, where committed fields were opened; canonical JSON. */
  opened?: string;
  /** The evidence row, for a recorded one. */
  sequence?: number;
  old: AnswerShown;
  now: AnswerShown;
}

export interface AnswerShown {
  allow: boolean;
  rule: string;
  obligations: JsonObject[];
}

/** Rules can make up their codes, so groups are bounded; what is beyond is counted in one. */
const GROUPS_MAX = 500;
const RULE_CHARACTERS_MAX = 200;
export const OTHERS = 'others';

/** Groups by name. */
export class Flips {
  readonly groups = new Map<string, FlipGroup>();

  /** Adds one flip, or all of another's group. */
  add(group: FlipGroup): void {
    let { name } = group;
    if (!this.groups.has(name) && this.groups.size >= GROUPS_MAX) {
      name = `${group.boundary}:${OTHERS}:${group.kind}`;
    }
    const known = this.groups.get(name);
    if (known === undefined) {
      this.groups.set(name, { ...group, name });
      return;
    }
    known.generated += group.generated;
    known.recorded += group.recorded;
    if (isSmaller(group.example, known.example)) known.example = group.example;
  }
}

/**
 * `<boundary>:<old rule>:<new rule>`, the rules without `platform.<boundary>.`; the kind follows where
 * the verdict itself stayed.
 */
export function flipName(boundary: string, kind: FlipKind, from: string, to: string): string {
  const prefix = `platform.${boundary}.`;
  const rules = [from, to].map((rule) =>
    plain(rule.startsWith(prefix) ? rule.slice(prefix.length) : rule),
  );
  const isVerdict =
    kind === 'deny_to_allow' || kind === 'allow_to_deny' || kind === 'reason_changed';
  return [boundary, ...rules, ...(isVerdict ? [] : [kind])].join(':');
}

/** Codes come out of policies: nothing in them may play with a terminal or with the name's form. */
function plain(rule: string): string {
  return rule.slice(0, RULE_CHARACTERS_MAX).replaceAll(/[^A-Za-z0-9._-]/g, '_');
}

/** The shorter one; of equal length the first in order, so that the choice never depends on time. */
function isSmaller(a: FlipExample, b: FlipExample): boolean {
  // A made-up example can be shown whole, so it is the better one.
  const aRecorded = a.sequence !== undefined;
  if (aRecorded !== (b.sequence !== undefined)) return !aRecorded;
  if (a.input.length !== b.input.length) return a.input.length < b.input.length;
  return a.input < b.input;
}
