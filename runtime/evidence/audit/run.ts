// One audit under way: from the first row, or from where an earlier one was interrupted.
import { EvidenceError } from '../../errors.ts';
import { hex } from '../../hex.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { ByteSource } from '../frame.ts';
import type { LogIdentity } from '../identity.ts';
import { KeyChain } from '../key-chain.ts';
import { formatNoteKey } from '../note.ts';
import type { AuditOptions, Completeness } from './audit.ts';
import { Conduct } from './conduct.ts';
import { keysOf, witnessedBy } from './input.ts';
import {
  type AuditInputs,
  type AuditState,
  decodeState,
  encodeState,
  inputsOf,
  positionOf,
} from './state.ts';
import { Tally } from './tally.ts';
import type { LogPosition, VerifiedGroup } from './verify.ts';

/** How an audit that is interrupted goes on later with what it had found. */
export interface AuditResume {
  /** What an earlier audit saved; undefined to begin with the first row. */
  from?: Uint8Array;
  /** 32 bytes that only the auditor has: a state is as good as a verdict, so nobody else may make one. */
  key: Uint8Array;
  /** Keeps the state in place of an earlier one. */
  save(state: Uint8Array): Promise<void>;
  /** How often; 10 seconds by default. */
  everyMs?: number;
}

const SAVE_EVERY_MS = 10_000;

/** What goes along with the walk over a log. */
export interface AuditRun {
  conduct: Conduct;
  tally: Tally;
  witnessed: Checkpoint[];
  damage: string | undefined;
  /** Where the walk begins; throws `audit_state_invalid` where the log is not the one of the state. */
  position(segment: ByteSource): Promise<{ from: LogPosition | undefined; keys: KeyChain }>;
  /** To be called behind each group: saves the state, and ends the audit when it is to end. */
  passed(group: VerifiedGroup, keys: KeyChain): Promise<void>;
  complete(): Completeness;
}

/** Begins an audit, or goes on with one; throws `audit_state_invalid` where that cannot be. */
export async function beginAudit(options: AuditOptions, identity: LogIdentity): Promise<AuditRun> {
  const { record, resume, keptCheckpoints: notes = [] } = options;
  const { keys: all, trusted } = await keysOf(options, identity);
  const keys = new KeyChain(all, trusted);
  const given = { identity, keys, trusted: trusted.map(formatNoteKey), kept: notes };
  const inputs = () => inputsOf({ ...given, ...options });
  const state = resume?.from && decodeState(resume.from, resume.key, inputs());
  const found = await witnessedBy(options, identity, keys);
  const beside = state === undefined ? found.beside : checkpointsOf(state, identity);
  const damage = state === undefined ? found.damage : state.damage;
  const outside = found.kept.length > 0 ? found.kept : beside;
  const covered = Math.max(0, ...outside.map(({ size }) => size));
  const conduct = new Conduct(true, state?.conduct);
  const tally = new Tally(state?.tally);
  let coveredTime = state?.coveredTime;
  const keeper = new Keeper(options, inputs);
  return {
    ...{ conduct, tally, damage, witnessed: [...beside, ...found.kept] },
    position: async (segment) =>
      state === undefined
        ? { from: undefined, keys }
        : positionOf(state, { segment, record, keys, trusted }),
    async passed(group, { current: key }) {
      const { rows, frontier } = group;
      const last = rows[covered - 1 - (frontier.size - rows.length)];
      if (last !== undefined) coveredTime = last.time;
      await keeper.passed(() => ({
        position: { ...positionIn(group), key },
        witnessed: beside.map(({ size, root }) => ({ size, root: hex(root) })),
        ...{ damage, coveredTime, conduct: conduct.state(), tally: tally.state() },
      }));
    },
    complete: () => ({
      rows: Math.min(covered, tally.rows),
      time: coveredTime,
      by: found.kept.length > 0 ? 'kept' : 'beside',
    }),
  };
}

function checkpointsOf({ witnessed }: AuditState, { origin }: LogIdentity): Checkpoint[] {
  return witnessed.map(({ size, root }) => ({ origin, size, root: Buffer.from(root, 'hex') }));
}

function positionIn(group: VerifiedGroup): Omit<AuditState['position'], 'key'> {
  const { end, checkpointStart, checkpoints, frontier } = group;
  const subtrees = frontier.subtrees().map(hex);
  return { end, checkpointStart, checkpoints, rows: frontier.size, subtrees };
}

/** Saves states every few seconds, and when the audit is to end. */
class Keeper {
  readonly #options: AuditOptions;
  readonly #inputs: () => AuditInputs;
  #known: AuditInputs | undefined;
  #savedAt = performance.now();

  constructor(options: AuditOptions, inputs: () => AuditInputs) {
    this.#options = options;
    this.#inputs = inputs;
  }

  async passed(state: () => Omit<AuditState, 'inputs'>): Promise<void> {
    const { resume, signal } = this.#options;
    const isDue = performance.now() - this.#savedAt >= (resume?.everyMs ?? SAVE_EVERY_MS);
    if (resume !== undefined && (isDue || signal?.aborted)) {
      this.#known ??= this.#inputs();
      await resume.save(encodeState({ inputs: this.#known, ...state() }, resume.key));
      this.#savedAt = performance.now();
    }
    if (!signal?.aborted) return;
    throw new EvidenceError('audit_interrupted', 'the audit was interrupted', {
      hint: resume && 'Give the same options again, and it goes on where it was.',
    });
  }
}
