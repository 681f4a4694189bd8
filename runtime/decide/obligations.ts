// What a decision may ask of its caller: the kinds of obligations, their forms, and who honours which.
import { isJsonObject, type JsonValue } from '../json.ts';
import type { Boundary } from './boundary.ts';
import type { Obligation } from './decision.ts';

/**
 * The same forms as `policies/answer/obligations.rego` has for limits, member by member; none is
 * optional. What a mesh answers with demands of whoever holds the message (policies/mesh/calls.rego).
 */
const forms: {
  readonly [kind: string]: { readonly [member: string]: (value: JsonValue) => boolean };
} = Object.assign(Object.create(null), {
  require_approval: { question: isText },
  rate: { limit: isWhole, window_seconds: isWindow, per: isSubject },
  budget: { currency: isCurrency, limit: isWhole, per: isSubject },
  max_bytes: { bytes: isWhole },
  redact: { paths: isPointers },
  read_body: { protocol: isProtocol },
  validate_arguments: { schema: isSchema },
  scan: { scanners: isNames, thresholds: isJsonObject },
});

/**
 * The kinds that the platform's own callers honour, by boundary; `require_approval` is none of them,
 * because it comes with a refusal. What a caller honours goes into `honours` of its request, and the
 * audit judges rows by the same list.
 */
export const HONOURED: { readonly [boundary in Boundary]?: readonly string[] } = {
  tool: ['rate', 'budget', 'max_bytes', 'redact'],
};

/** True for an obligation of a known kind with exactly the members that its kind has. */
export function isWellFormed(obligation: Obligation): boolean {
  const form = forms[obligation.kind];
  if (form === undefined) return false;
  const members = Object.keys(obligation).filter((member) => member !== 'kind');
  return (
    members.length === Object.keys(form).length &&
    members.every((member) => form[member]?.(obligation[member]!) === true)
  );
}

/**
 * What is honoured at the boundary `mesh`: the body is read for the decision about a call, and what
 * that one demands is decided before the message goes on.
 */
const honouredInMesh: { readonly [action: string]: readonly string[] } = {
  connect: ['read_body'],
  call: ['validate_arguments', 'scan'],
};

/** The kinds that are honoured for a decision of the module `authorization` on this input. */
export function honouredFor(boundary: string, input: JsonValue): readonly string[] {
  if (boundary !== 'mesh') return HONOURED[boundary as Boundary] ?? [];
  const action = isJsonObject(input) ? input.action : undefined;
  return (
    (typeof action === 'string' &&
      Object.hasOwn(honouredInMesh, action) &&
      honouredInMesh[action]) ||
    []
  );
}

/** The first of the obligations that a caller which honours these kinds cannot keep. */
export function unhonoured(
  obligations: readonly Obligation[],
  honours: readonly string[],
): Obligation | undefined {
  return obligations.find((one) => !honours.includes(one.kind) || !isWellFormed(one));
}

/** An object with a kind; what it asks for is another question. */
export function isObligation(value: unknown): value is Obligation {
  return isJsonObject(value) && typeof value.kind === 'string';
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string';
}

function isProtocol(value: JsonValue): boolean {
  return value === 'mcp' || value === 'a2a';
}

/** A JSON Schema is an object or a truth value; the `arguments` module judges the rest. */
function isSchema(value: JsonValue): boolean {
  return isJsonObject(value) || typeof value === 'boolean';
}

function isNames(value: JsonValue): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string')
  );
}

function isWhole(value: JsonValue): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The windows that calls are counted in: a minute, an hour, a day. */
function isWindow(value: JsonValue): boolean {
  return value === 60 || value === 3600 || value === 86_400;
}

function isSubject(value: JsonValue): boolean {
  return value === 'agent' || value === 'tenant';
}

/** Three capital letters, as ISO 4217 has them. */
function isCurrency(value: JsonValue): boolean {
  return typeof value === 'string' && /^[A-Z]{3}$/.test(value);
}

/** JSON Pointers (RFC 6901), at least one. */
function isPointers(value: JsonValue): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((path) => path === '' || (typeof path === 'string' && path.startsWith('/')));
}
