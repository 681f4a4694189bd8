// What a policy answers, and what every host of compiled policies can do.
import type { JsonValue } from '../json.ts';

/** The value of an entrypoint. Equal answers may be the same object: nobody may change it. */
export interface Answer {
  /** Its JSON. */
  readonly bytes: Uint8Array;
  /** The same, frozen. */
  readonly value: JsonValue;
}

/** The compiled policies with one data bundle. */
export interface PolicyHost {
  /** Names such as `platform/tool/decision`. */
  readonly entrypoints: readonly string[];
  /**
   * Evaluates an entrypoint for a JSON value. Only what the policy reads is looked at: whether the rest
   * is JSON is for the caller to know.
   * @throws ModuleError `bundle_entrypoint_missing`; `module_output_invalid` when the entrypoint is
   *   undefined for this input; `module_trapped`, `steps_exhausted`, `memory_exhausted`,
   *   `depth_exhausted` or `policy_conflict` when the evaluation ended without an answer; InputError
   */
  decide(entrypoint: string, input: JsonValue): Answer;
  /** The same for canonical JSON (RFC 8785) of at most 1 MiB; without a byte the input is undefined. */
  decideBytes(entrypoint: string, input: Uint8Array): Answer;
}

/** The answer of a JSON text. */
export function answerOf(bytes: Uint8Array): Answer {
  return { bytes, value: frozen(JSON.parse(Buffer.from(bytes).toString()) as JsonValue) };
}

function frozen(value: JsonValue): JsonValue {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozen(member);
  }
  return Object.freeze(value) as JsonValue;
}
