// A row as an audit reads it: its decisions keep their own bytes, and little of them is parsed.
import { EvidenceError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { RecordHashes } from './hashes.ts';
import { findBroken, type RowContent, type RowDecision } from './row.ts';
import {
  elementSpans,
  indexOfMember,
  isArrayAt,
  isObjectAt,
  isText,
  type MemberSpans,
  memberSpans,
  SPAN,
  stringAt,
} from './spans.ts';

/** The members of a decision in canonical order, which is where each stands. */
const MEMBERS = [
  ...(['boundary', 'data_revision', 'id', 'input'] as const),
  ...(['module', 'module_digest', 'output', 'policy_revision'] as const),
];
const INPUT = MEMBERS.indexOf('input');
const OUTPUT = MEMBERS.indexOf('output');

/** A row with decisions that know their bytes. */
export interface RecordedRow extends Omit<RowContent, 'decisions'> {
  decisions: RecordedDecision[];
}

/** Outputs by their JSON: a policy gives few different ones. Nobody may change them. */
const outputs = new Map<string, JsonValue>();
const OUTPUTS_KEPT = 1024;
const OUTPUT_KEPT_BYTES = 2048;

/** A decision as it stands in a row; what is not asked for is not parsed. */
export class RecordedDecision implements RowDecision {
  readonly boundary: string;
  readonly data_revision: string;
  readonly id: string;
  readonly module: string;
  readonly module_digest: string;
  readonly policy_revision: string;
  /** Canonical JSON. */
  readonly inputBytes: Buffer;
  readonly outputBytes: Buffer;
  /** Of the input, within its bytes; undefined where it is no object. */
  readonly inputMembers: MemberSpans | undefined;
  #input: JsonValue | undefined;

  constructor(texts: string[], inputBytes: Buffer, outputBytes: Buffer) {
    const [boundary, data, id, module, digest, policy] = texts as [
      ...[string, string, string],
      ...[string, string, string],
    ];
    this.boundary = boundary;
    this.data_revision = data;
    this.id = id;
    this.module = module;
    this.module_digest = digest;
    this.policy_revision = policy;
    this.inputBytes = inputBytes;
    this.outputBytes = outputBytes;
    this.inputMembers = isObjectAt(inputBytes, 0) ? [] : undefined;
    if (this.inputMembers !== undefined) memberSpans(inputBytes, 0, this.inputMembers);
  }

  get input(): JsonValue {
    this.#input ??= JSON.parse(this.inputBytes.toString('utf8')) as JsonValue;
    return this.#input;
  }

  get output(): JsonValue {
    const text = this.outputBytes.toString('utf8');
    if (text.length > OUTPUT_KEPT_BYTES) return JSON.parse(text) as JsonValue;
    let output = outputs.get(text);
    if (output === undefined) {
      output = JSON.parse(text) as JsonValue;
      if (outputs.size >= OUTPUTS_KEPT) outputs.clear();
      outputs.set(text, output);
    }
    return output;
  }

  /** The text at a member of the input, or of a member of it; undefined where there is none. */
  inputText(name: string, inner?: string): string | undefined {
    const { inputBytes: bytes, inputMembers: spans } = this;
    const index = spans === undefined ? -1 : indexOfMember(bytes, spans, name);
    if (spans === undefined || index < 0) return undefined;
    if (inner === undefined) return stringAt(bytes, spans[index + 2]!, spans[index + 3]!);
    if (!isObjectAt(bytes, spans[index + 2]!)) return undefined;
    const members: MemberSpans = [];
    memberSpans(bytes, spans[index + 2]!, members);
    const at = indexOfMember(bytes, members, inner);
    return at < 0 ? undefined : stringAt(bytes, members[at + 2]!, members[at + 3]!);
  }
}

/**
 * The content of a row's bytes, which must be canonical: what `decodeRow` returns, and refused where it
 * refuses (`evidence_corrupt`).
 */
export function readRow(bytes: Buffer): RecordedRow {
  if (!isObjectAt(bytes, 0)) throw malformed('it is not an object');
  const spans: MemberSpans = [];
  memberSpans(bytes, 0, spans);
  const index = indexOfMember(bytes, spans, 'decisions');
  if (index < 0 || !isArrayAt(bytes, spans[index + 2]!)) throw malformed('decisions is not a list');
  const [start, end] = [spans[index + 2]!, spans[index + 3]!];
  const head = `${bytes.toString('utf8', 0, start)}[]${bytes.toString('utf8', end)}`;
  const row = JSON.parse(head) as JsonObject;
  const broken = findBroken(row);
  if (broken !== undefined) throw malformed(broken);
  const elements: number[] = [];
  elementSpans(bytes, start, elements);
  const decisions: RecordedDecision[] = [];
  for (let at = 0; at < elements.length; at += 2) {
    decisions.push(readDecision(bytes, elements[at]!));
  }
  return Object.assign(row as unknown as Omit<RowContent, 'decisions'>, { decisions });
}

function readDecision(bytes: Buffer, at: number): RecordedDecision {
  const spans: MemberSpans = [];
  if (isObjectAt(bytes, at)) memberSpans(bytes, at, spans);
  if (spans.length !== MEMBERS.length * SPAN) throw malformed('a decision lacks a field');
  const texts: string[] = [];
  for (let member = 0; member < MEMBERS.length; member++) {
    const [keyStart, keyEnd] = [spans[member * SPAN]!, spans[member * SPAN + 1]!];
    if (!isText(bytes, keyStart, keyEnd, MEMBERS[member]!)) {
      throw malformed('a decision lacks a field');
    }
    if (member === INPUT || member === OUTPUT) continue;
    const text = stringAt(bytes, spans[member * SPAN + 2]!, spans[member * SPAN + 3]!);
    if (text === undefined) throw malformed('a decision lacks a field');
    texts.push(text);
  }
  return new RecordedDecision(texts, bytesOf(bytes, spans, INPUT), bytesOf(bytes, spans, OUTPUT));
}

/** A decision that comes as a value. Throws an InputError where input or output has no canonical form. */
export function recordedOf(decision: RowDecision, record: RecordHashes): RecordedDecision {
  const { boundary, data_revision, id, module, module_digest, policy_revision } = decision;
  const canonical = (value: JsonValue) =>
    Buffer.from(record.canonicalize(Buffer.from(JSON.stringify(value), 'utf8')));
  return new RecordedDecision(
    [boundary, data_revision, id, module, module_digest, policy_revision],
    canonical(decision.input),
    canonical(decision.output),
  );
}

function bytesOf(bytes: Buffer, spans: MemberSpans, member: number): Buffer {
  return bytes.subarray(spans[member * SPAN + 2]!, spans[member * SPAN + 3]!);
}

function malformed(what: string): EvidenceError {
  return new EvidenceError('evidence_corrupt', `a row is malformed: ${what}`);
}
