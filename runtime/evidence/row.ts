// The evidence row: its schema, and its one encoding as canonical JSON.
import type { Decision, Opening } from '../decide/decision.ts';
import { EvidenceError, InputError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { canonicalValue, isKnownCanonical } from '../modules/canonical-value.ts';
import { equalBytes, type RecordHashes } from './hashes.ts';

export const ROW_SCHEMA = 'platform/evidence/v1';

export const rowKinds = ['intent', 'outcome', 'denial', 'event'] as const;
export type RowKind = (typeof rowKinds)[number];
export const rowOutcomes = ['ok', 'error', 'denied', 'unknown'] as const;
export type RowOutcome = (typeof rowOutcomes)[number];

/** What a row keeps of a decision. */
export type DecisionFacts = Pick<
  Decision,
  | 'id'
  | 'module'
  | 'boundary'
  | 'moduleDigest'
  | 'policyRevision'
  | 'dataRevision'
  | 'committedInput'
  | 'outputBytes'
>;

/** What a service says happened; the log adds schema, log id and sequence. */
export interface EvidenceDraft {
  kind: RowKind;
  /** Joins an intent with its outcome. */
  action: string;
  request: string;
  /** RFC 3339, UTC, milliseconds. */
  time: string;
  spiffe_id: string;
  boundary: string;
  /** What was acted on, such as `{"tool": "name"}`; never a secret. */
  subject: JsonObject;
  decisions: readonly DecisionFacts[];
  reason?: { code: string; message: string };
  controls: readonly string[];
  outcome?: RowOutcome;
  detail?: JsonObject;
  /** Go to the encrypted store; no byte of them enters the row. */
  openings?: readonly Opening[];
}

/** A decision as a row holds it. */
export interface RowDecision {
  id: string;
  module: string;
  boundary: string;
  module_digest: string;
  policy_revision: string;
  data_revision: string;
  input: JsonValue;
  output: JsonValue;
}

/** The content of a row, as `decodeRow` returns it. */
export interface RowContent extends Omit<EvidenceDraft, 'decisions' | 'openings' | 'controls'> {
  schema: typeof ROW_SCHEMA;
  log: string;
  sequence: number;
  controls: string[];
  decisions: RowDecision[];
}

/** A committed row: durable, and a leaf of the log under a signed checkpoint. */
export interface EvidenceRow {
  log: string;
  /** From 0, without gaps. */
  sequence: number;
  /** Hexadecimal leaf hash. */
  leaf: string;
  /** Canonical JSON. */
  bytes: Uint8Array;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** The largest text that the record module reads. */
const ROW_BYTES_MAX = 1 << 20;

/**
 * The row's canonical bytes (RFC 8785). Only the named fields are read from the draft, so an
 * opening or any other stray property cannot reach the log. Throws `evidence_row_invalid`.
 */
export function encodeRow(
  draft: EvidenceDraft,
  log: string,
  sequence: number,
  record: RecordHashes,
): Uint8Array {
  if (!isTime(draft.time)) {
    throw new EvidenceError('evidence_row_invalid', 'the time is not RFC 3339 in UTC with ms');
  }
  try {
    const { kind, action, request, time, spiffe_id, boundary, subject, controls } = draft;
    const { reason, detail, outcome } = draft;
    const decisions = draft.decisions.map((each) => encodeDecision(each, record)).join(',');
    // The members stand in canonical order, so that where theirs do too nothing has to be sorted.
    const fields = [
      { action, boundary, controls },
      {
        ...(detail === undefined ? {} : { detail }),
        ...{ kind, log },
        ...(outcome === undefined ? {} : { outcome }),
        ...(reason && { reason: { code: reason.code, message: reason.message } }),
        ...{ request, schema: ROW_SCHEMA, sequence, spiffe_id, subject, time },
      },
    ];
    const ordered = fields.map(canonicalValue);
    const inOrder = !ordered.includes(undefined);
    const [head, rest] = inOrder
      ? ordered.map((each) => JSON.stringify(each))
      : fields.map((each) => JSON.stringify(each, jsonOnly));
    const text = `${head!.slice(0, -1)},"decisions":[${decisions}],${rest!.slice(1)}`;
    const bytes = Buffer.from(text);
    // Otherwise the module puts it in order, or says in its own words what is wrong.
    return inOrder && bytes.length <= ROW_BYTES_MAX ? bytes : record.canonicalize(bytes);
  } catch (cause) {
    const what = cause instanceof InputError ? `${cause.code}: ${cause.message}` : 'not JSON';
    throw new EvidenceError('evidence_row_invalid', `the evidence row is unreadable (${what})`, {
      cause,
    });
  }
}

/** For JSON.stringify, which would leave out or change what is no JSON, or ask its `toJSON`. */
function jsonOnly(this: { [key: string]: unknown }, key: string, value: unknown): unknown {
  if (this[key] !== value) throw new InputError('input_invalid', 'a field of the row is no JSON');
  if (value === null || ['object', 'string', 'boolean'].includes(typeof value)) return value;
  if (Number.isFinite(value)) return value;
  throw new InputError('input_invalid', 'a field of the row is no JSON');
}

function encodeDecision(decision: DecisionFacts, record: RecordHashes): string {
  const { boundary, id, module } = decision;
  const input = encodeValue(decision.committedInput, record);
  const output = encodeOutput(decision.outputBytes, record);
  const names = [boundary, decision.dataRevision, id, module, decision.moduleDigest];
  const [at, data, name, which, digest] = names.map(plainText);
  const policy = plainText(decision.policyRevision);
  return `{"boundary":${at},"data_revision":${data},"id":${name},"input":${input},"module":${which},"module_digest":${digest},"output":${output},"policy_revision":${policy}}`;
}

/** A name of the platform's own making as JSON. */
function plainText(text: string): string {
  if (!text.isWellFormed()) throw new InputError('input_lone_surrogate', 'half a surrogate pair');
  return JSON.stringify(text);
}

/** Texts of outputs by their bytes: an executor gives the same bytes for an output that comes again. */
const outputTexts = new WeakMap<Uint8Array, string>();

function encodeOutput(bytes: Uint8Array, record: RecordHashes): string {
  let text = outputTexts.get(bytes);
  if (text === undefined) {
    text = encodeValue(bytes, record);
    outputTexts.set(bytes, text);
  }
  return text;
}

// Spliced in without being parsed here, so it must be one canonical value and nothing beside it.
function encodeValue(bytes: Uint8Array, record: RecordHashes): string {
  if (!isKnownCanonical(bytes) && !equalBytes(record.canonicalize(bytes), bytes)) {
    throw new InputError('input_invalid', 'input or output of a decision is not canonical');
  }
  return utf8.decode(bytes);
}

/**
 * The content of a row's bytes. Checks the schema version and the type of every field that the log
 * and the audit rely on, and throws `evidence_corrupt` where one does not hold.
 */
export function decodeRow(bytes: Uint8Array): RowContent {
  let row: unknown;
  try {
    row = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new EvidenceError('evidence_corrupt', 'a row is not UTF-8 JSON', { cause });
  }
  const broken = isJsonObject(row) ? findBroken(row) : 'it is not an object';
  if (broken) throw new EvidenceError('evidence_corrupt', `a row is malformed: ${broken}`);
  return row as unknown as RowContent;
}

const textFields = ['log', 'action', 'request', 'time', 'spiffe_id', 'boundary'];
const optionalFields = ['reason', 'outcome', 'detail'];
const fields = new Set([
  ...['schema', 'sequence', 'kind', 'subject', 'controls', 'decisions'],
  ...textFields,
  ...optionalFields,
]);
const decisionTexts = [
  ...['id', 'module', 'boundary'],
  ...['module_digest', 'policy_revision', 'data_revision'],
];

/** What is wrong with the fields of a row, for people; undefined where all hold. */
export function findBroken(row: JsonObject): string | undefined {
  if (row.schema !== ROW_SCHEMA) return `schema is not ${ROW_SCHEMA}`;
  for (const key of Object.keys(row)) if (!fields.has(key)) return `unknown field ${key}`;
  for (const key of textFields) if (typeof row[key] !== 'string') return `${key} is not a string`;
  if (!Number.isSafeInteger(row.sequence) || (row.sequence as number) < 0) {
    return 'sequence is not a count';
  }
  if (!isTime(row.time as string)) return 'time is not RFC 3339 in UTC with milliseconds';
  if (!rowKinds.includes(row.kind as RowKind)) return 'kind is unknown';
  if (row.outcome !== undefined && !rowOutcomes.includes(row.outcome as RowOutcome)) {
    return 'outcome is unknown';
  }
  if (!isJsonObject(row.subject)) return 'subject is not an object';
  if (row.detail !== undefined && !isJsonObject(row.detail)) return 'detail is not an object';
  if (row.reason !== undefined && !isReason(row.reason)) return 'reason lacks code or message';
  if (!Array.isArray(row.controls) || row.controls.some((id) => typeof id !== 'string')) {
    return 'controls is not a list of strings';
  }
  if (!Array.isArray(row.decisions)) return 'decisions is not a list';
  return row.decisions.every(isDecision) ? undefined : 'a decision lacks a field';
}

function isTime(text: string): boolean {
  if (isPlainTime(text)) return true;
  // A year of four digits: texts of longer ones, with a sign, are not in the order of their times.
  if (text.length !== TIME_FORM.length) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** `2026-01-31T12:00:00.000Z` up to the 28th of a month, which is known without a calendar. */
function isPlainTime(text: string): boolean {
  if (text.length !== TIME_FORM.length) return false;
  for (let at = 0; at < TIME_FORM.length; at++) {
    const unit = text.charCodeAt(at);
    const wanted = TIME_FORM.charCodeAt(at);
    if (wanted === DIGIT_ZERO ? unit < DIGIT_ZERO || unit > DIGIT_ZERO + 9 : unit !== wanted) {
      return false;
    }
  }
  const month = pairAt(text, 5);
  const day = pairAt(text, 8);
  const inDay = pairAt(text, 11) < 24 && pairAt(text, 14) < 60 && pairAt(text, 17) < 60;
  return inDay && month >= 1 && month <= 12 && day >= 1 && day <= 28;
}

const TIME_FORM = '0000-00-00T00:00:00.000Z';
const DIGIT_ZERO = 0x30;

function pairAt(text: string, at: number): number {
  return (text.charCodeAt(at) - DIGIT_ZERO) * 10 + text.charCodeAt(at + 1) - DIGIT_ZERO;
}

function isReason(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value.code === 'string' && typeof value.message === 'string';
}

function isDecision(value: JsonValue): boolean {
  if (!isJsonObject(value) || value.input === undefined || value.output === undefined) return false;
  if (Object.keys(value).length !== decisionTexts.length + 2) return false;
  return decisionTexts.every((key) => typeof value[key] === 'string');
}
