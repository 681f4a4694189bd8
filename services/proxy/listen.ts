// Binds a server to a TCP address or a Unix socket that only this user may open, and closes it again.
import { chmod } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import { PlatformError } from '../../runtime/errors.ts';
import { freeSocketPath } from '../common/http/unix-socket.ts';

export interface TcpAddress {
  host: string;
  /** 0 lets the kernel choose. */
  port: number;
}

export type Address = TcpAddress | { path: string };

export interface Listening<A extends Address | undefined> {
  /** Rejects with `address_in_use` or `configuration_invalid`. */
  listen(): Promise<void>;
  /** Where it listens; the configured address before `listen`. */
  address(): A;
  /** Resolves when the last connection has ended. */
  close(): Promise<void>;
}

/** Makes a listener of a server that does not listen yet; a Unix socket gets mode 0600. */
export function listenOn<A extends Address>(server: Server, address: A): Listening<A> {
  return {
    async listen() {
      if ('path' in address) await freeSocketPath(address.path);
      await new Promise<void>((resolve, reject) => {
        const failed = (cause: NodeJS.ErrnoException) => {
          const where = 'path' in address ? address.path : `${address.host}:${address.port}`;
          const code = cause.code === 'EADDRINUSE' ? 'address_in_use' : 'configuration_invalid';
          reject(new PlatformError(code, `cannot listen on ${where}: ${cause.code}`, { cause }));
        };
        server.once('error', failed);
        server.listen({ ...address, backlog: 1024 }, () => {
          server.off('error', failed);
          resolve();
        });
      });
      if ('path' in address) await chmod(address.path, 0o600);
    },
    address() {
      const bound = server.address() as AddressInfo | string | null;
      if ('path' in address || bound === null || typeof bound === 'string') return address;
      return { ...address, port: bound.port };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
