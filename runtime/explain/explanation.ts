// Explains one decision: evaluates it again with OPA's interpreter and finds the rules that made it so.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { RegoCompiler, RegoCondition, RegoRuleTrace, RegoSources } from '../modules/rego.ts';
import { policyInvalid } from '../modules/rego.ts';
import { neededFor } from './needed.ts';
import { rulesIn, withConditions } from './tree.ts';
import { markUnknown } from './unknown.ts';

export interface Explanation {
  boundary: string;
  /** The decision module; only `authorization` has rules, others give their reasons alone. */
  module: string;
  allow: boolean;
  /** `platform.<boundary>.<code>` of what decided. */
  rule: string;
  reasons: { code: string; message: string }[];
  /** The decision's output whole: what was recorded, else what the rules give now. */
  output: JsonValue;
  /** The rules that made it so: what granted, or every reason that refused. */
  why: RegoRuleTrace[];
  /** Of a denial what might have granted, of an allow what might have refused. */
  others: RegoRuleTrace[];
  /** Everything that was evaluated. */
  tree: RegoCondition[];
  /** Members of the input whose values are not at hand. */
  unknown: string[];
  /** Whether all is known and the rules give another output than was recorded. */
  diverges: boolean;
}

export interface ExplainRequest {
  sources: RegoSources;
  data: JsonObject;
  boundary: string;
  input: JsonValue;
  /** Members that are committed and not opened; they are left out of the input. */
  unknown?: readonly string[];
  /** What was decided, where it is known: it stands even if the rules cannot be followed here. */
  recorded?: JsonValue;
}

/**
 * Explains the decision of a boundary for one input. Evaluated with the sources, not with the
 * compiled module; both give the same output, which tests hold them to.
 * @throws BundleError `policy_invalid` where the sources do not compile or take too many steps
 */
export function explainDecision(compiler: RegoCompiler, request: ExplainRequest): Explanation {
  const { sources, data, boundary, unknown = [] } = request;
  const input = withoutMembers(request.input, unknown);
  const query = `data.platform.${boundary}.decision`;
  const files = neededFor(boundary, sources.files);
  const answer = compiler.explain({ ...sources, files, data, query, input });
  if (!answer.ok) throw policyInvalid(answer.errors);
  const evaluated = answer.result[0] ?? null;
  const output = request.recorded ?? evaluated;
  const diverges = unknown.length === 0 && !isDeepStrictEqual(output, evaluated);
  const tree = unknown.length === 0 ? answer.tree : markUnknown(answer.tree, unknown);
  const known = { boundary, module: 'authorization', tree, unknown: [...unknown], diverges };
  return { ...known, ...decided(output), ...deciding(tree, boundary, output) };
}

/** What can be said of a decision of another module than `authorization`: what it found. */
export function explainWithoutRules(
  boundary: string,
  module: string,
  output: JsonValue,
): Explanation {
  const nothing = { why: [], others: [], tree: [], unknown: [], diverges: false };
  const { allow, reasons } = decided(output);
  const { violations, findings } = isJsonObject(output) ? output : {};
  const found = [
    ...objects(violations).map(({ pointer, message }) => ({ code: pointer, message })),
    ...objects(findings).map(({ scanner, kind }) => ({ code: scanner, message: kind })),
  ].map(({ code, message }) => ({ code: String(code), message: String(message) }));
  const all = [...reasons, ...found];
  return { boundary, module, ...nothing, allow, rule: module, reasons: all, output };
}

function decided(output: JsonValue): Pick<Explanation, 'allow' | 'rule' | 'reasons' | 'output'> {
  const { allow, rule, reasons } = isJsonObject(output) ? output : {};
  return {
    allow: allow === true,
    rule: typeof rule === 'string' ? rule : 'undefined',
    reasons: objects(reasons).map(({ code, message }) => ({
      code: String(code),
      message: String(message),
    })),
    output,
  };
}

/** Every boundary says in `grants` what permits and in `reasons` what refuses. */
function deciding(tree: RegoCondition[], boundary: string, output: JsonValue) {
  const all = rulesIn(tree);
  const of = (name: string) => {
    const path = `data.platform.${boundary}.${name}`;
    return all.filter((rule) => rule.path === path).map((rule) => withConditions(rule, all));
  };
  const holds = ({ outcome }: RegoRuleTrace) => outcome === 'true' || outcome === 'unknown';
  const [grants, reasons] = [of('grants'), of('reasons')];
  const allowed = isJsonObject(output) && output.allow === true;
  const [speaking, others] = allowed ? [grants, reasons] : [reasons, grants];
  const held = speaking.filter(holds);
  // With unknown members more may hold than did; the output says which did.
  const codes = decided(output).reasons.map(({ code }) => `"code": ${JSON.stringify(code)}`);
  const named = held.filter(({ value = '' }) => codes.some((code) => value.includes(code)));
  return {
    why: named.length > 0 ? named : held,
    others: allowed ? others.filter(({ outcome }) => outcome !== 'true') : others,
  };
}

function withoutMembers(input: JsonValue, members: readonly string[]): JsonValue {
  if (!isJsonObject(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !members.includes(name)));
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
