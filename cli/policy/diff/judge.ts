// Asks both policies the same question and says how their answers differ.
import { codeOf } from '../../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import { Authorization } from '../../../runtime/modules/authorization.ts';

/** What one policy answers, as the platform reads it. */
export interface Verdict {
  allow: boolean;
  /** Refused, but a person may allow it. */
  asks: boolean;
  rule: string;
  obligations: JsonObject[];
  /** JSON of reasons and of controls, to compare. */
  reasons: string;
  controls: string;
}

export type FlipKind =
  | 'deny_to_allow'
  | 'deny_to_ask'
  | 'obligation_lost'
  | 'allow_to_deny'
  | 'obligations_changed'
  | 'reason_changed'
  | 'controls_changed';

/** The kinds that let through what was held before; the others only narrow or explain. */
export const WIDENING: ReadonlySet<FlipKind> = new Set<FlipKind>([
  'deny_to_allow',
  'deny_to_ask',
  'obligation_lost',
]);

/** What a policy is made of for deciding. */
export interface Deciding {
  wasm: Uint8Array;
  decisions?: Uint8Array;
  reads?: Record<string, string[]>;
  data: Uint8Array;
}

/** One compiled policy with its data, asked in canonical JSON. */
export class Judge {
  readonly #module: Authorization;
  readonly #entrypoints: ReadonlySet<string>;
  /** Answers are shared objects, so each is read once. */
  readonly #read = new WeakMap<object, Verdict>();

  constructor(deciding: Deciding) {
    this.#module = Authorization.create(deciding);
    this.#entrypoints = new Set(this.#module.entrypoints);
  }

  /** Never throws: what fails is refused, under the error's code. */
  ask(boundary: string, canonical: Uint8Array): Verdict {
    const entrypoint = `platform/${boundary}/decision`;
    if (!this.#entrypoints.has(entrypoint)) return failed('boundary_missing');
    try {
      const answer = this.#module.decideBytes(entrypoint, canonical).value;
      if (!isJsonObject(answer)) return failed('module_output_invalid');
      let verdict = this.#read.get(answer);
      if (verdict === undefined) {
        verdict = verdictOf(answer);
        this.#read.set(answer, verdict);
      }
      return verdict;
    } catch (error) {
      return failed(codeOf(error));
    }
  }
}

/** What the answer of a policy says, as the platform reads it. */
export function verdictOf(answer: JsonObject): Verdict {
  const { obligations = [], rule, reasons, controls } = answer;
  if (!Array.isArray(obligations) || !obligations.every(isObligation)) {
    return failed('module_output_invalid');
  }
  const allow = answer.allow === true;
  return {
    allow,
    asks: !allow && obligations.some(({ kind }) => kind === 'require_approval'),
    rule: typeof rule === 'string' ? rule : 'authorization',
    obligations,
    reasons: JSON.stringify(reasons ?? []),
    controls: JSON.stringify(controls ?? []),
  };
}

function isObligation(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && typeof value.kind === 'string';
}

function failed(code: string): Verdict {
  return { allow: false, asks: false, rule: code, obligations: [], reasons: '', controls: '' };
}

/** The kind of the difference, the gravest first; undefined where both answer alike. */
export function flipOf(old: Verdict, now: Verdict): FlipKind | undefined {
  if (old === now) return undefined;
  if (!old.allow && now.allow) return 'deny_to_allow';
  if (old.allow && !now.allow) return 'allow_to_deny';
  if (!old.allow && !old.asks && now.asks) return 'deny_to_ask';
  if (old.allow && !old.obligations.every((each) => isKept(each, now.obligations))) {
    return 'obligation_lost';
  }
  if (JSON.stringify(old.obligations) !== JSON.stringify(now.obligations)) {
    return 'obligations_changed';
  }
  if (old.rule !== now.rule || old.reasons !== now.reasons) return 'reason_changed';
  return old.controls === now.controls ? undefined : 'controls_changed';
}

/** True when some obligation asks for at least as much. */
function isKept(before: JsonObject, after: readonly JsonObject[]): boolean {
  return after.some((each) => {
    const members = new Set([...Object.keys(before), ...Object.keys(each)]);
    return [...members].every((name) => isAsStrict(name, before[name], each[name]));
  });
}

function isAsStrict(name: string, before?: JsonValue, after?: JsonValue): boolean {
  if (['limit', 'bytes'].includes(name)) {
    if (typeof before === 'number' && typeof after === 'number') return after <= before;
  }
  if (name === 'paths' && Array.isArray(before) && Array.isArray(after)) {
    return before.every((path) => after.includes(path));
  }
  return JSON.stringify(before) === JSON.stringify(after);
}
