// For people who must explain a diverged decision: what of its input the policy read, and what decided.
import { type Boundary, entrypointOf } from '../../decide/boundary.ts';
import type { Executor } from '../../decide/execute.ts';
import { codeOf } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { equalBytes } from '../hashes.ts';
import type { RecordedDecision } from './recorded.ts';

/** A part of the input that the policy may read at this boundary. */
export interface InputRead {
  /** JSON Pointer (RFC 6901). */
  pointer: string;
  /** Absent where the input has no such part, or it is too long to be shown. */
  value?: JsonValue;
  /** Only committed to: the value is the commitment. */
  committed: boolean;
  /** Without this part the policy would answer otherwise than it does. */
  decisive: boolean;
}

const READS_MAX = 64;
const VALUE_CHARACTERS_MAX = 1000;

/**
 * What of the recorded input the compiled policy may read, as its bundle lists it, the decisive parts
 * found by asking the policy again without each. None for other modules than `authorization`.
 */
export function inputReads(decision: RecordedDecision, executor: Executor): InputRead[] {
  const { module, input } = decision;
  if (module !== 'authorization' || !isJsonObject(input)) return [];
  const boundary = decision.boundary as Boundary;
  const pointers = executor.pair.policy.readPaths?.[entrypointOf(boundary)] ?? [];
  const answer = (value: JsonValue): Uint8Array => {
    try {
      return executor.execute({ boundary, module, input: value });
    } catch (error) {
      return Buffer.from(codeOf(error));
    }
  };
  const given = answer(input);
  return pointers.slice(0, READS_MAX).map((pointer) => {
    const path = pointer.split('/').slice(1).map(unescaped);
    const value = valueAt(input, path);
    const decisive = value !== undefined && !equalBytes(answer(without(input, path)), given);
    const isShown = value !== undefined && JSON.stringify(value).length <= VALUE_CHARACTERS_MAX;
    const committed = isCommitment(valueAt(input, path.slice(0, 1)));
    return { pointer, ...(isShown && { value }), committed, decisive };
  });
}

function valueAt(input: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = input;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** A copy in which the member at the path is missing. */
function without(input: JsonObject, path: readonly string[]): JsonObject {
  const [name, ...rest] = path;
  if (name === undefined) return input;
  const { [name]: member, ...others } = input;
  if (rest.length === 0 || !isJsonObject(member)) return others;
  return { ...input, [name]: without(member, rest) };
}

function isCommitment(value: JsonValue | undefined): boolean {
  return isJsonObject(value) && typeof value.$commitment === 'string';
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
