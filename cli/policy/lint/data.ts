// Checks of how a policy uses its data: look-ups, subjects, SPIFFE prefixes.
import type { AstTerm } from '../../../runtime/modules/rego-ast.ts';
import {
  at,
  type LintFinding,
  nameOf,
  replace,
  ruleName,
  type Source,
  type Sources,
  walk,
  walkCalls,
  walkTerms,
} from './finding.ts';

/** Members of the data that grow with the platform, each an object by key. */
const KEYED = /^data\.(agents|operators|services|tools|scopes|tenants)$/;
const SUBJECT = /^spiffe:\/\/[^/]+\/agent\/[^/]+\/[^/]+\/[^/*]+$/;
const SUBJECTS_MIN = 2;

/** Iteration over data where a look-up by key would do. */
export function scans({ linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  const report = (source: Source, term: AstTerm, name: string) =>
    found.push(
      at(source, term.location, {
        code: 'scan',
        message: `this walks over all of ${name}`,
        hint: `look up by key: ${name}[input.identity.spiffe_id], or the member that the rule asks for`,
      }),
    );
  for (const source of linted) {
    if (source.isTest) continue;
    walkCalls(source.module.rules, (name, operands) => {
      const isMember = name === 'internal.member_2' || name === 'internal.member_3';
      const from = operands.at(-1);
      if (isMember && from !== undefined && KEYED.test(fullName(from)))
        report(source, from, nameOf(from));
      const [argument] = operands;
      if (name === 'object.keys' && argument !== undefined && KEYED.test(fullName(argument))) {
        report(source, argument, nameOf(argument));
      }
    });
    walk(source.module.rules, (node) => {
      const domain = node.domain as AstTerm | undefined;
      if (domain !== undefined && KEYED.test(fullName(domain)))
        report(source, domain, nameOf(domain));
    });
    for (const rule of source.module.rules ?? []) {
      const bound = new Set((rule.head.args ?? []).map(({ value }) => String(value)));
      walkTerms(rule, ['ref'], (term) => {
        const parts = term.value as AstTerm[];
        const key = parts[2];
        const name = nameOf({ type: 'ref', value: parts.slice(0, 2) });
        if (key?.type !== 'var' || !KEYED.test(name) || bound.has(String(key.value))) return;
        if (!isGiven(rule, String(key.value), source)) report(source, term, name);
      });
    }
  }
  return found;
}

/** Whether a variable gets its value elsewhere: by `:=`, by `some … in`, or as a rule's name. */
function isGiven(rule: unknown, name: string, source: Source): boolean {
  if ((source.module.rules ?? []).some((other) => ruleName(other) === name)) return true;
  let given = false;
  walk(rule, (node) => {
    const { terms, symbols, domain } = node as Record<string, unknown>;
    if (Array.isArray(terms) && nameOf(terms[0] as AstTerm) === 'assign') {
      if ((terms[1] as AstTerm).value === name) given = true;
    }
    if (
      domain !== undefined &&
      [node.key, node.value].some((t) => (t as AstTerm)?.value === name)
    ) {
      given = true;
    }
    for (const symbol of (symbols as AstTerm[] | undefined) ?? []) {
      const parts = symbol.type === 'call' ? (symbol.value as AstTerm[]).slice(1, -1) : [];
      if (parts.some(({ value }) => value === name)) given = true;
    }
  });
  return given;
}

function fullName(term: AstTerm): string {
  return term.type === 'ref' && nameOf(term).split('.').length < (term.value as AstTerm[]).length
    ? ''
    : nameOf(term);
}

/** Several rules that each name one agent: what data would say once. */
export function subjects({ linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  for (const source of linted) {
    if (source.isTest) continue;
    const named: { rule: number; term: AstTerm }[] = [];
    for (const [index, rule] of (source.module.rules ?? []).entries()) {
      let first: AstTerm | undefined;
      walkTerms(rule, ['string'], (term) => {
        if (SUBJECT.test(String(term.value))) first ??= term;
      });
      if (first !== undefined) named.push({ rule: index, term: first });
    }
    if (named.length < SUBJECTS_MIN) continue;
    for (const { term } of named) {
      found.push(
        at(source, term.location, {
          code: 'subject',
          message: `${named.length} rules of this file are each about one agent`,
          hint: 'put the fact into the agent’s entry, and ask data.agents[input.identity.spiffe_id] once',
        }),
      );
    }
  }
  return found;
}

/** `startswith` with a SPIFFE prefix that ends inside a segment: acme also covers acmefoo. */
export function prefixes({ linted }: Sources): LintFinding[] {
  const found: LintFinding[] = [];
  for (const source of linted) {
    if (source.isTest) continue;
    walkCalls(source.module.rules, (name, operands) => {
      const prefix = name === 'startswith' || name === 'trim_prefix' ? operands[1] : undefined;
      if (prefix === undefined) return;
      const text = endOf(source, prefix, 0);
      if (text === undefined || !text.spiffe || text.end === '/') return;
      const literal =
        prefix.type === 'string' ? JSON.stringify(`${String(prefix.value)}/`) : undefined;
      found.push(
        at(source, prefix.location, {
          code: 'spiffe-prefix',
          message:
            'a SPIFFE prefix that does not end with "/" covers more than the segment it names',
          hint: 'end the prefix with "/", or look up the scope by key',
          fix: literal === undefined ? undefined : replace(source, prefix.location, literal),
        }),
      );
    });
  }
  return found;
}

/** Whether a term builds a SPIFFE ID, and its last character as far as it is known. */
function endOf(
  source: Source,
  term: AstTerm,
  depth: number,
): { spiffe: boolean; end: string } | undefined {
  if (depth > 4) return undefined;
  if (term.type === 'string') {
    const text = String(term.value);
    return { spiffe: text.startsWith('spiffe://'), end: text.at(-1) ?? '' };
  }
  let parts: AstTerm[] = [];
  if (term.type === 'templatestring') parts = (term.value as { parts: AstTerm[] }).parts;
  else if (term.type === 'call') {
    const [operator, separator, list] = term.value as AstTerm[];
    if (nameOf(operator!) !== 'concat' || list?.type !== 'array') return undefined;
    if (separator?.type === 'string' && separator.value === '') parts = list.value as AstTerm[];
    else {
      const items = list.value as AstTerm[];
      parts = items.at(-1)?.value === '' ? [items[0]!, separator!] : items;
    }
    // `concat("/", ["spiffe:", "", …])`
    if (parts[0]?.value === 'spiffe:')
      parts = [{ type: 'string', value: 'spiffe://' }, ...parts.slice(1)];
  } else if (term.type === 'var') {
    const value = valueOfName(source, String(term.value));
    return value === undefined ? undefined : endOf(source, value, depth + 1);
  }
  const first = parts[0] && endOf(source, parts[0], depth + 1);
  const last = parts.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const end = 'type' in last ? endOf(source, last, depth + 1)?.end : undefined;
  return { spiffe: first.spiffe, end: end ?? '?' };
}

/** What a rule of the file or a local `:=` gives a name. */
function valueOfName(source: Source, name: string): AstTerm | undefined {
  let value: AstTerm | undefined;
  for (const rule of source.module.rules ?? []) {
    if (ruleName(rule) === name) value ??= rule.head.value;
  }
  walkCalls(source.module.rules, (operator, [left, right]) => {
    if (operator === 'assign' && left?.value === name) value ??= right;
  });
  return value;
}
