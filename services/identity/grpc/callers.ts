// Decides which connections and calls of a Unix-socket gRPC server may begin, by what their callers have in use.
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Code } from '@connectrpc/connect';
import type { Peer } from '../../../runtime/identity/peer.ts';
import { type Holder, Holders } from './holders.ts';
import { ConnectionCounts, type GrpcLimits } from './limits.ts';

/** One connection and who is at its other end. */
export interface Caller {
  peer: Peer;
  socket: Socket;
  key: string | undefined;
  holder: Holder | undefined;
  /** How many of its calls were refused. */
  refused: number;
  /** Counts it off. */
  release(): void;
}

export interface CallersConfig {
  limits: GrpcLimits;
  holderOf?(peer: Peer): string | undefined;
  admit?(socket: Socket, peer: Peer): boolean;
  onRefused?(reason: string, peer: Peer): void;
}

/** After so many refused calls a connection is closed. */
const refusedMax = 100;

export class Callers {
  readonly #config: CallersConfig;
  readonly #counts: ConnectionCounts;
  readonly #holders: Holders;

  constructor(config: CallersConfig) {
    this.#config = config;
    this.#counts = new ConnectionCounts(config.limits);
    this.#holders = new Holders(config.limits);
  }

  /** Counts a connection, or returns undefined when it may not stay. */
  admit(socket: Socket, peer: Peer): Caller | undefined {
    // Looking at a process costs something, so one that has just run over is not looked at.
    if (this.#holders.isPunished(peer.pid)) return undefined;
    const refusal =
      this.#counts.refusal(peer) ??
      (this.#isAdmitted(socket, peer) ? undefined : 'it may not use this socket');
    if (refusal !== undefined) {
      this.#tell(refusal, undefined, peer);
      return undefined;
    }
    const key = this.#config.holderOf?.(peer);
    const holder = key === undefined ? undefined : this.#holders.of(key);
    const tooMuch = holder?.connect();
    if (tooMuch !== undefined) {
      this.#holders.punish(peer.pid);
      this.#tell(tooMuch, key, peer);
      return undefined;
    }
    const release = this.#counts.add(peer);
    const caller: Caller = {
      ...{ peer, socket, key, holder, refused: 0 },
      release() {
        release();
        if (caller.holder !== undefined) caller.holder.connections -= 1;
      },
    };
    return caller;
  }

  /** Counts a call until its stream closes; false when it may not be: then it has been answered. */
  mayCall(caller: Caller, stream: ServerHttp2Stream): boolean {
    const refusal = this.#refusalOf(caller);
    const { holder, key, peer, socket } = caller;
    if (refusal === undefined) {
      stream.once('close', () => {
        if (holder !== undefined) holder.streams -= 1;
      });
      return true;
    }
    this.#tell(refusal, key, peer);
    caller.refused += 1;
    if (caller.refused > refusedMax) socket.destroy();
    else refuse(stream, refusal);
    return false;
  }

  /** A caller may have been registered since it connected: then it counts as what it is now. */
  #refusalOf(caller: Caller): string | undefined {
    const refusal = caller.holder?.call();
    if (refusal !== undefined || caller.holder === undefined) return refusal;
    const key = this.#config.holderOf?.(caller.peer);
    if (key === caller.key) return undefined;
    caller.holder.streams -= 1;
    caller.holder.connections -= 1;
    caller.key = key;
    caller.holder = key === undefined ? undefined : this.#holders.of(key);
    if (caller.holder === undefined) return undefined;
    caller.holder.connections += 1;
    return caller.holder.call();
  }

  #isAdmitted(socket: Socket, peer: Peer): boolean {
    try {
      return this.#config.admit?.(socket, peer) ?? true;
    } catch {
      return false;
    }
  }

  #tell(refusal: string, key: string | undefined, peer: Peer): void {
    const isNews = this.#holders.isNews(key ?? `pid ${peer.pid}`, refusal);
    if (isNews) this.#config.onRefused?.(refusal, peer);
  }
}

/** RESOURCE_EXHAUSTED as the only frame of headers (gRPC over HTTP/2, "Trailers-Only"). */
function refuse(stream: ServerHttp2Stream, reason: string): void {
  if (stream.destroyed || stream.closed) return;
  const headers = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': String(Code.ResourceExhausted),
    'grpc-message': reason,
  };
  stream.respond(headers, { endStream: true });
  // What the caller still sends is not wanted (RFC 9113, section 8.1).
  stream.close(constants.NGHTTP2_NO_ERROR);
}
