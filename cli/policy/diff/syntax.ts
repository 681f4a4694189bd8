// What the sources of a policy say of its inputs: constants, the paths they stand beside, and each rule's place.
import { createHash } from 'node:crypto';
import type { JsonPrimitive } from '../../../runtime/json.ts';
import type { AstBody, AstModule, AstRule, AstTerm } from '../../../runtime/modules/rego-ast.ts';

/** Names of members below `input`; `*` is any element of an array or object. */
export type Path = string[];

/** An input path and the constants that one condition compares it with. */
export interface Constraint {
  path: Path;
  values: JsonPrimitive[];
}

/** Keys of a place in the data that a rule looks an input path up among; `*` is any member. */
export interface Lookup {
  path: Path;
  root: Path;
}

/** One rule, or one `else` of it, as its source has it. */
export interface RuleFacts {
  /** Dotted, such as `platform.tool.operator`. */
  package: string;
  name: string;
  file: string;
  row: number;
  /** The first line of the rule, its title, and a digest of its text. */
  source: string;
  title: string;
  digest: string;
  /** Texts of the head, among them the codes of the reasons that the rule gives. */
  headTexts: string[];
  constants: JsonPrimitive[];
  constraints: Constraint[];
  lookups: Lookup[];
  /** Two paths in one condition. */
  ties: [Path, Path][];
  /** Every input path that it names. */
  paths: Path[];
  /** Dotted names of the rules that it refers to. */
  uses: string[];
}

/** What a name stands for in one package or body. */
interface Scope {
  package: string;
  imports: Map<string, string>;
  aliases: Map<string, Path>;
  /** Names of places in the data. */
  dataAliases: Map<string, Path>;
  constants: Map<string, JsonPrimitive[]>;
}

const SOURCE_CHARACTERS_MAX = 160;

/** Reads the rules of parsed sources; tests are left out. */
export function readRules(modules: Record<string, AstModule>): RuleFacts[] {
  const parsed = Object.entries(modules).filter(([file]) => !file.endsWith('_test.rego'));
  const scopes = new Map<string, Scope>();
  for (const [, module] of parsed) {
    const name = packageOf(module);
    const scope = scopes.get(name) ?? newScope(name);
    scopes.set(name, scope);
    for (const rule of module.rules ?? []) declare(scope, rule);
  }
  return parsed.flatMap(([file, module]) => {
    const imports = new Map(
      (module.imports ?? []).map(({ path, alias }) => {
        const dotted = dottedOf(path.value as AstTerm[]);
        return [alias ?? dotted.split('.').at(-1)!, dotted] as const;
      }),
    );
    const scope = { ...scopes.get(packageOf(module))!, imports };
    return (module.rules ?? []).flatMap((rule) => factsOf(file, rule, scope));
  });
}

function newScope(name: string): Scope {
  const [imports, aliases, dataAliases] = [new Map(), new Map(), new Map()];
  return { package: name, imports, aliases, dataAliases, constants: new Map() };
}

/** Remembers rules that only give an input path or a constant another name. */
function declare(scope: Scope, { head, body }: AstRule): void {
  const { name, value } = head;
  if (name === undefined || value === undefined || head.args !== undefined) return;
  const isPlain = body.every(({ terms }) => 'type' in terms && terms.type === 'boolean');
  const path = pathOf(value, scope);
  const root = dataPathOf(value, scope);
  if (path !== undefined) scope.aliases.set(name, path);
  else if (root !== undefined) scope.dataAliases.set(name, root);
  else if (isPlain && value.type !== 'boolean')
    scope.constants.set(`${scope.package}.${name}`, scalars(value));
}

function factsOf(file: string, rule: AstRule, outer: Scope): RuleFacts[] {
  const [aliases, dataAliases] = [new Map(outer.aliases), new Map(outer.dataAliases)];
  const scope = { ...outer, aliases, dataAliases };
  const { head, location } = rule;
  const titles = (rule.annotations ?? []).map(({ title }) => title);
  const facts: RuleFacts = {
    package: scope.package,
    name: head.name ?? head.ref.map(({ value }) => String(value)).join('.'),
    file,
    row: location?.row ?? head.location?.row ?? 1,
    source: firstLine(location?.text ?? head.location?.text ?? ''),
    title: titles.find((title) => title !== undefined) ?? '',
    digest: createHash('sha256')
      .update(location?.text ?? '')
      .digest('hex'),
    headTexts: scalars([head.key, head.value]).filter((value) => typeof value === 'string'),
    ...{ constants: [], constraints: [], lookups: [], ties: [], paths: [], uses: [] },
  };
  const heads = [head.key, head.value].filter((term) => term !== undefined);
  for (const term of heads) condition(term, scope, facts);
  readBody(rule.body, scope, facts);
  return [facts, ...(rule.else === undefined ? [] : factsOf(file, rule.else, outer))];
}

function firstLine(text: string): string {
  return text.split('\n')[0]!.slice(0, SOURCE_CHARACTERS_MAX);
}

function readBody(body: AstBody, scope: Scope, facts: RuleFacts): void {
  // Twice: a name may be bound by a later expression of the body.
  for (const expression of body) bind(expression.terms, scope);
  for (const { terms, with: replaced } of body) condition({ terms, replaced }, scope, facts);
}

/** `x := input.a`, `x = input.a`, `some x in input.a`, `every x in input.a`. */
function bind(terms: AstBody[number]['terms'], scope: Scope): void {
  if (Array.isArray(terms)) {
    const [operator, left, right] = terms;
    if (left?.type !== 'var' || right === undefined) return;
    if (!['assign', 'eq'].includes(operatorOf(operator))) return;
    const path = pathOf(right, scope);
    const root = dataPathOf(right, scope);
    if (path !== undefined) scope.aliases.set(left.value, path);
    else if (root !== undefined) scope.dataAliases.set(left.value, root);
  } else if ('symbols' in terms) {
    for (const { type, value } of terms.symbols) {
      if (type === 'call') bindElement(value.at(-2), value.at(-1), scope);
    }
  } else if ('domain' in terms) {
    bindElement(terms.value, terms.domain, scope);
  }
}

function bindElement(element: AstTerm, collection: AstTerm, scope: Scope): void {
  const path = pathOf(collection, scope);
  if (path !== undefined && element.type === 'var')
    scope.aliases.set(element.value, [...path, '*']);
}

/** Takes the input paths and the constants that stand in one condition for compared with each other. */
function condition(node: unknown, scope: Scope, facts: RuleFacts): void {
  const paths: Path[] = [];
  const values: JsonPrimitive[] = [];
  visit(node, scope, facts, paths, values);
  facts.paths.push(...paths);
  const [first, second] = paths;
  if (paths.length === 2 && first && second) facts.ties.push([first, second]);
  facts.constants.push(...values);
  if (values.length === 0) return;
  for (const path of paths) facts.constraints.push({ path, values });
}

function visit(
  node: unknown,
  scope: Scope,
  facts: RuleFacts,
  paths: Path[],
  values: JsonPrimitive[],
): void {
  if (Array.isArray(node)) {
    for (const member of node) visit(member, scope, facts, paths, values);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const { type, value } = node as AstTerm;
  if (isScalar(type)) {
    values.push(value);
  } else if (type === 'var' || type === 'ref') {
    const path = pathOf(node as AstTerm, scope);
    if (path !== undefined) paths.push(path);
    use(type === 'var' ? [node as AstTerm] : value, scope, facts, values);
    if (type === 'var') return;
    // As in `split(input.to, "@")[1]`.
    if (value[0]?.type !== 'var') visit(value[0], scope, facts, paths, values);
    lookUp(value, scope, facts);
    const isInput = path !== undefined;
    for (const part of value.slice(1)) {
      if (part.type !== 'string') visit(part, scope, facts, paths, values);
      else if (!isInput) facts.constants.push(part.value);
    }
  } else if (type?.endsWith('comprehension')) {
    readBody(value.body, scope, facts);
    visit([value.term, value.key, value.value], scope, facts, paths, values);
  } else if (type === 'call') {
    use(value[0].value, scope, facts, values);
    visit(value.slice(1), scope, facts, paths, values);
  } else if (type !== undefined) {
    visit(value, scope, facts, paths, values);
  } else {
    const { location: _, terms, body, ...members } = node as Record<string, unknown>;
    if (Array.isArray(body)) readBody(body as AstBody, scope, facts);
    visit(
      Array.isArray(terms) ? { type: 'call', value: terms } : terms,
      scope,
      facts,
      paths,
      values,
    );
    visit(Object.values(members), scope, facts, paths, values);
  }
}

/** Notes a rule that is referred to; one that is a constant counts as the constant itself. */
function use(ref: AstTerm[], scope: Scope, facts: RuleFacts, values: JsonPrimitive[]): void {
  const [first, ...rest] = ref;
  if (first?.type !== 'var' || first.value === 'input') return;
  const imported = scope.imports.get(first.value);
  const names = rest.map(({ type, value }) => (type === 'string' ? String(value) : '*'));
  const root = first.value === 'data' ? [] : [imported ?? `${scope.package}.${first.value}`];
  const parts = [...root, ...names];
  // The rule may be named with members of its value behind it.
  for (let length = 1; length <= parts.length; length++) {
    const dotted = parts.slice(0, length).join('.');
    facts.uses.push(dotted);
    values.push(...(scope.constants.get(dotted) ?? []));
  }
}

function pathOf({ type, value }: AstTerm, scope: Scope): Path | undefined {
  if (type === 'var') return value === 'input' ? [] : scope.aliases.get(value);
  if (type !== 'ref') return undefined;
  const [first, ...rest] = value as AstTerm[];
  if (first?.type !== 'var') return undefined;
  const base = first.value === 'input' ? [] : scope.aliases.get(first.value);
  return base && [...base, ...rest.map((part) => (part.type === 'string' ? part.value : '*'))];
}

/** Notes each input path that stands as a key in a reference into the data. */
function lookUp(ref: AstTerm[], scope: Scope, facts: RuleFacts): void {
  for (let at = 1; at < ref.length; at++) {
    const path = pathOf(ref[at]!, scope);
    const root = dataPathOf({ type: 'ref', value: ref.slice(0, at) }, scope);
    if (path !== undefined && root !== undefined) facts.lookups.push({ path, root });
  }
}

/** The place in the data that a term stands for; undefined for rules and everything else. */
function dataPathOf({ type, value }: AstTerm, scope: Scope): Path | undefined {
  if (type === 'var') return value === 'data' ? [] : scope.dataAliases.get(value);
  if (type !== 'ref') return undefined;
  const [first, ...rest] = value as AstTerm[];
  const base = first && dataPathOf(first, scope);
  const path = base && [
    ...base,
    ...rest.map((part) => (part.type === 'string' ? part.value : '*')),
  ];
  return path?.[0] === 'platform' ? undefined : path;
}

/** Every scalar in a term but the names in references and calls. */
function scalars(node: unknown): JsonPrimitive[] {
  if (Array.isArray(node)) return node.flatMap(scalars);
  if (typeof node !== 'object' || node === null) return [];
  const { type, value } = node as AstTerm;
  if (isScalar(type)) return [value];
  if (type === 'ref' || type === 'var') return [];
  if (type === 'call') return scalars(value.slice(1));
  return Array.isArray(value) ? scalars(value) : [];
}

function isScalar(type: string | undefined): boolean {
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'null';
}

function operatorOf(term: AstTerm | undefined): string {
  if (term?.type !== 'ref') return '';
  return term.value.map(({ value }: AstTerm) => String(value)).join('.');
}

function packageOf({ package: { path } }: AstModule): string {
  return dottedOf(path);
}

/** Without its `data`. */
function dottedOf(path: readonly AstTerm[]): string {
  return path
    .slice(1)
    .map(({ value }) => String(value))
    .join('.');
}
