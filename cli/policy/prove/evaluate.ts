// Evaluates compiled Rego for all inputs that agree on a few members: what holds, what may hold.
import type { AstBody, AstRule, AstTerm } from '../../../runtime/modules/rego.ts';
import { match, solve } from './bodies.ts';
import type { Env } from './env.ts';
import {
  type Assignment,
  type Machine,
  type Solved,
  type Start,
  type Stop,
  type Subject,
  type Supposition,
  TooMuch,
} from './machine.ts';
import { kindOf, type PolicyNode } from './policy.ts';
import { evaluateTerm } from './terms.ts';
import {
  ANYTHING,
  below,
  distinct,
  type Element,
  InputPart,
  keyOf,
  OtherThan,
  type Scalar,
  SetValue,
  type Value,
} from './values.ts';
import { partsOf } from './who.ts';

/** Steps of one evaluation; rules that multiply beyond it are answered with "too much". */
const STEPS_MAX = 2_000_000;

/** One evaluation: rules are computed once, and it remembers what it met on the way. */
export class Evaluation implements Machine {
  /** By pointer of an input part that is not held: the constants that it was compared with. */
  readonly met = new Map<string, Map<string, Scalar>>();
  readonly stops = new Map<string, Stop>();
  /** The pointers of the parts that were looked at and that nothing holds. */
  readonly read = new Set<string>();
  /** The rule that was supposed to give an element gives none for any of the inputs. */
  impossible = false;
  readonly subject: Subject;
  readonly #held: Assignment;
  readonly #supposed: Supposition | undefined;
  readonly #values = new Map<PolicyNode, Element[]>();
  /** What holds a member that is held to a constant is there for every input. */
  readonly #present = new Set<string>();
  #steps = 0;

  constructor(subject: Subject, held: Assignment, supposed?: Supposition) {
    this.subject = subject;
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
    let node: PolicyNode | undefined = this.subject.tree;
    for (const name of path.split('/')) node = node?.children.get(name);
    return node === undefined ? [] : this.ruleValues(node);
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

  ruleValues(node: PolicyNode): Element[] {
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
      for (const rule of node.rules) this.stop(rule, 'a rule of this form is not interpreted');
      return [{ value: ANYTHING, sure: false }];
    }
    if (kind === 'function') return [];
    if (kind === 'set') return [{ value: this.#set(node), sure: true }];
    return this.complete(node.rules, () => ({ env: undefined, sure: true }));
  }

  #set(node: PolicyNode): SetValue {
    const supposed = this.#supposed?.set === node ? this.#supposed : undefined;
    if (supposed !== undefined && supposed.rule === undefined) return new SetValue([]);
    const elements: Element[] = [];
    for (const rule of node.rules) {
      const found: Element[] = [];
      this.solve(rule.body, 0, undefined, true, (env, sure) => {
        evaluateTerm(this, rule.head.key!, env, sure, (value, _env, certain) => {
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
  complete(rules: AstRule[], start: (rule: AstRule) => Start | undefined): Element[] {
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
      evaluateTerm(this, rule.head.value!, undefined, values.length === 0, (value, _env, sure) => {
        values.push({ value, sure });
      });
    }
    return distinct(values);
  }

  #clause(rule: AstRule, start: Start | undefined): Element[] {
    const found: Element[] = [];
    if (start === undefined) return found;
    const head = rule.head.value ?? { type: 'boolean', value: true };
    this.solve(rule.body, 0, start.env, start.sure, (env, sure) => {
      evaluateTerm(this, head, env, sure, (value, _env, certain) =>
        found.push({ value, sure: certain }),
      );
    });
    return distinct(found);
  }

  input(base: InputPart, key: string | number, found: (value: Value, sure: boolean) => void) {
    const pointer = below(base.pointer, key);
    const held = this.#held.get(pointer);
    if (held === undefined) this.read.add(pointer);
    if (held === undefined) found(new InputPart(pointer), this.#present.has(pointer));
    else if ('is' in held) found(held.is, true);
    else found(new OtherThan(pointer, held.not), false);
  }

  tick(): void {
    if (++this.#steps > STEPS_MAX) throw new TooMuch();
  }

  stop(at: { location?: { file: string; row: number } } | undefined, why: string): void {
    const { file, row } = at?.location ?? { file: '', row: 0 };
    this.stops.set(`${file}:${row}:${why}`, { file, row, why });
  }

  solve(body: AstBody, index: number, env: Env, sure: boolean, solved: Solved): void {
    solve(this, body, index, env, sure, solved);
  }

  match(pattern: AstTerm, value: Value, env: Env, sure: boolean, solved: Solved): void {
    match(this, pattern, value, env, sure, solved);
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
