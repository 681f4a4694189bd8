// The rules of all sources by their path below `data`, and what a name means in a file.
import type { AstModule, AstRule, AstTerm } from '../../../runtime/modules/rego-ast.ts';

/** How a rule's value is made of its clauses. */
export type RuleKind = 'complete' | 'set' | 'function' | 'other';

/** A clause with the file whose imports and package give its names their meaning. */
export interface Clause {
  rule: AstRule;
  scope: Scope;
  /** Names the clause's condition, so that a combination can assume it. */
  id: string;
}

export interface Rule {
  path: string;
  kind: RuleKind;
  clauses: Clause[];
  fallback?: Clause;
}

/** One step of a path below `data`: rules, further steps, or both. */
export class Node {
  readonly children = new Map<string, Node>();
  rule: Rule | undefined;
  /** What a rule of this package may call without saying where it is. */
  readonly names = new Set<string>();

  at(name: string): Node {
    let child = this.children.get(name);
    if (child === undefined) {
      child = new Node();
      this.children.set(name, child);
    }
    return child;
  }
}

/** What the names of one file mean. */
export interface Scope {
  package: Node;
  /** The package's path as the terms of a reference. */
  path: AstTerm[];
  imports: ReadonlyMap<string, AstTerm[]>;
}

/** Puts every rule where references find it. */
export function programOf(modules: Readonly<Record<string, AstModule>>): Node {
  const root = new Node();
  for (const [file, module] of Object.entries(modules)) {
    const path = module.package.path;
    const target = path.slice(1).reduce((node, part) => node.at(String(part.value)), root);
    const imports = new Map<string, AstTerm[]>();
    for (const { path: imported, alias } of module.imports ?? []) {
      const terms = imported.type === 'ref' ? (imported.value as AstTerm[]) : [imported];
      imports.set(alias ?? String(terms.at(-1)!.value), terms);
    }
    const scope: Scope = { package: target, path, imports };
    for (const [index, rule] of (module.rules ?? []).entries()) {
      add(target, { rule, scope, id: `#${String(rule.head.ref[0]?.value)}:${file}:${index}` });
    }
  }
  return root;
}

function add(target: Node, clause: Clause): void {
  const { head, default: isDefault } = clause.rule;
  const constant = head.ref.findIndex((part, index) => index > 0 && part.type !== 'string');
  target.names.add(String(head.ref[0]!.value));
  const names = constant < 0 ? head.ref : head.ref.slice(0, constant);
  const node = names.reduce((at, part) => at.at(String(part.value)), target);
  const path = [...clause.scope.path, ...names].map((part) => String(part.value)).join('.');
  node.rule ??= { path, kind: kindOf(clause, constant >= 0), clauses: [] };
  const { rule } = node;
  if (isDefault === true) rule.fallback = clause;
  else {
    if (rule.clauses.length === 0) rule.kind = kindOf(clause, constant >= 0);
    else if (rule.kind !== kindOf(clause, constant >= 0)) rule.kind = 'other';
    rule.clauses.push(clause);
  }
}

function kindOf({ rule }: Clause, hasVariables: boolean): RuleKind {
  if (rule.head.args !== undefined && rule.head.args.length > 0) return 'function';
  if (hasVariables) return 'other';
  return rule.head.key !== undefined && rule.head.value === undefined ? 'set' : 'complete';
}

/** True when a rule stands at this node or below it. */
export function hasRules(node: Node | undefined): boolean {
  if (node === undefined) return false;
  return node.rule !== undefined || [...node.children.values()].some(hasRules);
}
