// Marks what follows from members of the input that are committed and not opened.
import type { RegoCondition, RegoRuleTrace } from '../modules/rego.ts';

/**
 * The tree with every condition that reads one of the members, and every rule and condition that
 * depends on such a one, marked `unknown`. Doubt marks more, never less.
 */
export function markUnknown(
  tree: readonly RegoCondition[],
  members: readonly string[],
): RegoCondition[] {
  const unknownPaths = new Set<string>();
  const reads = readerOf(members);
  const rule = (given: RegoRuleTrace): RegoRuleTrace => {
    const expressions = (given.expressions ?? []).map(condition);
    const isUnknown =
      expressions.some(({ outcome }) => outcome === 'unknown') ||
      (given.repeated === true && unknownPaths.has(given.path));
    if (isUnknown) unknownPaths.add(given.path);
    return { ...given, expressions, ...(isUnknown ? { outcome: 'unknown' as const } : {}) };
  };
  const condition = (given: RegoCondition): RegoCondition => {
    const rules = (given.rules ?? []).map(rule);
    const inner = (given.inner ?? []).map(condition);
    const isUnknown =
      reads(given.text) ||
      rules.some(({ path, outcome }) => outcome === 'unknown' || unknownPaths.has(path)) ||
      inner.some(({ outcome }) => outcome === 'unknown');
    const values = Object.fromEntries(
      Object.entries(given.values ?? {}).map(([name, value]) => [
        name,
        reads(name) ? 'unknown' : value,
      ]),
    );
    const outcome = isUnknown && given.outcome !== 'unreached' ? 'unknown' : given.outcome;
    return { ...given, rules, inner, values, outcome };
  };
  return tree.map(condition);
}

/** True of a text that names one of the members, or the input whole. */
function readerOf(members: readonly string[]): (text: string) => boolean {
  return (text) => {
    for (const { index } of text.matchAll(/\binput\b/g)) {
      const rest = text.slice(index + 'input'.length);
      const name = /^\.([A-Za-z_]\w*)|^\["([^"\\]*)"\]/.exec(rest);
      if (name === null || members.includes(name[1] ?? name[2] ?? '')) return true;
    }
    return false;
  };
}
