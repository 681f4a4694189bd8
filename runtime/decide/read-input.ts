// Reads the input of a decision: checks that it is JSON that every host reads alike, and commits its secrets.
import { codeOf } from '../errors.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { canonicalValue, noteCanonical } from '../modules/canonical-value.ts';
import type { Record as RecordModule } from '../modules/record.ts';
import { committedFields } from './boundary.ts';
import { commit } from './commitment.ts';
import type { DecisionRequest, Opening } from './decision.ts';
import { findMembers, spliceMembers } from './members.ts';

const INPUT_BYTES_MAX = 1 << 20;
/**
 * Of the guard’s inputs that are values: a text of 4 MiB and the prompt it answers, every byte of them escaped.
 * Inputs that come as bytes are read by the record module, which takes 1 MiB.
 */
const GUARD_BYTES_MAX = 160 << 20;
/** Of UTF-8 for each unit of UTF-16. */
const UTF8_BYTES_MAX = 3;

/** What evidence may hold of an input, and what opens the rest. */
export interface ReadInput {
  committedInput: Uint8Array;
  openings: Opening[];
}

/** Canonicalizes and commits; an unreadable input becomes one commitment over its raw bytes. */
export function readInput(
  record: RecordModule,
  request: DecisionRequest,
): ReadInput & ({ input: Uint8Array | JsonValue } | { refused: string }) {
  const value = request.input instanceof Uint8Array ? undefined : canonicalValue(request.input);
  if (value !== undefined) {
    const read = readValue(record, request, value as JsonValue);
    if (read !== undefined) return { ...read, input: value as JsonValue };
  }
  let canonical: Uint8Array;
  try {
    canonical =
      request.input instanceof Uint8Array
        ? record.canonicalize(request.input)
        : record.canonicalizeValue(request.input);
  } catch (error) {
    const raw = request.input instanceof Uint8Array ? request.input : rawBytes(request.input);
    const { commitment, opening } = commit(record, request.salt, '', raw);
    return { refused: codeOf(error), committedInput: commitment, openings: [opening] };
  }
  const fields = committedFields(request.module, request.boundary);
  if (fields.length === 0) {
    return { input: canonical, committedInput: noteCanonical(canonical), openings: [] };
  }
  const members = findMembers(canonical, fields);
  const commitments = members.map(({ name, start, end }) =>
    commit(record, request.salt, name, canonical.subarray(start, end)),
  );
  const committedInput = spliceMembers(
    canonical,
    members,
    commitments.map(({ commitment }) => commitment),
  );
  return {
    input: canonical,
    committedInput: noteCanonical(committedInput),
    openings: commitments.map(({ opening }) => opening),
  };
}

/** The same for a value that JSON.stringify writes canonically; undefined when it may be too large. */
function readValue(
  record: RecordModule,
  request: DecisionRequest,
  value: JsonValue,
): ReadInput | undefined {
  const fields = committedFields(request.module, request.boundary);
  const openings: Opening[] = [];
  let text: string;
  let size = 0;
  if (fields.length === 0 || !isJsonObject(value)) {
    text = JSON.stringify(value);
  } else {
    const members: string[] = [];
    for (const name of Object.keys(value)) {
      const member = JSON.stringify(value[name]!);
      if (fields.includes(name)) {
        size += member.length;
        const { commitment, opening } = commit(record, request.salt, name, Buffer.from(member));
        openings.push(opening);
        members.push(`"${name}":${commitment.toString('latin1')}`);
      } else members.push(`${JSON.stringify(name)}:${member}`);
    }
    text = `{${members.join(',')}}`;
  }
  const bytesMax = request.module === 'guard' ? GUARD_BYTES_MAX : INPUT_BYTES_MAX;
  if ((size + text.length) * UTF8_BYTES_MAX > bytesMax) return undefined;
  return { committedInput: noteCanonical(Buffer.from(text)), openings };
}

/** The text that stands for a value that cannot be canonicalized, such as one with a lone surrogate. */
function rawBytes(value: unknown): Uint8Array {
  try {
    return Buffer.from(JSON.stringify(value) ?? '');
  } catch {
    return new Uint8Array(0);
  }
}
