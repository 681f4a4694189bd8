// A row as an audit reads it: its decisions keep their own bytes, and little of them is parsed.
import { BOUNDARIES, DECISION_MODULES } from '../../decide/boundary.ts';
import { EvidenceError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { RecordHashes } from '../hashes.ts';
import { findBroken, type RowContent, type RowDecision } from '../row.ts';
import {
  indexOfMember,
  isArrayAt,
  isCommaAt,
  isEndAt,
  isObjectAt,
  isStringAt,
  isText,
  type MemberSpans,
  memberSpans,
  stringAt,
  stringEnd,
  valueEnd,
  valueOfKey,
} from './spans.ts';

/** A row with decisions that know their bytes. */
export interface RecordedRow extends Omit<RowContent, 'decisions'> {
  decisions: RecordedDecision[];
}

/** Where a decision's members are in the bytes of its row, and those that few texts are of. */
interface Parts {
  boundary: string;
  data_revision: string;
  module: string;
  module_digest: string;
  policy_revision: string;
  idStart: number;
  idEnd: number;
  inputStart: number;
  inputEnd: number;
  outputStart: number;
  outputEnd: number;
  members: MemberSpans | undefined;
}

/** A decision as it stands in a row; what is not asked for is not parsed. */
export class RecordedDecision implements RowDecision {
  readonly boundary: string;
  readonly data_revision: string;
  readonly module: string;
  readonly module_digest: string;
  readonly policy_revision: string;
  /** Canonical JSON. */
  readonly inputBytes: Buffer;
  readonly #row: Buffer;
  readonly #parts: Parts;
  #input: JsonValue | undefined;
  #output: JsonValue | undefined;

  constructor(row: Buffer, parts: Parts) {
    this.boundary = parts.boundary;
    this.data_revision = parts.data_revision;
    this.module = parts.module;
    this.module_digest = parts.module_digest;
    this.policy_revision = parts.policy_revision;
    this.inputBytes = row.subarray(parts.inputStart, parts.inputEnd);
    this.#row = row;
    this.#parts = parts;
  }

  get id(): string {
    return stringAt(this.#row, this.#parts.idStart, this.#parts.idEnd);
  }

  get input(): JsonValue {
    this.#input ??= JSON.parse(this.inputBytes.toString('utf8')) as JsonValue;
    return this.#input;
  }

  get output(): JsonValue {
    const { outputStart, outputEnd } = this.#parts;
    this.#output ??= parsedOutput(this.#row.toString('utf8', outputStart, outputEnd));
    return this.#output;
  }

  /** Canonical JSON. */
  get outputBytes(): Buffer {
    return this.#row.subarray(this.#parts.outputStart, this.#parts.outputEnd);
  }

  /** Whether the id is this text of 64 digits. */
  isNamed(id: string): boolean {
    return isText(this.#row, this.#parts.idStart + 1, this.#parts.idEnd - 1, id);
  }

  /** Whether the output is these bytes. */
  hasOutput(bytes: Uint8Array): boolean {
    const { outputStart, outputEnd } = this.#parts;
    if (bytes.length !== outputEnd - outputStart) return false;
    return this.#row.compare(bytes, 0, bytes.length, outputStart, outputEnd) === 0;
  }

  /** The bytes of a member of the input; undefined where there is none. */
  inputMember(name: string): Buffer | undefined {
    const { members } = this.#parts;
    const at = members === undefined ? -1 : indexOfMember(this.#row, members, name);
    return at < 0 ? undefined : this.#row.subarray(members![at + 2], members![at + 3]);
  }

  /** The text at a member of the input, or of a member of it; undefined where there is none. */
  inputText(name: string, inner?: string): string | undefined {
    let { members } = this.#parts;
    let at = members === undefined ? -1 : indexOfMember(this.#row, members, name);
    if (at >= 0 && inner !== undefined) {
      const start = members![at + 2]!;
      members = [];
      if (isObjectAt(this.#row, start)) memberSpans(this.#row, start, members);
      at = indexOfMember(this.#row, members, inner);
    }
    if (at < 0 || !isStringAt(this.#row, members![at + 2]!)) return undefined;
    return stringAt(this.#row, members![at + 2]!, members![at + 3]!);
  }
}

/**
 * The content of a row's bytes, which must be canonical: what `decodeRow` returns, and refused where it
 * refuses (`evidence_corrupt`).
 */
export function readRow(row: Uint8Array): RecordedRow {
  const bytes = Buffer.isBuffer(row) ? row : Buffer.from(row);
  if (!isObjectAt(bytes, 0)) throw malformed('it is not an object');
  const start = findDecisions(bytes);
  const decisions: RecordedDecision[] = [];
  at = start;
  if (isEndAt(bytes, start + 1)) at++;
  else {
    do decisions.push(readDecision(bytes, at + 1));
    while (isCommaAt(bytes, at));
  }
  const head = `${bytes.toString('utf8', 0, start)}[]${bytes.toString('utf8', at + 1)}`;
  const content = JSON.parse(head) as JsonObject;
  const broken = findBroken(content);
  if (broken !== undefined) throw malformed(broken);
  (content as unknown as RecordedRow).decisions = decisions;
  return content as unknown as RecordedRow;
}

/** Where the row's list of decisions begins. */
function findDecisions(bytes: Buffer): number {
  let from = 0;
  while (!isEndAt(bytes, from + (from === 0 ? 1 : 0))) {
    const start = valueOfKey(bytes, from + 1, 'decisions');
    if (start >= 0 && isArrayAt(bytes, start)) return start;
    if (start >= 0) break;
    from = valueEnd(bytes, stringEnd(bytes, from + 1) + 1);
  }
  throw malformed('decisions is not a list');
}

/** Reads the decision at `from`, whose members stand in canonical order. */
function readDecision(bytes: Buffer, from: number): RecordedDecision {
  if (!isObjectAt(bytes, from)) throw malformed('a decision lacks a field');
  at = from;
  const boundary = nextText(bytes, 'boundary', names);
  const data_revision = nextText(bytes, 'data_revision', known.data);
  const idStart = nextValue(bytes, 'id');
  if (!isStringAt(bytes, idStart)) throw malformed('a decision lacks a field');
  const idEnd = stringEnd(bytes, idStart);
  at = idEnd;
  const inputStart = nextValue(bytes, 'input');
  const members: MemberSpans | undefined = isObjectAt(bytes, inputStart) ? [] : undefined;
  const inputEnd = members ? memberSpans(bytes, inputStart, members) : valueEnd(bytes, inputStart);
  at = inputEnd;
  const module = nextText(bytes, 'module', names);
  const module_digest = nextText(bytes, 'module_digest', known.digest);
  const outputStart = nextValue(bytes, 'output');
  const outputEnd = valueEnd(bytes, outputStart);
  at = outputEnd;
  const policy_revision = nextText(bytes, 'policy_revision', known.policy);
  if (isCommaAt(bytes, at)) throw malformed('a decision has one field more');
  at++;
  return new RecordedDecision(bytes, {
    boundary,
    data_revision,
    module,
    module_digest,
    policy_revision,
    idStart,
    idEnd,
    inputStart,
    inputEnd,
    outputStart,
    outputEnd,
    members,
  });
}

/** Where the reader stands: behind `{` or a value, before what separates it from the next member. */
let at = 0;

/** Texts that are likely to come again: the same string is given for them, which is quick to compare. */
const names: string[] = [...BOUNDARIES, ...DECISION_MODULES];
const known = { data: [''], digest: [''], policy: [''] };

/** Where the value of the next member begins, which must have this name. */
function nextValue(bytes: Buffer, name: string): number {
  const start = isEndAt(bytes, at) ? -1 : valueOfKey(bytes, at + 1, name);
  if (start < 0) throw malformed('a decision lacks a field');
  return start;
}

function nextText(bytes: Buffer, name: string, likely: string[]): string {
  const start = nextValue(bytes, name);
  if (!isStringAt(bytes, start)) throw malformed('a decision lacks a field');
  at = stringEnd(bytes, start);
  for (const text of likely) if (isText(bytes, start + 1, at - 1, text)) return text;
  const text = stringAt(bytes, start, at);
  if (likely !== names) likely[0] = text;
  return text;
}

/** Outputs by their JSON: a policy gives few different ones. Nobody may change them. */
const outputs = new Map<string, JsonValue>();
const OUTPUTS_KEPT = 1024;
const OUTPUT_KEPT_LENGTH = 2048;

function parsedOutput(text: string): JsonValue {
  let output = outputs.get(text);
  if (output !== undefined) return output;
  output = JSON.parse(text) as JsonValue;
  if (text.length > OUTPUT_KEPT_LENGTH) return output;
  if (outputs.size >= OUTPUTS_KEPT) outputs.clear();
  outputs.set(text, output);
  return output;
}

/** A decision that comes as a value. Throws an InputError where it has no canonical form. */
export function recordedOf(decision: RowDecision, record: RecordHashes): RecordedDecision {
  const { boundary, data_revision, id, module, module_digest, policy_revision } = decision;
  const { input, output } = decision;
  const plain = { boundary, data_revision, id, input, module, module_digest, output };
  const text = JSON.stringify({ ...plain, policy_revision });
  return readDecision(Buffer.from(record.canonicalize(Buffer.from(text))), 0);
}

function malformed(what: string): EvidenceError {
  return new EvidenceError('evidence_corrupt', `a row is malformed: ${what}`);
}
