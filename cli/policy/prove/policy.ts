// The compiled rules of a policy, found by the path that refers to them.
import type { AstRule, AstTerm } from '../../../runtime/modules/rego.ts';

/** What stands at one path: rules of one name, or further names below it. */
export interface PolicyNode {
  path: string;
  rules: AstRule[];
  children: Map<string, PolicyNode>;
}

export type RuleKind = 'function' | 'set' | 'object' | 'complete';

/** Arranges compiled rules, by file, under `data.…`. */
export function policyTree(modules: Record<string, AstRule[] | null>, packages: Packages) {
  const root = node('data');
  for (const [file, rules] of Object.entries(modules)) {
    for (const rule of rules ?? []) {
      let at = root;
      for (const name of [...(packages[file] ?? []), ...staticRef(rule)]) {
        let next = at.children.get(name);
        if (next === undefined) {
          next = node(`${at.path}.${name}`);
          at.children.set(name, next);
        }
        at = next;
      }
      at.rules.push(rule);
    }
  }
  return root;
}

/** By file: the names of its package, such as `["platform", "tool"]`. */
export type Packages = Record<string, string[]>;

/** The package of each source, read off the compiler's parse. */
export function packagesOf(modules: Record<string, { package: { path: AstTerm[] } }>): Packages {
  return Object.fromEntries(
    Object.entries(modules).map(([file, module]) => [
      file,
      module.package.path.slice(1).map((term) => String(term.value)),
    ]),
  );
}

export function kindOf(rule: AstRule): RuleKind {
  const { args, key, value, ref } = rule.head;
  if (args !== undefined) return 'function';
  if (staticRef(rule).length < ref.length) return 'object';
  return key !== undefined && value === undefined ? 'set' : 'complete';
}

/** The leading names of a rule's head; what follows them is computed. */
export function staticRef(rule: AstRule): string[] {
  const names = [String(rule.head.ref[0]?.value)];
  for (const term of rule.head.ref.slice(1)) {
    if (term.type !== 'string') break;
    names.push(term.value as string);
  }
  return names;
}

/** `a.b.c` of the ref that names a function or built-in. */
export function operatorName(term: AstTerm): string {
  return (term.value as AstTerm[]).map(({ value }) => String(value)).join('.');
}

/** What stands at a path such as the one that calls a function. */
export function nodeAt(tree: PolicyNode, path: AstTerm[]): PolicyNode | undefined {
  let node: PolicyNode | undefined = tree;
  for (const { value } of path.slice(1)) node = node?.children.get(String(value));
  return node;
}

function node(path: string): PolicyNode {
  return { path, rules: [], children: new Map() };
}
