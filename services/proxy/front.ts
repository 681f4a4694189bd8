// Speaks HTTP/1.1 and HTTP/2 on connections that somebody else accepted, and hands every stream on alike.
import type { Socket } from 'node:net';
import type { PlatformError } from '../../runtime/errors.ts';
import type { OwnAnswer } from './answer.ts';
import type { RequestHead } from './fields.ts';
import { http1Part } from './front-http1.ts';
import { http2Part } from './front-http2.ts';
import type { ProxyLimits } from './limits.ts';
import type { Protocol, ServerStream } from './streams.ts';

/** A request that arrived; `head` throws what is wrong with it. */
export interface Arrival<C> {
  connection: C;
  stream: ServerStream;
  method: string;
  head(): RequestHead;
}

export interface FrontConfig<C> {
  limits: ProxyLimits;
  onArrival(arrival: Arrival<C>): void;
  /**
   * The parser refused what came. Resolves to what is answered, if anything is, once that is on record;
   * never rejects.
   */
  onUnparsed(connection: C, error: PlatformError): Promise<OwnAnswer | undefined>;
}

/** What each protocol does for the whole. */
export interface FrontPart<C> {
  accept(socket: Socket, connection: C): void;
  /** Takes no new streams on any connection; idle ones end. */
  drain(): void;
  /** Cuts what is left. */
  destroy(): void;
}

export interface Front<C> extends Omit<FrontPart<C>, 'accept'> {
  accept(socket: Socket, protocol: Protocol, connection: C): void;
}

/** Creates the HTTP part of a proxy's listener. */
export function createFront<C>(config: FrontConfig<C>): Front<C> {
  const http1 = http1Part(config);
  const http2 = http2Part(config);
  return {
    accept(socket, protocol, connection) {
      socket.on('error', () => socket.destroy());
      const part = protocol === 'h2' ? http2 : http1;
      part.accept(socket, connection);
    },
    drain() {
      http1.drain();
      http2.drain();
    },
    destroy() {
      http1.destroy();
      http2.destroy();
    },
  };
}
