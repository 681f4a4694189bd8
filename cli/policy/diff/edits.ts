// What was edited between two policies: rules, tenants' rules, and the boundaries where that can matter.
import type { RegoFile } from '../../../runtime/modules/rego.ts';
import type { RuleFacts } from './syntax.ts';

/** Sources, and the rules that they hold. */
export interface Sources {
  files: readonly RegoFile[];
  rules: readonly RuleFacts[];
}

/** The rules that the other side has not, or has otherwise. */
export function editedRules(
  rules: readonly RuleFacts[],
  others: readonly RuleFacts[],
): RuleFacts[] {
  const keyOf = (each: RuleFacts) => `${each.package} ${each.name} ${each.digest}`;
  const known = new Set(others.map(keyOf));
  return rules.filter((each) => !known.has(keyOf(each)));
}

/** The tenants whose own rules at the boundary are not the same on both sides. */
export function editedTenants(
  old: readonly RuleFacts[],
  now: readonly RuleFacts[],
  boundary: string,
): string[] {
  const prefix = `platform.${boundary}.tenant.`;
  const edited = [...editedRules(old, now), ...editedRules(now, old)];
  const packages = edited.map((each) => each.package).filter((name) => name.startsWith(prefix));
  return [...new Set(packages.map((name) => name.slice(prefix.length)))];
}

/**
 * The boundaries whose own rules, or rules that they lead to, are in a file that is not the same on both
 * sides; all of them where no file differs, since then it is something else that does.
 */
export function affectedBoundaries(
  old: Sources,
  now: Sources,
  boundaries: readonly string[],
): string[] {
  const edited = new Set([...editedPackages(old, now), ...editedPackages(now, old)]);
  if (edited.size === 0) return [...boundaries];
  const rules = [...old.rules, ...now.rules];
  return boundaries.filter((boundary) =>
    [...reachable(boundary, rules)].some((name) => edited.has(name)),
  );
}

function editedPackages({ files, rules }: Sources, others: Sources): string[] {
  const known = new Map(others.files.map(({ path, content }) => [path, content]));
  const edited = new Set(
    files.filter(({ path, content }) => known.get(path) !== content).map(({ path }) => path),
  );
  return rules.filter(({ file }) => edited.has(file)).map((rule) => rule.package);
}

/** The packages of a boundary and all that their rules refer to. */
function reachable(boundary: string, rules: readonly RuleFacts[]): Set<string> {
  const byPackage = new Map<string, RuleFacts[]>();
  for (const rule of rules) {
    byPackage.set(rule.package, [...(byPackage.get(rule.package) ?? []), rule]);
  }
  const names = [...byPackage.keys()];
  const found = new Set<string>();
  const left = names.filter((name) => `${name}.`.startsWith(`platform.${boundary}.`));
  while (left.length > 0) {
    const name = left.pop()!;
    if (found.has(name)) continue;
    found.add(name);
    const uses = new Set(byPackage.get(name)!.flatMap((rule) => rule.uses));
    left.push(...names.filter((each) => isUsed(each, uses)));
  }
  return found;
}

/** A reference names every package on its way; below one that it ends in, or leaves open, all count. */
function isUsed(name: string, uses: ReadonlySet<string>): boolean {
  const parts = name.split('.');
  return parts.some((_, at) => {
    const above = parts.slice(0, at + 1).join('.');
    // Every reference passes this one, and none can end in it: that would be a recursion.
    return above !== 'platform' && uses.has(above);
  });
}
