// The process at the other end of a Unix socket, held against one agent's entry for as long as the connection lasts.
import type { Socket } from 'node:net';
import { IdentityError } from '../errors.ts';
import { attest, requireStillAttested } from './attest.ts';
import { peerOf } from './peer.ts';
import type { EntryRegistry } from './registry.ts';

/**
 * Attests the caller, who has to belong to the entry `entryId`. Throws `caller_unknown` and what
 * `attest` throws, with the caller's `pid` and `uid` in `data`; `stillThere` throws when the process
 * or its entry is gone. `close` frees what names the process to the kernel.
 */
export function attestedCaller(socket: Socket, entryId: string, registry: EntryRegistry) {
  const peer = peerOf(socket);
  const { pid, uid } = peer;
  try {
    const attestation = attest(peer, registry);
    if (attestation.entry.id !== entryId) {
      throw new IdentityError('caller_unknown', 'this socket belongs to another agent');
    }
    return {
      ...{ pid, uid, spiffeId: attestation.spiffeId },
      stillThere() {
        requireStillAttested(peer, attestation, registry);
        return true;
      },
      close: () => peer.close(),
    };
  } catch (error) {
    peer.close();
    if (!(error instanceof IdentityError)) throw error;
    throw new IdentityError(error.code, error.message, {
      cause: error,
      data: { ...error.data, pid, uid },
    });
  }
}
