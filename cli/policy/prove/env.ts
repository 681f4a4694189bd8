// Values of variables while a body is evaluated.
import type { AstTerm } from '../../../runtime/modules/rego.ts';
import { ANYTHING, type Value } from './values.ts';

/** Each binding is a link, so that alternatives share what they agree on. */
export type Env = { name: string; value: Value; next: Env } | undefined;

/** The binding of a variable. */
export function lookup(env: Env, name: string): { value: Value } | undefined {
  for (let at = env; at !== undefined; at = at.next) if (at.name === name) return at;
  return undefined;
}

/** Binds a term that is a variable. */
export function bind(term: AstTerm, value: Value, env: Env): Env {
  return { name: term.value as string, value, next: env };
}

/** Whether the term holds a variable that is not bound yet. */
export function isPattern(term: AstTerm, env: Env): boolean {
  if (term.type === 'var') return lookup(env, term.value) === undefined;
  if (term.type === 'array') return (term.value as AstTerm[]).some((item) => isPattern(item, env));
  if (term.type === 'object') {
    return (term.value as AstTerm[][]).some(([, value]) => isPattern(value!, env));
  }
  return false;
}

/** Every unbound variable of a term becomes anything: what it was bound to is not known. */
export function bindAll(term: unknown, env: Env): Env {
  let bound = env;
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) visit(one);
    else if (typeof part === 'object' && part !== null) {
      const { type, value } = part as { type?: string; value?: unknown };
      if (value === 'input' || value === 'data') return;
      if (type === 'var' && typeof value === 'string') {
        if (lookup(bound, value) === undefined)
          bound = { name: value, value: ANYTHING, next: bound };
      } else for (const one of Object.values(part)) visit(one);
    }
  };
  visit(term);
  return bound;
}
