// Tells which process is at the other end of an accepted Unix-socket connection, from the kernel.
import { closeSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { IdentityError } from '../errors.ts';

/** The peer of one connection, held so that a reused pid is not taken for it. */
export interface Peer {
  readonly pid: number;
  readonly uid: number;
  readonly gid: number;
  /** When the connection was accepted, milliseconds since the epoch. */
  readonly acceptedAt: number;
  /** The kernel's own handle on the process, or undefined before Linux 6.5. */
  readonly pidDescriptor: number | undefined;
  /** Releases the handle; safe to call twice. */
  close(): void;
}

// socket(7): these three are the same on every architecture that Node runs on but SPARC and MIPS.
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const SO_PEERPIDFD = 77;

type GetSocketOption = (
  descriptor: number,
  level: number,
  name: number,
  value: Buffer,
  length: number[],
) => number;

let loaded: GetSocketOption | undefined;

/** Loaded on first use, so that a command that never attests anything starts without the FFI package. */
function getSocketOption(): GetSocketOption {
  if (loaded === undefined) {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi').default;
    loaded = koffi
      .load(null)
      .func(
        'int getsockopt(int fd, int level, int name, _Out_ uint8_t *value, _Inout_ uint32_t *length)',
      ) as unknown as GetSocketOption;
  }
  return loaded;
}

/**
 * Returns the process that connected `socket` (unix(7), SO_PEERCRED), with a pidfd where the kernel
 * gives one (SO_PEERPIDFD, Linux 6.5). The caller closes it with the connection.
 * Throws `caller_unknown` when the socket is no Unix socket or the peer is in a foreign pid namespace.
 */
export function peerOf(socket: Socket): Peer {
  const descriptor = descriptorOf(socket);
  const credentials = Buffer.alloc(12);
  const found = readOption(descriptor, SO_PEERCRED, credentials);
  const pid = credentials.readInt32LE(0);
  // The kernel answers pid 0 for a peer that this pid namespace cannot see.
  if (!found || pid <= 0) throw unknownPeer();
  const handle = Buffer.alloc(4);
  const pidDescriptor = readOption(descriptor, SO_PEERPIDFD, handle)
    ? handle.readInt32LE(0)
    : undefined;
  let isOpen = pidDescriptor !== undefined;
  return {
    pid,
    uid: credentials.readUInt32LE(4),
    gid: credentials.readUInt32LE(8),
    acceptedAt: Date.now(),
    pidDescriptor,
    close() {
      if (isOpen && pidDescriptor !== undefined) closeSync(pidDescriptor);
      isOpen = false;
    },
  };
}

/** True while the process behind a pidfd has not been reaped (pidfd_open(2), `Pid:` in fdinfo). */
export function isPidDescriptorAlive(pidDescriptor: number, pid: number): boolean {
  try {
    const information = readFileSync(`/proc/self/fdinfo/${pidDescriptor}`, 'latin1');
    return information.split('\n').includes(`Pid:\t${pid}`);
  } catch {
    return false;
  }
}

function readOption(descriptor: number, name: number, value: Buffer): boolean {
  const length = [value.length];
  const status = getSocketOption()(descriptor, SOL_SOCKET, name, value, length);
  return status === 0 && length[0] === value.length;
}

function descriptorOf(socket: Socket): number {
  // Node does not expose a socket's descriptor in its public interface.
  const handle = (socket as unknown as { _handle?: { fd?: number } })._handle;
  if (typeof handle?.fd !== 'number' || handle.fd < 0) throw unknownPeer();
  return handle.fd;
}

function unknownPeer(): IdentityError {
  return new IdentityError('caller_unknown', 'the kernel does not know the caller of this socket');
}
