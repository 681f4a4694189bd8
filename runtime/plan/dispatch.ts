// Writes the rules of a function so that only those run which the value that most of them ask for selects.
import type { Label } from './code.ts';
import type { Frame } from './frame.ts';
import type { Guard, Rule, Subject } from './guards.ts';
import type { Constant } from './ir.ts';
import { VALUE } from './layout.ts';
import { writeInOrder } from './outline.ts';
import { writeBlock } from './statements/block.ts';

/** Fewer rules than these are tried one after another. */
const RULES_MIN = 4;
/** With fewer constants little would be skipped. */
const CONSTANTS_MIN = 3;
/** A branch table of V8 has at most 65,520 entries; nested blocks are one for each. */
const CONSTANTS_MAX = 20_000;

/** The rules that ask for one constant, in their order. */
interface Group {
  constant: Constant;
  rules: Rule[];
}

/**
 * Writes rules in their order. Those that follow one another and ask for the same value become one branch
 * to those that ask for what it is; each of them still makes all its tests.
 */
export function writeRules(frame: Frame, rules: readonly Rule[], asked: ReadonlySet<string>): void {
  const subject = frame.plan.index ? bestSubject(rules, asked) : undefined;
  if (subject === undefined) {
    writeInOrder(frame, rules);
    return;
  }
  const numbers = new Map<string, number>();
  const constants: Constant[] = [];
  for (const rule of rules) {
    const guard = guardOn(rule, subject);
    if (guard === undefined || numbers.has(nameOf(guard.constant))) continue;
    numbers.set(nameOf(guard.constant), constants.length);
    constants.push(guard.constant);
  }
  const number = writeNumber(frame, subject, constants);
  const next = new Set([...asked, subject.name]);
  for (const run of runsOf(rules, subject)) {
    if (run.length === 1 || guardOn(run[0]!, subject) === undefined) writeInOrder(frame, run);
    else writeBranch(frame, number, groupsOf(run, subject), numbers, next);
  }
}

/** The value that most rules ask for; of several, that with the most constants. */
function bestSubject(rules: readonly Rule[], asked: ReadonlySet<string>): Subject | undefined {
  const found = new Map<string, { subject: Subject; rules: number; constants: Set<string> }>();
  for (const { guards } of rules) {
    const seen = new Set<string>();
    for (const { subject, constant } of guards) {
      if (asked.has(subject.name) || seen.has(subject.name)) continue;
      seen.add(subject.name);
      const entry = found.get(subject.name) ?? { subject, rules: 0, constants: new Set() };
      entry.rules++;
      entry.constants.add(nameOf(constant));
      found.set(subject.name, entry);
    }
  }
  const usable = [...found.values()].filter(
    ({ rules: count, constants }) =>
      count >= RULES_MIN && constants.size >= CONSTANTS_MIN && constants.size <= CONSTANTS_MAX,
  );
  usable.sort((a, b) => b.constants.size - a.constants.size || b.rules - a.rules);
  return usable[0]?.subject;
}

/** Rules that follow one another with a guard on the subject, and the others one by one. */
function runsOf(rules: readonly Rule[], subject: Subject): Rule[][] {
  const runs: Rule[][] = [];
  let open = false;
  for (const rule of rules) {
    const guarded = guardOn(rule, subject) !== undefined;
    if (guarded && open) runs.at(-1)!.push(rule);
    else runs.push([rule]);
    open = guarded;
  }
  return runs;
}

function groupsOf(run: readonly Rule[], subject: Subject): Group[] {
  const groups = new Map<string, Group>();
  for (const rule of run) {
    const { constant } = guardOn(rule, subject)!;
    const group = groups.get(nameOf(constant)) ?? { constant, rules: [] };
    group.rules.push(rule);
    groups.set(nameOf(constant), group);
  }
  return [...groups.values()];
}

/** Writes what finds the number of the constant that the subject equals, -1 for none; returns its local. */
function writeNumber(frame: Frame, subject: Subject, constants: readonly Constant[]): number {
  const { code, plan } = frame;
  const number = code.local();
  const items = constants.map((constant, at) => {
    const value: Constant = { type: 'integer', value: at };
    return [constant, value] as const;
  });
  const table = plan.constants.global({ type: 'object', items });
  code.i32(-1).set(number);
  const none = code.block();
  frame.inside(none, () => {
    const value = frame.temporary();
    if (subject.keys.length === 0) frame.get(subject.root).set(frame.local(value));
    else {
      const { root, keys } = subject;
      writeBlock(frame, { stmts: [{ type: 'PathStmt', stmt: { root, keys, target: value } }] });
    }
    plan.runtime.call(code.getGlobal(table).get(frame.local(value)), 'dot');
    code.tee(frame.local(value)).op('eqz').branchIf(none);
    code.get(frame.local(value)).load(VALUE).set(number);
  });
  code.end();
  return number;
}

/** Writes the branch to the group of the number, and the groups, each of which goes on after the last. */
function writeBranch(
  frame: Frame,
  number: number,
  groups: readonly Group[],
  numbers: ReadonlyMap<string, number>,
  asked: ReadonlySet<string>,
): void {
  const { code } = frame;
  const end = code.block();
  const labels = new Map<number, Label>();
  for (const { constant } of [...groups].reverse())
    labels.set(numbers.get(nameOf(constant))!, code.block());
  const first = Math.min(...labels.keys());
  const last = Math.max(...labels.keys());
  const table: Label[] = [];
  for (let at = first; at <= last; at++) table.push(labels.get(at) ?? end);
  // A number below the first is a large one without its sign, which is beyond the table.
  code.get(number).i32(first).op('sub').branchTable(table, end);
  for (const { rules } of groups) {
    code.end();
    writeRules(frame, rules, asked);
    code.branch(end);
  }
  code.end();
}

function guardOn({ guards }: Rule, subject: Subject): Guard | undefined {
  return guards.find((guard) => guard.subject.name === subject.name);
}

/** Different constants have different names. */
function nameOf(constant: Constant): string {
  return JSON.stringify(constant);
}
