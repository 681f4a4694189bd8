// What an edited rule may count, add up, split or look for: lists, lists of objects and joined texts made of its constants.
import type { JsonPrimitive, JsonValue } from '../../../runtime/json.ts';
import { isPortable, withNeighbours } from './neighbours.ts';
import { isSettable, replaced } from './slots.ts';
import type { Constraint, Path, RuleFacts } from './syntax.ts';
import { templatesOf } from './vocabulary.ts';

/** A place in the input, what to try there, and what else its rules compare. */
export interface Made {
  path: Path;
  values: JsonValue[];
  template: readonly Constraint[];
}

const LENGTH_MAX = 256;
const TEXTS_MAX = 12;
const VALUES_MAX = 120;
const CALLERS_MAX = 64;

/**
 * For each edited rule, and each of its package that leads to it, every path that these rules read, with
 * values made of all constants of the edited rules: a constant may reach a path through a parameter.
 */
export function madeOf(rules: readonly RuleFacts[], edited: readonly RuleFacts[]): Made[] {
  const near = [...new Set([...edited, ...callersOf(rules, edited)])];
  const read = [...near, ...rules.filter((rule) => near.some((each) => isUsedBy(rule, each)))];
  const constants = edited
    .flatMap((rule) => rule.constants.filter((value) => !isOfHead(value, rule)))
    .filter(isPortable);
  const paths = new Map(read.flatMap((rule) => rule.paths).map((path) => [path.join('\0'), path]));
  const templates = templatesOf(rules, near).reverse();
  const made = [...paths.values()].flatMap((path): Made[] => {
    const at = path.indexOf('*');
    const base = at < 0 ? path : path.slice(0, at);
    if (!isSettable(path.filter((name) => name !== '*')) || !isSettable(base)) return [];
    const below = at < 0 ? undefined : path.slice(at + 1);
    const values = below === undefined ? single(constants) : lists(constants, below);
    return [{ path: base, values: values.slice(0, VALUES_MAX), template: [] }];
  });
  return templates.flatMap((template) => made.map((each) => ({ ...each, template })));
}

function isOfHead(value: JsonPrimitive, { headTexts }: RuleFacts): boolean {
  return typeof value === 'string' && headTexts.includes(value);
}

/** Rules of the same package that lead to one of `edited`. */
function callersOf(rules: readonly RuleFacts[], edited: readonly RuleFacts[]): RuleFacts[] {
  const found = new Set<RuleFacts>();
  let last: readonly RuleFacts[] = edited;
  while (last.length > 0 && found.size < CALLERS_MAX) {
    const callers = rules.filter(
      (rule) =>
        !found.has(rule) &&
        last.some((each) => each.package === rule.package && isUsedBy(each, rule)),
    );
    for (const caller of callers) found.add(caller);
    last = callers;
  }
  return [...found];
}

function isUsedBy(rule: RuleFacts, by: RuleFacts): boolean {
  return rule !== by && by.uses.includes(`${rule.package}.${rule.name}`);
}

/** The constants moved a little, texts with something before or behind them, and lists of all that. */
function single(constants: readonly JsonPrimitive[]): JsonValue[] {
  const numbers = constants.filter((value) => typeof value === 'number');
  return [...numbers.flatMap(withNeighbours), ...textsOf(constants), ...lists(constants, [])];
}

/** Lists as long as each number, one less and one more; and good and bad elements side by side. */
function lists(constants: readonly JsonPrimitive[], below: Path): JsonValue[] {
  const numbers = constants.filter((value) => typeof value === 'number');
  const texts = textsOf(constants);
  const element = (value: JsonValue): JsonValue =>
    below.length === 0 ? value : below.includes('*') ? {} : replaced({}, below, value);
  const lengths = numbers
    .flatMap((value) => [value, value + 1, value - 1])
    .filter((length) => Number.isInteger(length) && length >= 0 && length <= LENGTH_MAX);
  const good = texts.find((text) => text !== 'x') ?? 'x';
  return [
    [],
    ...[...new Set(lengths)].map((length) =>
      Array.from({ length }, (_, at) => element(`${at}${good}`)),
    ),
    ...numbers.flatMap((value) => [
      [element(value)],
      [element(value + 1)],
      [element(value - 1)],
      [element(value), element(1)],
    ]),
    ...texts.flatMap((text) => [[element(text)], [element(text), element('x')]]),
    ...texts.slice(0, TEXTS_MAX).map((text) => [element(text), element(good)]),
  ];
}

/** Each text as it is, with `x` before and behind, and joined with `x` by each other text that may separate. */
function textsOf(constants: readonly JsonPrimitive[]): string[] {
  const texts = constants.filter((value) => typeof value === 'string');
  const separators = texts.filter((text) => /^[^\p{L}\p{N}]{1,3}$/u.test(text));
  const made = texts
    .filter((text) => !separators.includes(text))
    .flatMap((text) => [
      ...separators.flatMap((by) => [`x${by}${text}`, `${text}${by}x`]),
      ...[`x${text}`, text, `${text}x`],
    ]);
  return [...new Set([...made, 'x'])].filter(isPortable);
}
