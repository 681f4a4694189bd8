// Binds a server to a Unix socket that only this user may open, in place of one a killed process left.
import { chmod } from 'node:fs/promises';
import type { Server } from 'node:net';
import { PlatformError } from '../../runtime/errors.ts';
import { freeSocketPath } from '../common/http/unix-socket.ts';

/** Rejects with `address_in_use` or `configuration_invalid`. */
export async function bindUnixSocket(server: Server, path: string): Promise<void> {
  await freeSocketPath(path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const code = cause.code === 'EADDRINUSE' ? 'address_in_use' : 'configuration_invalid';
      reject(new PlatformError(code, `cannot listen on ${path}: ${cause.code}`, { cause }));
    });
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
}
