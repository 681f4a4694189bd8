// The open connections of a proxy and whose they are: counted, and closed when their peer may not be there any more.
import type { Duplex } from 'node:stream';
import { IdentityError, PlatformError } from '../../runtime/errors.ts';
import type { PeerSvid } from '../../runtime/identity/workload/peer-svid.ts';
import type { DenyView } from '../../runtime/identity/workload/x509.ts';

/** One connection with a verified peer. */
export interface PeerConnection {
  readonly socket: Duplex;
  readonly peer: PeerSvid;
  /** Ends it politely where its protocol can (GOAWAY), before it is cut. */
  onCut?: () => void;
}

// The longest time that a timer of Node's can wait.
const timerMsMax = 2 ** 31 - 1;

export interface PeerConnectionsConfig {
  clock: () => Date;
  denied: DenyView;
  connectionsPerPeer: number;
  onCut(connection: PeerConnection, why: PlatformError): void;
}

export class PeerConnections {
  readonly #config: PeerConnectionsConfig;
  readonly #open = new Map<PeerConnection, NodeJS.Timeout>();
  readonly #perPeer = new Map<string, number>();
  readonly #stop: () => void;

  constructor(config: PeerConnectionsConfig) {
    this.#config = config;
    this.#stop = config.denied.onChange(() => this.#cutDenied());
  }

  /** Throws `service_unavailable` when the peer has too many connections already. */
  add(connection: PeerConnection): void {
    const { spiffeId } = connection.peer;
    const count = this.#perPeer.get(spiffeId) ?? 0;
    if (count >= this.#config.connectionsPerPeer) {
      throw new PlatformError('service_unavailable', `${spiffeId} has too many connections`);
    }
    this.#perPeer.set(spiffeId, count + 1);
    this.#open.set(connection, this.#expiryOf(connection));
    connection.socket.once('close', () => this.#remove(connection));
  }

  /** Throws `svid_expired` or `svid_denied`; asked again at each request of the connection. */
  check(connection: PeerConnection): void {
    const { spiffeId, notAfter, issuedAt } = connection.peer;
    if (this.#config.clock().getTime() > notAfter.getTime()) {
      throw new IdentityError('svid_expired', `the SVID of ${spiffeId} has expired`);
    }
    if (this.#config.denied.isDenied(spiffeId, issuedAt)) {
      throw new IdentityError('svid_denied', `${spiffeId} has been taken away`);
    }
  }

  get size(): number {
    return this.#open.size;
  }

  close(): void {
    this.#stop();
    for (const timer of this.#open.values()) clearTimeout(timer);
  }

  #expiryOf(connection: PeerConnection): NodeJS.Timeout {
    const left = connection.peer.notAfter.getTime() - this.#config.clock().getTime();
    const timer = setTimeout(
      () => {
        if (!this.#open.has(connection)) return;
        if (!this.#cutIfRefused(connection)) {
          this.#open.set(connection, this.#expiryOf(connection));
        }
      },
      Math.min(Math.max(left + 1, 0), timerMsMax),
    );
    return timer.unref();
  }

  #cutDenied(): void {
    for (const connection of [...this.#open.keys()]) this.#cutIfRefused(connection);
  }

  #cutIfRefused(connection: PeerConnection): boolean {
    try {
      this.check(connection);
      return false;
    } catch (error) {
      this.#config.onCut(connection, error as PlatformError);
      connection.onCut?.();
      connection.socket.destroy();
      return true;
    }
  }

  #remove(connection: PeerConnection): void {
    clearTimeout(this.#open.get(connection));
    this.#open.delete(connection);
    const { spiffeId } = connection.peer;
    const count = (this.#perPeer.get(spiffeId) ?? 1) - 1;
    if (count === 0) this.#perPeer.delete(spiffeId);
    else this.#perPeer.set(spiffeId, count);
  }
}
