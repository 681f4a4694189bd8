// The wire of a decision request, one JSON object for every host: the CLI, Python, Envoy, a browser.
import { InputError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { BOUNDARIES, DECISION_MODULES } from './boundary.ts';
import type { Decision, DecisionRequest } from './decision.ts';

const SALT = /^[0-9A-Fa-f]{64}$/;

/** What is answered. */
export type DecisionAnswer = Pick<Decision, 'id' | 'allow' | 'rule' | 'reason'>;

/**
 * Reads `{"boundary","module","input": base64,"salt": 64 hex digits,"schema"?: base64}`.
 * @throws InputError `input_invalid` that says which member is wrong; `where` stands before it
 */
export function readRequest(value: unknown, where = ''): DecisionRequest {
  const fail = (what: string): never => {
    throw new InputError('input_invalid', `${where}${what}`);
  };
  if (!isJsonObject(value)) return fail('not a JSON object');
  const { input, salt: digits, schema } = value as JsonObject;
  const boundary = BOUNDARIES.find((name) => name === value.boundary);
  const module = DECISION_MODULES.find((name) => name === value.module);
  if (boundary === undefined) return fail(`boundary is one of ${BOUNDARIES.join(', ')}`);
  if (module === undefined) return fail(`module is one of ${DECISION_MODULES.join(', ')}`);
  if (typeof digits !== 'string' || !SALT.test(digits)) return fail('salt is 64 hex digits');
  return {
    ...{ boundary, module, salt: Buffer.from(digits, 'hex') },
    input: bytesOf(input) ?? fail('input is base64 text'),
    schema:
      typeof schema === 'string' ? (bytesOf(schema) ?? fail('schema is base64 text')) : undefined,
  };
}

/** Base64 (RFC 4648, section 4); only the one text that stands for its bytes, so that all hosts take the same requests. */
function bytesOf(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** What a host answers of a decision. */
export function answerOf({ id, allow, rule, reason }: Decision): DecisionAnswer {
  return { id, allow, rule, reason };
}
