// The callers of the Workload API and what each of them may have, now and as it changes.
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import type { WorkloadAttestor } from '../../../runtime/identity/attestor.ts';
import { type Entry, selectorKey } from '../entries/entry.ts';
import type { EntryStore } from '../entries/store.ts';
import type { OnIdentityEvent } from '../events.ts';
import { peerKey } from '../grpc/server.ts';
import type { Signal } from './signal.ts';

/** One attested caller. */
export interface Workload {
  selectors: ReadonlySet<string>;
  stillThere(): boolean;
  pid: number;
  uid: number;
}

export interface WorkloadsConfig {
  attestor: WorkloadAttestor;
  store: EntryStore;
  /** Fires when anything changed that a workload might have to learn. */
  signal: Signal;
  onEvent: OnIdentityEvent;
}

/** What a stream is to say next, and a text that differs when it is something new. */
export interface Update<Value> {
  value: Value;
  version: string;
}

const identitiesMax = 100;
const noIdentity = 'no identity issued';

export class Workloads {
  readonly #config: WorkloadsConfig;

  constructor(config: WorkloadsConfig) {
    this.#config = config;
  }

  /** The caller of a call. Throws PERMISSION_DENIED when it cannot be attested. */
  attest(context: HandlerContext): Workload {
    const peer = context.values.get(peerKey);
    try {
      if (peer === undefined) throw new PlatformError('caller_unknown', 'there is no caller');
      const { selectors, stillThere } = this.#config.attestor.selectorsOf(peer);
      const keys = new Set(selectors.map(selectorKey));
      return { selectors: keys, stillThere, pid: peer.pid, uid: peer.uid };
    } catch (error) {
      this.#refuse(peer, codeOf(error));
      throw new ConnectError(noIdentity, Code.PermissionDenied);
    }
  }

  /**
   * The entries of a caller, oldest first, at least one. Throws PERMISSION_DENIED when there is none
   * or its process has ended, UNAVAILABLE when the entries cannot be read.
   */
  async entriesOf(workload: Workload): Promise<Entry[]> {
    try {
      await this.#config.store.readable();
    } catch {
      throw new ConnectError('the registration entries cannot be read', Code.Unavailable);
    }
    const isThere = workload.stillThere();
    const entries = isThere ? this.#config.store.matching(workload.selectors) : [];
    if (entries.length === 0) {
      this.#refuse(workload, isThere ? 'entry_unknown' : 'process_gone');
      throw new ConnectError(noIdentity, Code.PermissionDenied);
    }
    if (entries.length <= identitiesMax) return entries;
    throw new ConnectError(
      `more than ${identitiesMax} entries are this workload's`,
      Code.ResourceExhausted,
    );
  }

  /**
   * What a caller may have, at once and after each change, until it goes or loses its identity:
   * then the stream ends with PERMISSION_DENIED. A reader that is slow gets only the newest.
   * `listen` is given a function that has `build` called again.
   */
  async *follow<Value>(
    context: HandlerContext,
    name: string,
    build: (entries: Entry[]) => Promise<Update<Value>>,
    listen: (ring: () => void) => void = () => {},
  ): AsyncGenerator<Value> {
    const workload = this.attest(context);
    const { pid, uid } = workload;
    this.#config.onEvent({ kind: 'stream_opened', pid, uid, reason: name });
    const waiter = this.#config.signal.waiter(context.signal);
    listen(waiter.ring);
    let sent: string | undefined;
    try {
      while (!context.signal.aborted) {
        const next = await this.#next(workload, build, sent !== undefined);
        if (next !== undefined && next.version !== sent) {
          sent = next.version;
          yield next.value;
        }
        await waiter.changed();
      }
    } finally {
      waiter.close();
      this.#config.onEvent({ kind: 'stream_closed', pid, uid, reason: name });
    }
  }

  /** A passing trouble does not end a stream that has said something: it is asked again. */
  async #next<Value>(
    workload: Workload,
    build: (entries: Entry[]) => Promise<Update<Value>>,
    isRunning: boolean,
  ): Promise<Update<Value> | undefined> {
    try {
      return await build(await this.entriesOf(workload));
    } catch (error) {
      const known = error instanceof ConnectError ? error : unavailable(error);
      if (isRunning && known.code === Code.Unavailable && workload.stillThere()) return undefined;
      throw known;
    }
  }

  #refuse(caller: { pid: number; uid: number } | undefined, reason: string): void {
    const who = caller === undefined ? {} : { pid: caller.pid, uid: caller.uid };
    this.#config.onEvent({ kind: 'workload_refused', ...who, reason });
  }
}

/** What went wrong inside, as a caller may know it. */
export function unavailable(error: unknown): ConnectError {
  const words = error instanceof PlatformError ? error.message : 'internal error';
  return new ConnectError(words, Code.Unavailable);
}
