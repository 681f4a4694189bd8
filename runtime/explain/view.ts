// What is shown of an explanation, whatever it is shown on: sections of lines, the deciding ones open.
import type { RegoCondition, RegoOutcome, RegoRuleTrace } from '../modules/rego.ts';
import type { Explanation } from './explanation.ts';
import { printable } from './printable.ts';
import { rulesIn } from './tree.ts';

export interface Line {
  outcome: RegoOutcome;
  /** A rule is known by its title, a condition is source text. */
  kind: 'rule' | 'condition';
  text: string;
  /** Of a rule: its name; empty where the title is the name. */
  name: string;
  /** Of a rule `file:row`. */
  place: string;
  /** Of a condition: its parts with their values, as Rego. */
  values: [name: string, value: string][];
  /** What words must add to the mark; may be empty. */
  note: string;
  children: Line[];
  /** Whether the children matter less than what is beside them. */
  folded: boolean;
}

export interface Section {
  title: string;
  lines: Line[];
  /** Shown only on request. */
  folded: boolean;
}

export interface View {
  allow: boolean;
  verdict: 'allow' | 'deny';
  rule: string;
  reasons: string[];
  /** What the reader has to know first; may be empty. */
  warning: string;
  sections: Section[];
}

const valuesShown = 8;

/** Lays an explanation out; all texts are printable. */
export function viewOf(explanation: Explanation): View {
  const { allow, why, others, tree, reasons } = explanation;
  const known = rulesFirst(why, explanation.rule);
  const sections: Section[] = [
    {
      title: allow ? 'What permitted it' : 'What refused it',
      lines: known.map((rule) => open(rule)),
      folded: false,
    },
    {
      title: allow ? 'What could have refused it' : 'What could have permitted it',
      // Where no rule spoke, what came closest is the answer.
      lines: others.map((rule) => ({ ...open(rule), folded: known.length > 0 })),
      folded: allow,
    },
    { title: 'Everything that was evaluated', lines: tree.map(whole), folded: true },
  ];
  return {
    allow,
    verdict: allow ? 'allow' : 'deny',
    rule: printable(explanation.rule),
    reasons: reasons.map(({ code, message }) => printable(`${code}: ${message}`)),
    warning: warningOf(explanation),
    sections: sections.filter(({ lines }) => lines.length > 0),
  };
}

/**
 * The lines of a failed test: what held with the elements that its policies gave, and what did not
 * with everything that it met.
 */
export function linesOfTest(trace: readonly RegoCondition[]): Line[] {
  const tests = trace
    .flatMap(({ rules = [] }) => rules)
    .flatMap(({ expressions = [] }) => expressions);
  return tests.map((given) => {
    if (given.outcome !== 'true') return condition(given);
    const gave = rulesIn([given]).filter(
      ({ kind, outcome, file }) =>
        kind === 'set' && outcome === 'true' && !file.endsWith('_test.rego'),
    );
    return { ...conditionLine(given), children: gave.map(lineOf) };
  });
}

function warningOf({ module, unknown, diverges }: Explanation): string {
  if (module !== 'authorization')
    return `the module ${printable(module)} decided this; it has no rules`;
  if (diverges) return 'the rules give another output than the one that was recorded';
  if (unknown.length === 0) return '';
  const names = unknown.map((name) => `input.${printable(name)}`).join(', ');
  const are = unknown.length === 1 ? 'is' : 'are';
  return `${names} ${are} committed in the evidence and not opened here: what depends on it is unknown`;
}

/** The one that the decision names comes first. */
function rulesFirst(rules: readonly RegoRuleTrace[], named: string): RegoRuleTrace[] {
  const code = JSON.stringify(named.split('.').at(-1) ?? '');
  const isNamed = ({ value = '' }: RegoRuleTrace) => value.includes(`"code": ${code}`);
  return [...rules.filter(isNamed), ...rules.filter((rule) => !isNamed(rule))];
}

/** A rule with the conditions that explain its outcome. A reason or a grant begins anew. */
function open(rule: RegoRuleTrace, below = 0): Line {
  const depth = rule.kind === 'set' ? 0 : below;
  const children = (rule.expressions ?? []).map((each) => condition(each, depth));
  return { ...lineOf(rule), children, folded: false };
}

/** `depth` counts the rules between a reason or a grant and this condition. */
function condition(given: RegoCondition, depth = 0): Line {
  const rules = given.rules ?? [];
  // What holds is explained by what it found, and what does not by everything that was tried.
  const isNegated = /^not\b/.test(given.text);
  const telling =
    given.outcome === 'true' && !isNegated
      ? rules.filter(({ outcome }) => outcome === 'true' || outcome === 'unknown')
      : rules.filter(({ kind, outcome }) => kind !== 'default' || outcome === 'true');
  const shown = telling.filter(({ path }) => !path.startsWith('data.platform.answer.'));
  const children = [
    ...(given.inner ?? []).map((each) => condition(each, depth)),
    ...shown.map((rule) => open(rule, depth + 1)),
  ];
  // That a fact holds is enough two rules down; what does not hold is followed to its end.
  return { ...conditionLine(given), children, folded: given.outcome === 'true' && depth > 0 };
}

/** A condition with all that was evaluated for it. */
function whole(given: RegoCondition): Line {
  const rules = (given.rules ?? []).map((rule) => ({
    ...lineOf(rule),
    children: (rule.expressions ?? []).map(whole),
  }));
  return { ...conditionLine(given), children: [...(given.inner ?? []).map(whole), ...rules] };
}

function lineOf(rule: RegoRuleTrace): Line {
  const { title, name, file, row, outcome, values = {}, times = 0 } = rule;
  const notes = [
    rule.repeated === true && (rule.expressions ?? []).length === 0 ? 'see above' : '',
    rule.kind === 'else' || rule.kind === 'default' ? rule.kind : '',
    times > 1 && rule.kind !== 'set' ? `evaluated ${times} times` : '',
    outcome === 'unknown' ? 'unknown' : '',
    stoppedAt(rule),
  ];
  return {
    outcome,
    kind: 'rule',
    text: printable(title ?? name),
    name: title === undefined ? '' : printable(name),
    place: printable(`${file}:${row}`),
    values: [
      ...Object.entries(values).map(([key, text]): [string, string] => [
        printable(key),
        printable(text),
      ]),
      ...givenBy(rule).map(([key, text]): [string, string] => [key, printable(text)]),
    ],
    note: notes.filter((note) => note !== '').join(', '),
    children: [],
    folded: false,
  };
}

/** What a rule came to; a reason is known by its code. */
function givenBy({ outcome, value }: RegoRuleTrace): [string, string][] {
  if (value === undefined || (outcome === 'true' && value === 'true')) return [];
  const code = /"code": ("(?:[^"\\]|\\.)*")/.exec(value)?.[1];
  return [code === undefined ? ['value', value] : ['code', code]];
}

function stoppedAt({ outcome, expressions = [] }: RegoRuleTrace): string {
  if (outcome === 'true' || outcome === 'unknown') return '';
  const stop = expressions.find((each) => each.outcome === 'false' || each.outcome === 'undefined');
  return stop === undefined ? '' : `not true: ${short(printable(stop.text))}`;
}

function conditionLine(given: RegoCondition): Line {
  const { text, outcome, times = 0 } = given;
  const notes = [
    times > 1 ? `tried ${times} times` : '',
    outcome === 'undefined' ? 'undefined' : '',
    outcome === 'unreached' ? 'not looked at' : '',
    outcome === 'unknown' ? 'unknown' : '',
  ];
  return {
    outcome,
    kind: 'condition',
    text: printable(text),
    name: '',
    place: given.file === undefined ? '' : printable(`${given.file}:${given.row}`),
    values: valuesOf(given),
    note: notes.filter((note) => note !== '').join(', '),
    children: [],
    folded: false,
  };
}

/** In the order of the text, without what the mark or a rule below says already. */
function valuesOf({ text, outcome, values = {}, rules = [] }: RegoCondition): [string, string][] {
  const subject = text.replace(/^not /, '');
  const given = rules.flatMap(({ name, path }) => [name, path]);
  const told = new Set<string>();
  const tells = ([name, value]: [string, string]): boolean => {
    if (name === subject && ['true', 'undefined', outcome].includes(value)) return false;
    if (name.includes('|') || name.startsWith('answer.')) return false;
    if (given.includes(name) || !stands(name, text)) return false;
    // A call and the variable that it is assigned to have one value.
    const isNew = value.length < 40 || !told.has(value);
    told.add(value);
    return isNew;
  };
  return Object.entries(values)
    .sort(([a], [b]) => text.indexOf(a) - text.indexOf(b))
    .filter(tells)
    .slice(0, valuesShown)
    .map(([name, value]) => [printable(name), printable(value)]);
}

/** Whether the text has the name itself, and not only as the beginning of a longer one. */
function stands(name: string, text: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + name.length] ?? ' ';
    if (!/[\w.]/.test(before) && !/[\w.[]/.test(after)) return true;
  }
  // A long name was cut; it is in the text all the same.
  return name.endsWith('…');
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
