// The callers of the Workload API and what each of them may have, now and as it changes.
import { setTimeout as delay } from 'node:timers/promises';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import type { WorkloadAttestor } from '../../../runtime/identity/attestor.ts';
import type { Peer } from '../../../runtime/identity/peer.ts';
import { type Entry, selectorKey } from '../entries/entry.ts';
import type { EntryStore } from '../entries/store.ts';
import type { OnIdentityEvent } from '../events.ts';
import { peerKey } from '../grpc/server.ts';
import type { Signal } from './signal.ts';
import { Turns } from './turns.ts';

/** One attested caller: all that comes over one connection. */
export interface Workload {
  selectors: ReadonlySet<string>;
  /** The same text for callers with the same selectors. */
  identity: string;
  /** Who answers for what it uses; undefined: the platform itself. */
  holder: string | undefined;
  /** Asks the kernel now. */
  stillThere(): boolean;
  /** The same, asked once for all streams of the connection until something changes or a second is over. */
  wasThere(): boolean;
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

type Build<Value> = (entries: Entry[]) => Promise<Update<Value>>;

const identitiesMax = 100;
/** How many signatures or checks of tokens run at once for one agent; the others wait. */
const atOnce = 4;
/** For how long the requests of one stream are gathered. */
const requestsMs = 20;
const noIdentity = 'no identity issued';

export class Workloads {
  readonly #config: WorkloadsConfig;

  /** By connection. */
  readonly #attested = new WeakMap<Peer, Workload>();
  /** What callers of one identity have, by `identity`, and what of it was built, both of one epoch. */
  #entries = new Map<string, Promise<Entry[]>>();
  #epoch = -1;
  readonly #built = new WeakMap<Entry[], Map<string, Promise<Update<unknown>>>>();
  readonly #turns = new Map<string, Turns>();

  constructor(config: WorkloadsConfig) {
    this.#config = config;
  }

  /**
   * Who answers for what a caller uses; undefined: the platform itself. Whoever is no agent's shares
   * with all others of the same user that are none.
   */
  holderOf(peer: Peer): string | undefined {
    try {
      return this.#attested.get(peer)?.holder ?? this.#attest(peer).holder;
    } catch {
      return `unknown of user ${peer.uid}`;
    }
  }

  /**
   * The caller of a call, attested once a connection and asked for at each call. Throws
   * PERMISSION_DENIED when it cannot be attested.
   */
  attest(context: HandlerContext): Workload {
    const peer = context.values.get(peerKey);
    try {
      if (peer === undefined) throw new PlatformError('caller_unknown', 'there is no caller');
      const known = this.#attested.get(peer);
      return known?.stillThere() ? known : this.#attest(peer);
    } catch (error) {
      this.#refuse(peer, codeOf(error));
      throw new ConnectError(noIdentity, Code.PermissionDenied);
    }
  }

  #attest(peer: Peer): Workload {
    this.#attested.delete(peer);
    const { selectors, holder, stillThere } = this.#config.attestor.selectorsOf(peer);
    const keys = selectors.map(selectorKey).sort();
    let asked = { epoch: -1, isThere: false };
    const workload = {
      ...{ selectors: new Set(keys), identity: JSON.stringify(keys), holder, stillThere },
      wasThere: () => {
        const { epoch } = this.#config.signal;
        if (asked.epoch !== epoch) asked = { epoch, isThere: stillThere() };
        return asked.isThere;
      },
      ...{ pid: peer.pid, uid: peer.uid },
    };
    this.#attested.set(peer, workload);
    return workload;
  }

  /**
   * The entries of a caller, oldest first, at least one. Throws PERMISSION_DENIED when there is none
   * or its process has ended, UNAVAILABLE when the entries cannot be read.
   */
  async entriesOf(workload: Workload): Promise<Entry[]> {
    return this.#checked(workload, await this.#matching(workload), workload.stillThere());
  }

  /** The same array for all streams of one identity until something changes or a second is over. */
  async #sharedEntries(workload: Workload): Promise<Entry[]> {
    const { epoch } = this.#config.signal;
    if (this.#epoch !== epoch) this.#entries = new Map();
    this.#epoch = epoch;
    let entries = this.#entries.get(workload.identity);
    if (entries === undefined) {
      entries = this.#matching(workload);
      this.#entries.set(workload.identity, entries);
    }
    return this.#checked(workload, await entries, workload.wasThere());
  }

  async #matching({ selectors }: Workload): Promise<Entry[]> {
    try {
      await this.#config.store.readable();
    } catch {
      throw new ConnectError('the registration entries cannot be read', Code.Unavailable);
    }
    return this.#config.store.matching(selectors);
  }

  #checked(workload: Workload, entries: Entry[], isThere: boolean): Entry[] {
    if (!isThere || entries.length === 0) {
      this.#refuse(workload, isThere ? 'entry_unknown' : 'process_gone');
      throw new ConnectError(noIdentity, Code.PermissionDenied);
    }
    if (entries.length <= identitiesMax) return entries;
    throw new ConnectError(
      `more than ${identitiesMax} entries are this workload's`,
      Code.ResourceExhausted,
    );
  }

  /** `build` for what is the same for all streams of one identity: done once for all of them. */
  shared<Value>(key: string, build: Build<Value>): Build<Value> {
    return (entries) => {
      const built = this.#built.get(entries) ?? new Map<string, Promise<Update<unknown>>>();
      this.#built.set(entries, built);
      const update = (built.get(key) as Promise<Update<Value>> | undefined) ?? build(entries);
      built.set(key, update);
      return update;
    };
  }

  /** Does what costs a signature; one agent has only so much of it done at once. */
  async inTurn<T>({ holder }: Workload, work: () => Promise<T>): Promise<T> {
    if (holder === undefined) return work();
    const turns = this.#turns.get(holder) ?? new Turns(atOnce);
    this.#turns.set(holder, turns);
    try {
      return await turns.run(work);
    } finally {
      if (turns.isFree) this.#turns.delete(holder);
    }
  }

  /**
   * What a caller may have, at once and after each change, until it goes or loses its identity:
   * then the stream ends with PERMISSION_DENIED. A reader that is slow gets only the newest.
   * `listen` is given a function that has `build` called again.
   */
  async *follow<Value>(
    context: HandlerContext,
    name: string,
    build: Build<Value>,
    listen?: (ring: () => void) => void,
  ): AsyncGenerator<Value> {
    const workload = this.attest(context);
    const { pid, uid } = workload;
    this.#config.onEvent({ kind: 'stream_opened', pid, uid, reason: name });
    const waiter = this.#config.signal.waiter(context.signal);
    listen?.(waiter.ring);
    let sent: string | undefined;
    try {
      while (!context.signal.aborted) {
        const next = await this.#next(workload, build, sent !== undefined);
        if (next !== undefined && next.version !== sent) {
          sent = next.version;
          yield next.value;
        }
        await waiter.changed();
        // Whoever asks again and again on one stream is answered once for all of it.
        if (listen !== undefined) await delay(requestsMs);
      }
    } finally {
      waiter.close();
      this.#config.onEvent({ kind: 'stream_closed', pid, uid, reason: name });
    }
  }

  /** A passing trouble does not end a stream that has said something: it is asked again. */
  async #next<Value>(
    workload: Workload,
    build: Build<Value>,
    isRunning: boolean,
  ): Promise<Update<Value> | undefined> {
    try {
      // What a stream says first is found out for it alone.
      const entries = isRunning ? this.#sharedEntries(workload) : this.entriesOf(workload);
      return await build(await entries);
    } catch (error) {
      const known = error instanceof ConnectError ? error : unavailable(error);
      if (isRunning && known.code === Code.Unavailable && workload.wasThere()) return undefined;
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
