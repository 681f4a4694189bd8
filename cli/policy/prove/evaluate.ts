// Evaluates compiled Rego for all inputs that agree on a few members: what holds, what may hold.
import type { JsonObject } from '../../../runtime/json.ts';
import type { AstBody, AstExpr, AstRule, AstTerm } from '../../../runtime/modules/rego.ts';
import { type Outcome as BuiltinOutcome, builtins } from './builtins.ts';
import { equal } from './compare.ts';
import { bind, bindAll, type Env, isPattern, lookup } from './env.ts';
import { member, members } from './members.ts';
import { kindOf, operatorName, type PolicyNode } from './policy.ts';
import {
  ANYTHING,
  below,
  distinct,
  type Element,
  InputPart,
  isAbstract,
  isObject,
  isScalar,
  keyOf,
  OtherThan,
  type Scalar,
  SetValue,
  type Truth,
  truthOf,
  type Value,
} from './values.ts';
import { partsOf } from './who.ts';

/** What a member of the input is held to; with a set, to anything but the constants in it. */
export type Held = { is: Scalar } | { not: ReadonlySet<string> };

/** By JSON Pointer; all the rest of the input may be anything. */
export type Assignment = ReadonlyMap<string, Held>;

/** An expression that the prover does not interpret here, and takes for one that may hold. */
export interface Stop {
  file: string;
  row: number;
  why: string;
}

/** Where a rule's body begins: with its arguments bound, for every input or for some. */
type Start = { env: Env; sure: boolean };
type Found = (value: Value, env: Env, sure: boolean) => void;
type Solved = (env: Env, sure: boolean) => void;

/** Steps of one evaluation; rules that multiply beyond it are answered with "too much". */
const STEPS_MAX = 2_000_000;

export class TooMuch extends Error {
  override readonly name = 'TooMuch';
}

/**
 * What is assumed of a set's rules besides: that one of them gives an element, or that none does. Whoever
 * goes through all of them has assumed nothing.
 */
export interface Supposition {
  set: PolicyNode;
  rule: AstRule | undefined;
}

export interface Subject {
  tree: PolicyNode;
  data: JsonObject;
  /** How many arguments each built-in has. */
  arity: ReadonlyMap<string, number>;
  /**
   * Assumes that trust domain, tenant, agent and role beside a SPIFFE ID are those that it states, as
   * every caller of the platform writes them.
   */
  identitiesAgree?: boolean;
}

/** One evaluation: rules are computed once, and it remembers what it met on the way. */
export class Evaluation {
  /** By pointer of an input part that is not held: the constants that it was compared with. */
  readonly met = new Map<string, Map<string, Scalar>>();
  readonly stops = new Map<string, Stop>();
  /** The pointers of the parts that were looked at and that nothing holds. */
  readonly read = new Set<string>();
  /** The rule that was supposed to give an element gives none for any of the inputs. */
  impossible = false;
  readonly #subject: Subject;
  readonly #held: Assignment;
  readonly #supposed: Supposition | undefined;
  readonly #values = new Map<PolicyNode, Element[]>();
  /** What holds a member that is held to a constant is there for every input. */
  readonly #present = new Set<string>();
  #steps = 0;

  constructor(subject: Subject, held: Assignment, supposed?: Supposition) {
    this.#subject = subject;
    this.#supposed = supposed;
    this.#held = subject.identitiesAgree === true ? withParts(held) : held;
    for (const [pointer, what] of this.#held) {
      if (!('is' in what)) continue;
      for (let end = pointer.lastIndexOf('/'); end > 0; end = pointer.lastIndexOf('/', end - 1)) {
        this.#present.add(pointer.slice(0, end));
      }
    }
  }

  /** The values that the rules at a path such as `platform/tool/decision` may have. */
  values(path: string): Element[] {
    let node: PolicyNode | undefined = this.#subject.tree;
    for (const name of path.split('/')) node = node?.children.get(name);
    return node === undefined ? [] : this.#ruleValues(node);
  }

  /** The sets of rules that were computed and may have more than one content. */
  openSets(): PolicyNode[] {
    return [...this.#values]
      .filter(([, values]) => {
        const [first] = values;
        return first?.value instanceof SetValue && first.value.elements.some(({ sure }) => !sure);
      })
      .map(([node]) => node);
  }

  readonly meet = (pointer: string, constant: Scalar): void => {
    let constants = this.met.get(pointer);
    if (constants === undefined) {
      constants = new Map();
      this.met.set(pointer, constants);
    }
    constants.set(keyOf(constant)!, constant);
  };

  #ruleValues(node: PolicyNode): Element[] {
    let values = this.#values.get(node);
    if (values === undefined) {
      values = this.#compute(node);
      this.#values.set(node, values);
    }
    return values;
  }

  #compute(node: PolicyNode): Element[] {
    const kinds = new Set(node.rules.map(kindOf));
    const [kind] = kinds;
    if (kinds.size > 1 || kind === 'object' || node.children.size > 0) {
      for (const rule of node.rules) this.#stop(rule, 'a rule of this form is not interpreted');
      return [{ value: ANYTHING, sure: false }];
    }
    if (kind === 'function') return [];
    if (kind === 'set') return [{ value: this.#set(node), sure: true }];
    return this.#complete(node.rules, () => ({ env: undefined, sure: true }));
  }

  #set(node: PolicyNode): SetValue {
    const supposed = this.#supposed?.set === node ? this.#supposed : undefined;
    if (supposed !== undefined && supposed.rule === undefined) return new SetValue([]);
    const elements: Element[] = [];
    for (const rule of node.rules) {
      const found: Element[] = [];
      this.#solve(rule.body, 0, undefined, true, (env, sure) => {
        this.#term(rule.head.key!, env, sure, (value, _env, certain) => {
          found.push({ value, sure: certain });
        });
      });
      const [only, ...more] = distinct(found);
      // Of several, one is there, but which one is not known.
      if (supposed?.rule === rule && only !== undefined && more.length === 0) only.sure = true;
      if (supposed?.rule === rule && only === undefined) this.impossible = true;
      if (only !== undefined) elements.push(only, ...more);
    }
    return new SetValue(distinct(elements));
  }

  /** The values of complete rules or a function: of each, the first of its `else` that holds. */
  #complete(rules: AstRule[], start: (rule: AstRule) => Start | undefined): Element[] {
    const out: Element[] = [];
    for (const rule of rules.filter((one) => one.default !== true)) {
      let open = true;
      for (let at: AstRule | undefined = rule; at !== undefined; at = at.else) {
        const found = this.#clause(at, start(at));
        out.push(...found.map(({ value, sure }) => ({ value, sure: sure && open })));
        if (found.some(({ sure }) => sure)) break;
        if (found.length > 0) open = false;
      }
    }
    const values = distinct(out);
    if (values.some(({ sure }) => sure)) return values;
    for (const rule of rules.filter((one) => one.default === true)) {
      this.#term(rule.head.value!, undefined, values.length === 0, (value, _env, sure) => {
        values.push({ value, sure });
      });
    }
    return distinct(values);
  }

  #clause(rule: AstRule, start: Start | undefined): Element[] {
    const found: Element[] = [];
    if (start === undefined) return found;
    const head = rule.head.value ?? { type: 'boolean', value: true };
    this.#solve(rule.body, 0, start.env, start.sure, (env, sure) => {
      this.#term(head, env, sure, (value, _env, certain) => found.push({ value, sure: certain }));
    });
    return distinct(found);
  }

  /** Calls `solved` for each way in which the conditions from `index` on hold or may hold. */
  #solve(body: AstBody, index: number, env: Env, sure: boolean, solved: Solved): void {
    if (++this.#steps > STEPS_MAX) throw new TooMuch();
    const expression = body[index];
    if (expression === undefined) {
      solved(env, sure);
      return;
    }
    this.#holds(expression, env, sure, (next, certain) => {
      this.#solve(body, index + 1, next, certain, solved);
    });
  }

  #holds(expression: AstExpr, env: Env, sure: boolean, solved: Solved): void {
    if (expression.with !== undefined && expression.with.length > 0) {
      this.#stop(expression, 'the prover does not interpret `with`');
      solved(bindAll(expression.terms, env), false);
    } else if (expression.negated === true) {
      let held: Truth = 'no';
      this.#positive(expression, env, true, (_env, certain) => {
        held = certain || held === 'yes' ? 'yes' : 'maybe';
      });
      if ((held as Truth) !== 'yes') solved(env, sure && held === 'no');
    } else {
      this.#positive(expression, env, sure, solved);
    }
  }

  #positive(expression: AstExpr, env: Env, sure: boolean, solved: Solved): void {
    const { terms } = expression;
    if (Array.isArray(terms)) {
      this.#call(expression, terms, env, sure, solved);
    } else if ('domain' in terms) {
      this.#every(expression, env, sure, solved);
    } else if ('symbols' in terms) {
      solved(env, sure);
    } else {
      this.#term(terms as AstTerm, env, sure, (value, next, certain) => {
        const truth = truthOf(value);
        if (truth !== 'no') solved(next, certain && truth === 'yes');
      });
    }
  }

  #every(expression: AstExpr, env: Env, sure: boolean, solved: Solved): void {
    const { key, value, domain, body } = expression.terms as {
      key: AstTerm | null;
      value: AstTerm;
      domain: AstTerm;
      body: AstBody;
    };
    this.#term(domain, env, sure, (all, next, certain) => {
      if (isScalar(all)) return;
      let truth: Truth = isAbstract(all) ? 'maybe' : 'yes';
      members(all, (at, item, there) => {
        let inside: Truth = 'no';
        const bound = bind(value, item, key === null ? next : bind(key, at, next));
        this.#solve(body, 0, bound, true, (_env, holds) => {
          inside = holds || inside === 'yes' ? 'yes' : 'maybe';
        });
        if ((inside as Truth) === 'yes') return;
        truth = (inside === 'no' && there) || truth === 'no' ? 'no' : 'maybe';
      });
      if ((truth as Truth) !== 'no') solved(next, certain && truth === 'yes');
    });
  }

  #call(expression: AstExpr, terms: AstTerm[], env: Env, sure: boolean, solved: Solved): void {
    const [operator, ...given] = terms as [AstTerm, ...AstTerm[]];
    const name = operatorName(operator);
    if ((name === 'eq' || name === 'assign') && given.length === 2) {
      this.#unify(given[0]!, given[1]!, env, sure, solved);
      return;
    }
    const node = name.startsWith('data.') ? this.#nodeAt(operator.value) : undefined;
    const count = node?.rules[0]?.head.args?.length ?? this.#subject.arity.get(name);
    const args = count === undefined ? given : given.slice(0, count);
    const output = count === undefined ? undefined : given[count];
    this.#terms(args, env, sure, (values, next, certain) => {
      const results =
        node === undefined
          ? this.#builtin(expression, name, values)
          : this.#complete(node.rules, (rule) => this.#bindArguments(rule, values));
      for (const { value, sure: there } of results) {
        if (output !== undefined) {
          this.#match(output, value, next, certain && there, solved);
        } else if (truthOf(value) !== 'no') {
          solved(next, certain && there && truthOf(value) === 'yes');
        }
      }
    });
  }

  #bindArguments(rule: AstRule, values: Value[]): Start | undefined {
    let found: Start | undefined;
    const patterns = rule.head.args ?? [];
    const step = (index: number, env: Env, sure: boolean): void => {
      const pattern = patterns[index];
      if (pattern === undefined) found = { env, sure };
      else
        this.#match(pattern, values[index] ?? ANYTHING, env, sure, (next, certain) =>
          step(index + 1, next, certain),
        );
    };
    step(0, undefined, true);
    return found;
  }

  #builtin(expression: AstExpr, name: string, values: Value[]): Element[] {
    const compute = builtins.get(name);
    const result: BuiltinOutcome = compute === undefined ? 'unknown' : compute(values, this.meet);
    if (result === undefined) return [];
    if (result !== 'unknown') return [result];
    this.#stop(
      expression,
      compute === undefined
        ? `the prover does not interpret the built-in ${name}`
        : `${name} of something that the input decides`,
    );
    return [{ value: ANYTHING, sure: false }];
  }

  #unify(a: AstTerm, b: AstTerm, env: Env, sure: boolean, solved: Solved): void {
    const [pattern, other] = isPattern(a, env) ? [a, b] : [b, a];
    this.#term(other, env, sure, (value, next, certain) => {
      this.#match(pattern, value, next, certain, solved);
    });
  }

  /** Binds what is unbound in the pattern, compares the rest. */
  #match(pattern: AstTerm, value: Value, env: Env, sure: boolean, solved: Solved): void {
    if (pattern.type === 'var' && lookup(env, pattern.value) === undefined) {
      solved(bind(pattern, value, env), sure);
    } else if (!isPattern(pattern, env)) {
      this.#term(pattern, env, sure, (other, next, certain) => {
        const truth = equal(other, value, this.meet);
        if (truth !== 'no') solved(next, certain && truth === 'yes');
      });
    } else if (pattern.type === 'array' && Array.isArray(value)) {
      const items = pattern.value as AstTerm[];
      if (items.length !== value.length) return;
      const step = (index: number, next: Env, certain: boolean): void => {
        const item = items[index];
        if (item === undefined) solved(next, certain);
        else this.#match(item, value[index]!, next, certain, (e, c) => step(index + 1, e, c));
      };
      step(0, env, sure);
    } else if (!isScalar(value)) {
      solved(bindAll(pattern, env), false);
    }
  }

  #terms(
    terms: AstTerm[],
    env: Env,
    sure: boolean,
    found: (values: Value[], env: Env, sure: boolean) => void,
    before: Value[] = [],
  ): void {
    const term = terms[before.length];
    if (term === undefined) {
      found(before, env, sure);
      return;
    }
    this.#term(term, env, sure, (value, next, certain) => {
      this.#terms(terms, next, certain, found, [...before, value]);
    });
  }

  #term(term: AstTerm, env: Env, sure: boolean, found: Found): void {
    switch (term.type) {
      case 'null':
      case 'boolean':
      case 'number':
      case 'string':
        found(term.value as Scalar, env, sure);
        return;
      case 'var':
        found(lookup(env, term.value)?.value ?? ANYTHING, env, sure);
        return;
      case 'ref':
        this.#ref(term.value as AstTerm[], env, sure, found);
        return;
      case 'array':
        this.#terms(term.value as AstTerm[], env, sure, found);
        return;
      case 'set':
        this.#terms(term.value as AstTerm[], env, sure, (values, next, certain) => {
          const elements = values.map((value) => ({ value, sure: true }));
          found(new SetValue(distinct(elements)), next, certain);
        });
        return;
      case 'object':
        this.#object(term.value as [AstTerm, AstTerm][], env, sure, found);
        return;
      case 'setcomprehension':
      case 'arraycomprehension':
      case 'objectcomprehension':
        found(this.#comprehension(term, env), env, sure);
        return;
      default:
        found(ANYTHING, env, false);
    }
  }

  #object(pairs: [AstTerm, AstTerm][], env: Env, sure: boolean, found: Found): void {
    const names = pairs.map(([name]) => name);
    this.#terms(names, env, sure, (keys, next, certain) => {
      this.#terms(
        pairs.map(([, value]) => value),
        next,
        certain,
        (values, last, still) => {
          const plain = keys.every((key) => typeof key === 'string');
          const members = keys.map((key, index) => [key, values[index]!] as [string, Value]);
          found(plain ? Object.fromEntries(members) : ANYTHING, last, still);
        },
      );
    });
  }

  #comprehension(term: AstTerm, env: Env): Value {
    const { body, term: head, key, value } = term.value;
    const elements: Element[] = [];
    const pairs: [Value, Value][] = [];
    this.#solve(body, 0, env, true, (next, sure) => {
      const heads = term.type === 'objectcomprehension' ? [key, value] : [head];
      this.#terms(heads as AstTerm[], next, sure, ([first, second], _env, certain) => {
        elements.push({ value: first!, sure: certain });
        if (second !== undefined) pairs.push([first!, second]);
      });
    });
    if (term.type === 'setcomprehension') return new SetValue(distinct(elements));
    const all = elements.every(({ sure, value: one }) => sure && !(one === ANYTHING));
    if (!all) return ANYTHING;
    if (term.type === 'arraycomprehension') return elements.map((element) => element.value);
    return pairs.every(([name]) => typeof name === 'string')
      ? Object.fromEntries(pairs as [string, Value][])
      : ANYTHING;
  }

  #ref(path: AstTerm[], env: Env, sure: boolean, found: Found): void {
    const [head, ...rest] = path as [AstTerm, ...AstTerm[]];
    if (head.type === 'var' && head.value === 'input' && lookup(env, 'input') === undefined) {
      this.#walk(new InputPart(''), rest, env, sure, found);
    } else if (head.type === 'var' && head.value === 'data') {
      this.#data(this.#subject.tree, this.#subject.data as Value, rest, env, sure, found);
    } else {
      this.#term(head, env, sure, (value, next, certain) => {
        this.#walk(value, rest, next, certain, found);
      });
    }
  }

  /** Follows a path into rules, and where there are none, into the data. */
  #data(
    node: PolicyNode | undefined,
    base: Value | undefined,
    path: AstTerm[],
    env: Env,
    sure: boolean,
    found: Found,
  ): void {
    if (node === undefined) {
      if (base !== undefined) this.#walk(base, path, env, sure, found);
      return;
    }
    if (node.rules.length > 0) {
      for (const { value, sure: there } of this.#ruleValues(node)) {
        this.#walk(value, path, env, sure && there, found);
      }
      return;
    }
    const [name, ...rest] = path;
    if (name?.type !== 'string') {
      this.#stops(`${node.path} as a whole`);
      found(ANYTHING, bindAll(path, env), false);
      return;
    }
    const key = name.value as string;
    const member = isObject(base ?? null) && Object.hasOwn(base as object, key);
    const below = member ? (base as { [key: string]: Value })[key] : undefined;
    this.#data(node.children.get(key), below, rest, env, sure, found);
  }

  #walk(base: Value, path: AstTerm[], env: Env, sure: boolean, found: Found): void {
    const [segment, ...rest] = path;
    if (segment === undefined) {
      found(base, env, sure);
      return;
    }
    if (++this.#steps > STEPS_MAX) throw new TooMuch();
    if (isPattern(segment, env)) {
      members(base, (key, value, there) => {
        this.#match(segment, key, env, sure && there, (next, certain) => {
          this.#walk(value, rest, next, certain, found);
        });
      });
      return;
    }
    this.#term(segment, env, sure, (key, next, certain) => {
      const each = (value: Value, there: boolean) => {
        this.#walk(value, rest, next, certain && there, found);
      };
      const named = typeof key === 'string' || typeof key === 'number';
      if (base instanceof InputPart && named) this.#input(base, key, each);
      else member(base, key, this.meet, each);
    });
  }

  #input(base: InputPart, key: string | number, found: (value: Value, sure: boolean) => void) {
    const pointer = below(base.pointer, key);
    const held = this.#held.get(pointer);
    if (held === undefined) this.read.add(pointer);
    if (held === undefined) found(new InputPart(pointer), this.#present.has(pointer));
    else if ('is' in held) found(held.is, true);
    else found(new OtherThan(pointer, held.not), false);
  }

  #nodeAt(path: AstTerm[]): PolicyNode | undefined {
    let node: PolicyNode | undefined = this.#subject.tree;
    for (const { value } of path.slice(1)) node = node?.children.get(String(value));
    return node;
  }

  #stop(at: AstExpr | AstRule, why: string): void {
    const { file, row } = at.location ?? { file: '', row: 0 };
    this.stops.set(`${file}:${row}:${why}`, { file, row, why });
  }

  #stops(why: string): void {
    this.stops.set(why, { file: '', row: 0, why });
  }
}

/** What each SPIFFE ID that is held states, held beside it. */
function withParts(held: Assignment): Assignment {
  const parts = new Map(held);
  for (const [pointer, what] of held) {
    if (!pointer.endsWith('/spiffe_id') || !('is' in what) || typeof what.is !== 'string') continue;
    for (const [name, part] of Object.entries(partsOf(what.is))) {
      const beside = below(pointer.slice(0, pointer.lastIndexOf('/')), name);
      if (!parts.has(beside)) parts.set(beside, { is: part });
    }
  }
  return parts;
}
