// The rules of `platform policy lint`: what each looks for, why, and what to do.
import { prefixes, scans, subjects } from './data.ts';
import { negations, orders } from './expressions.ts';
import type { LintFinding, Sources } from './finding.ts';
import { controls, defaults, leaks, metadata, tests } from './metadata.ts';

export interface LintRule {
  id: string;
  /** What is found. */
  finds: string;
  why: string;
  instead: string;
  /** What `--fix` does, where it does something. */
  fixes?: string;
  check?: (sources: Sources) => LintFinding[];
}

/** Every rule, in the order of the documentation. */
export const RULES: readonly LintRule[] = [
  {
    id: 'scan',
    finds: 'a walk over `data.agents`, `operators`, `services`, `tools`, `scopes` or `tenants`',
    why: 'the compiled module has no rule index: a walk over 620 grants costs 30 look-ups, at every decision',
    instead: '`data.agents[input.identity.spiffe_id]`',
    check: scans,
  },
  {
    id: 'subject',
    finds: 'two or more rules of a file that each name the SPIFFE ID of an agent',
    why: 'who may do what is data: it changes without a release, and `prove` and `diff` can enumerate it',
    instead: 'a member of the agent’s entry, and one rule that looks it up',
    check: subjects,
  },
  {
    id: 'spiffe-prefix',
    finds: '`startswith` or `trim_prefix` with a SPIFFE prefix that ends inside a segment',
    why: '`spiffe://td/agent/acme` also covers `spiffe://td/agent/acmefoo/…`, another tenant',
    instead: 'a prefix that ends with `/`, or the scope’s key in `data.scopes`',
    fixes: 'adds the `/` to a constant',
    check: prefixes,
  },
  {
    id: 'builtin',
    finds: 'a built-in that a host would have to supply, or that the module answers otherwise',
    why: 'a host’s built-in is where two enforcement points start to decide differently',
    instead: 'what the finding says for each built-in',
  },
  {
    id: 'not-missing',
    finds: '`not` of a call or a comparison with a part of the input in it',
    why: '`not f(input.x)` and `not input.x < 1` are undefined, and not true, where `x` is missing; the reason that should refuse is silent',
    instead:
      'a rule with the positive form, and `not` of that rule; `not input.x` and `not input.x == 1` are fine',
    check: negations,
  },
  {
    id: 'unsorted',
    finds: 'an array comprehension over a set that nothing sorts',
    why: 'a set has no order that every evaluator shares, so equal decisions would get unequal ids',
    instead: '`sort([…])`',
    fixes: 'wraps it in `sort(…)`',
    check: orders,
  },
  {
    id: 'leak',
    finds: 'an answer that copies `input.arguments`, `input.provenance` or `input.text`',
    why: 'answers are kept in clear in the evidence, arguments only as commitments',
    instead: 'name the condition that failed, not the value',
    check: leaks,
  },
  {
    id: 'default',
    finds: 'a rule `allow` without a default',
    why: 'where nothing allows, it has no value, and whoever asks gets no answer instead of a no',
    instead: '`default allow := false`',
    fixes: 'adds it',
    check: defaults,
  },
  {
    id: 'metadata',
    finds: 'a rule or package without a title, or without control ids of its own or of its package',
    why: 'the title is what people read in explanations and reports, the ids are what auditors count',
    instead: '`# METADATA` with `title` and `custom.controls`',
    check: metadata,
  },
  {
    id: 'controls',
    finds:
      'an element of `grants`, `reasons` or `deny` whose controls differ from the rule’s METADATA',
    why: '`platform policy controls` reads the METADATA, the evidence has the element: one of both is wrong',
    instead: 'the same list in both places',
    fixes: 'takes the list of the METADATA',
    check: controls,
  },
  {
    id: 'test',
    finds: 'a package that no test file is about, or a code that no test speaks of',
    why: 'a rule that no test holds changes unseen',
    instead: 'a `…_test.rego` beside it that gets each code, and just misses it',
    check: tests,
  },
  {
    id: 'ignore',
    finds: '`# lint: ignore RULE` without a reason, of an unknown rule, or with nothing to ignore',
    why: 'an exception that says no reason cannot be judged later',
    instead: '`# lint: ignore RULE because …` in the line or the one before',
  },
];
