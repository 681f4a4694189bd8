// Reads a certificate, which anyone may have written: its form, its size, its constants.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import type { Value } from './values.ts';

const FORMAT = 'platform/policy-proof/v1';
const CASES_MAX = 100_000;
const POINTERS_MAX = 4;
const POINTER_MAX = 256;
const CONSTANT_MAX = 4096;
const ASSUMPTIONS_MAX = 1000;
const MEMBERS = ['format', 'property', 'bundle', 'entrypoint', 'assumptions', 'cases'];

/** A certificate whose form is right; whether it is true is another matter. */
export interface Certificate {
  sentence: string;
  /** What the cases speak of, as the certificate has it; nothing where it does not say. */
  scope: JsonObject | undefined;
  policy: string;
  data: string;
  entrypoint: string;
  /** The pointers that every case names, sorted. */
  pointers: string[];
  /** Each case as the values of `pointers`. */
  cases: Value[][];
}

/** Returns the certificate, or a sentence that says what is wrong with its form. */
export function readCertificate(json: JsonValue): Certificate | string {
  if (!isJsonObject(json)) return 'the certificate is no JSON object';
  const extra = Object.keys(json).find((key) => !MEMBERS.includes(key));
  if (extra !== undefined) return `the certificate has an unknown member ${shown(extra)}`;
  if (own(json, 'format') !== FORMAT) return `the certificate's format is not ${FORMAT}`;
  const sentence = textAt(json, 'property', 'text');
  const policy = textAt(json, 'bundle', 'policy');
  const data = textAt(json, 'bundle', 'data');
  const entrypoint = own(json, 'entrypoint');
  if (sentence === undefined) return 'the certificate states no property.text';
  if (policy === undefined || data === undefined) return 'the certificate names no two revisions';
  if (typeof entrypoint !== 'string' || !/^platform\/[a-z_]{1,64}\/decision$/.test(entrypoint)) {
    return 'the certificate names no boundary’s decision as its entrypoint';
  }
  const scope = own(own(json, 'property') as JsonObject, 'scope');
  if (scope !== undefined && !isJsonObject(scope)) return 'the certificate’s scope is no object';
  const assumptions = own(json, 'assumptions') ?? [];
  if (!Array.isArray(assumptions) || assumptions.length > ASSUMPTIONS_MAX) {
    return 'the certificate’s assumptions are no list, or too many';
  }
  const cases = own(json, 'cases');
  if (!Array.isArray(cases)) return 'the certificate has no list of cases';
  if (cases.length > CASES_MAX) return `the certificate has more than ${CASES_MAX} cases`;
  const read = readCases(cases);
  return typeof read === 'string' ? read : { sentence, scope, policy, data, entrypoint, ...read };
}

function readCases(cases: JsonValue[]): Pick<Certificate, 'pointers' | 'cases'> | string {
  let pointers: string[] = [];
  const values: Value[][] = [];
  for (const [index, entry] of cases.entries()) {
    const when = isJsonObject(entry) ? own(entry, 'when') : undefined;
    if (!isJsonObject(when)) return `case ${index} has no "when"`;
    if (Object.keys(entry as JsonObject).length !== 1) return `case ${index} has other members`;
    const names = Object.keys(when).sort();
    if (index === 0) {
      if (names.length > POINTERS_MAX) return `a case names more than ${POINTERS_MAX} pointers`;
      const bad = names.find((name) => !isPointer(name));
      if (bad !== undefined) return `${shown(bad)} is no JSON Pointer to a member of objects`;
      pointers = names;
    } else if (
      names.length !== pointers.length ||
      names.some((name, at) => name !== pointers[at])
    ) {
      return `case ${index} names other pointers than the first`;
    }
    const constants = names.map((name) => when[name]!);
    if (!constants.every(isConstant)) return `case ${index} holds something that is no constant`;
    values.push(constants as Value[]);
  }
  return { pointers, cases: values };
}

/** A pointer by names only: one by a number could mean a member or an element. */
function isPointer(text: string): boolean {
  if (text.length > POINTER_MAX || !text.startsWith('/') || /~(?![01])/.test(text)) return false;
  return text
    .split('/')
    .slice(1)
    .every((part) => part !== '' && !/^(\d+|-)$/.test(part));
}

function isConstant(value: JsonValue): boolean {
  if (typeof value === 'string') return value.length <= CONSTANT_MAX;
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return value === null || typeof value === 'boolean';
}

function own(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function textAt(object: JsonObject, member: string, name: string): string | undefined {
  const inner = own(object, member);
  const value = isJsonObject(inner) ? own(inner, name) : undefined;
  return typeof value === 'string' && value.length <= CONSTANT_MAX ? value : undefined;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
