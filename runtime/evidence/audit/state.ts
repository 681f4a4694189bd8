// What an audit has found so far, put away so that it can go on later, and trusted only where it fits.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { JWK } from 'jose';
import { EvidenceError } from '../../errors.ts';
import { hex } from '../../hex.ts';
import type { Checkpoint } from '../checkpoint.ts';
import { type ByteSource, readFrames } from '../frame.ts';
import { equalBytes, type RecordHashes } from '../hashes.ts';
import type { LogIdentity } from '../identity.ts';
import { KeyChain } from '../key-chain.ts';
import { Frontier } from '../merkle.ts';
import { formatNoteKey } from '../note.ts';
import type { OpeningsSource } from '../openings.ts';
import type { ConductState } from './conduct.ts';
import type { TallyState } from './tally.ts';
import type { LogPosition } from './verify.ts';

const SCHEMA = 'platform/audit-state/v1';
const MAC_DIGITS = 64;

/** What an audit was given: a state is of use only for the very same. */
export interface AuditInputs extends LogIdentity {
  /** Verifier key strings of the log, oldest first, and those that are trusted. */
  keys: string[];
  trusted: string[];
  /** Digests of the bundles' keys, of the commitments that openings are known of, of kept checkpoints. */
  bundleKeys: string;
  openings: string;
  kept: string;
}

/** A state as plain data. */
export interface AuditState {
  inputs: AuditInputs;
  position: {
    end: number;
    checkpointStart: number;
    checkpoints: number;
    rows: number;
    /** Hexadecimal roots of the complete subtrees. */
    subtrees: string[];
    /** Which of the keys is in force. */
    key: number;
  };
  /** The checkpoints outside the log as they were when the audit began; roots are hexadecimal. */
  witnessed: { size: number; root: string }[];
  damage: string | undefined;
  /** When the last row was written that a checkpoint outside the log covers. */
  coveredTime: string | undefined;
  conduct: ConductState;
  tally: TallyState;
}

/** Describes what an audit was given. */
export function inputsOf(given: {
  identity: LogIdentity;
  keys: KeyChain;
  trusted: readonly string[];
  bundleKeys: readonly JWK[];
  openings: OpeningsSource;
  kept: readonly Uint8Array[];
}): AuditInputs {
  const { log, origin } = given.identity;
  const bundleKeys = given.bundleKeys.map((key) => JSON.stringify(key)).sort();
  return {
    ...{ log, origin, keys: given.keys.keys.map(formatNoteKey), trusted: [...given.trusted] },
    ...{ bundleKeys: digest(bundleKeys), openings: digest(given.openings.keys()) },
    kept: digest(given.kept.map((note) => hex(note))),
  };
}

/** The state as bytes, with a code over them that only a holder of the key (32 bytes) can make. */
export function encodeState(state: AuditState, key: Uint8Array): Uint8Array {
  const text = JSON.stringify({ schema: SCHEMA, ...state });
  return Buffer.from(`${macOf(text, key)}\n${text}\n`);
}

/**
 * Reads a state. Throws `audit_state_invalid` where it is not one that the holder of this key wrote, or
 * where the audit it is of was given anything else: another log, other keys, openings or checkpoints.
 */
export function decodeState(bytes: Uint8Array, key: Uint8Array, inputs: AuditInputs): AuditState {
  const content = Buffer.from(bytes).toString('utf8');
  const text = content.slice(MAC_DIGITS + 1, -1);
  const [mac, expected] = [content.slice(0, MAC_DIGITS), macOf(text, key)];
  const isOurs =
    content === `${mac}\n${text}\n` &&
    mac.length === MAC_DIGITS &&
    Buffer.byteLength(mac) === MAC_DIGITS &&
    timingSafeEqual(Buffer.from(mac), Buffer.from(expected));
  if (!isOurs) throw refuse('it is not as this auditor wrote it');
  const { schema, ...state } = JSON.parse(text) as AuditState & { schema: string };
  if (schema !== SCHEMA) throw refuse('another version of the platform wrote it');
  for (const name of Object.keys(inputs) as (keyof AuditInputs)[]) {
    if (JSON.stringify(state.inputs[name]) === JSON.stringify(inputs[name])) continue;
    throw refuse(`it is of an audit with ${different[name]}`);
  }
  return state;
}

const different: Record<keyof AuditInputs, string> = {
  log: 'another log',
  origin: 'another log',
  keys: 'other keys of the log',
  trusted: 'other trusted keys',
  bundleKeys: 'other keys of the bundles',
  openings: 'other openings',
  kept: 'other kept checkpoints',
};

/**
 * Where the audit goes on: the checkpoint there is read again, and must be signed and over the rows of the
 * state. Throws `audit_state_invalid`.
 */
export async function positionOf(
  { position, inputs }: AuditState,
  given: { segment: ByteSource; record: RecordHashes; keys: KeyChain; trusted: KeyChain['keys'] },
): Promise<{ from: LogPosition; keys: KeyChain }> {
  const { segment, record } = given;
  const { end, checkpointStart, checkpoints, rows } = position;
  const keys = new KeyChain(given.keys.keys, given.trusted, position.key);
  const subtrees = position.subtrees.map((digits) => Buffer.from(digits, 'hex'));
  const frontier = Frontier.of(record, rows, subtrees);
  const { value: frame } = await readFrames(segment, checkpointStart).next();
  let checkpoint: Checkpoint | undefined;
  try {
    if (frame?.kind === 'checkpoint' && frame.end === end) checkpoint = keys.open(frame.body);
  } catch {
    // Said below, in words of what it means here.
  }
  if (checkpoint?.size !== rows || !equalBytes(checkpoint.root, frontier.root())) {
    throw refuse(`the log ${inputs.log} has no such checkpoint at byte ${checkpointStart}`);
  }
  return { from: { end, frontier, checkpoints }, keys };
}

function digest(texts: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text}\n`);
  return hash.digest('hex');
}

function macOf(text: string, key: Uint8Array): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

function refuse(why: string): EvidenceError {
  return new EvidenceError('audit_state_invalid', `the audit cannot go on from there: ${why}`, {
    hint: 'Begin anew: remove the file, or name another one.',
  });
}
