// Small questions about OPA's syntax tree.
import type { AstTerm } from '../../../runtime/modules/rego-ast.ts';

/** The terms directly below a term; closures, which have names of their own, show none. */
export function partsOf(term: AstTerm): AstTerm[] {
  if (term.type === 'object') return (term.value as [AstTerm, AstTerm][]).flat();
  if (['array', 'set', 'ref', 'call'].includes(term.type)) return term.value as AstTerm[];
  return [];
}

export function isClosure(term: AstTerm): boolean {
  return term.type.endsWith('comprehension') || term.type === 'templatestring';
}

/** The name of the operator of a call: `startswith`, `object.get`, `answer.text`. */
export function operatorOf(term: AstTerm): string {
  if (term.type !== 'ref') return String(term.value);
  return (term.value as AstTerm[]).map((part) => String(part.value)).join('.');
}

/** Every variable anywhere below a node, closures included. */
export function variablesIn(node: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) {
    for (const part of node) variablesIn(part, found);
  } else if (typeof node === 'object' && node !== null) {
    const term = node as Partial<AstTerm>;
    if (term.type === 'var' && typeof term.value === 'string') found.add(term.value);
    for (const [key, part] of Object.entries(node))
      if (key !== 'location') variablesIn(part, found);
  }
  return found;
}

/** Every text that sources hold as a constant, anywhere below a node. */
export function textsIn(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found;
  const { type, value } = node as Partial<AstTerm>;
  if (type === 'string' && typeof value === 'string') found.add(value);
  for (const [key, part] of Object.entries(node)) if (key !== 'location') textsIn(part, found);
  return found;
}
