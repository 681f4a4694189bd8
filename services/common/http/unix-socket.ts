// Makes a Unix socket path free to bind: removes one that a killed process left, never a live one.
import { lstat, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { PlatformError } from '../../../runtime/errors.ts';

/** The kernel's limit for `sun_path`, its closing zero included (unix(7)); macOS has 104. */
const pathBytesMax = process.platform === 'darwin' ? 103 : 107;

/** Rejects with `address_in_use` for a live server or another kind of file, else frees the path. */
export async function freeSocketPath(path: string): Promise<void> {
  if (Buffer.byteLength(path) > pathBytesMax) {
    throw new PlatformError(
      'configuration_invalid',
      `the socket path is over ${pathBytesMax} bytes: choose a shorter state folder`,
    );
  }
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket() || (await answers(path))) {
    throw new PlatformError('address_in_use', `something else is at the socket path ${path}`);
  }
  await unlink(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}
