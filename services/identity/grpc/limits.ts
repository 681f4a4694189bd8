// What callers of a Unix-socket gRPC server can hold at most, and how their connections are counted.
import type { Peer } from '../../../runtime/identity/peer.ts';

export interface GrpcLimits {
  connections: number;
  connectionsPerUid: number;
  connectionsPerPid: number;
  /** Of all processes of one agent together; so are the following three. */
  connectionsPerHolder: number;
  streamsPerHolder: number;
  /** How many calls and connections may be begun at once; over time it is `openingsPerSecond`. */
  openingsPerHolder: number;
  openingsPerSecond: number;
  streamsPerConnection: number;
  /** One message in, bytes. */
  messageBytes: number;
  /** How long a caller may take to finish a request that is not a stream of its own. */
  requestMs: number;
  /** How long a connection without any call may stay. */
  idleMs: number;
  /** How often a caller is asked for a sign of life; it has as long to give one. */
  keepaliveMs: number;
}

export const defaultGrpcLimits: GrpcLimits = {
  connections: 4096,
  connectionsPerUid: 2048,
  connectionsPerPid: 64,
  connectionsPerHolder: 32,
  streamsPerHolder: 64,
  openingsPerHolder: 200,
  openingsPerSecond: 50,
  streamsPerConnection: 100,
  messageBytes: 64 * 1024,
  requestMs: 10_000,
  idleMs: 300_000,
  keepaliveMs: 30_000,
};

/**
 * Counts the connections of each process and each user. What this process itself opens does not
 * count for its user, so that others of that user cannot take its place.
 */
export class ConnectionCounts {
  readonly #limits: Pick<GrpcLimits, 'connectionsPerPid' | 'connectionsPerUid'>;
  readonly #counts = new Map<string, number>();

  constructor(limits: Pick<GrpcLimits, 'connectionsPerPid' | 'connectionsPerUid'>) {
    this.#limits = limits;
  }

  /** Why a caller may not have one more connection, or undefined when it may. */
  refusal({ pid, uid }: Peer): string | undefined {
    const { connectionsPerPid, connectionsPerUid } = this.#limits;
    if (this.#of(`pid ${pid}`) >= connectionsPerPid) {
      return `pid has ${connectionsPerPid} connections`;
    }
    if (pid !== process.pid && this.#of(`uid ${uid}`) >= connectionsPerUid) {
      return `uid has ${connectionsPerUid} connections`;
    }
    return undefined;
  }

  /** Counts a connection; returns how to count it off. */
  add({ pid, uid }: Peer): () => void {
    const keys = [`pid ${pid}`, ...(pid === process.pid ? [] : [`uid ${uid}`])];
    for (const key of keys) this.#counts.set(key, this.#of(key) + 1);
    return () => {
      for (const key of keys) {
        const left = this.#of(key) - 1;
        if (left > 0) this.#counts.set(key, left);
        else this.#counts.delete(key);
      }
    };
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}
