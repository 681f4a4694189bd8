// Keeps a service's Unix socket for the platform's own process: nobody reaches past the proxies.
import type { Socket } from 'node:net';
import { IdentityError } from '../../runtime/errors.ts';
import type { EntryLookup } from '../../runtime/identity/entry.ts';
import { attestOperator } from '../../runtime/identity/operator.ts';
import { peerOf } from '../../runtime/identity/peer.ts';
import { operatorSpiffeId } from '../../runtime/identity/spiffe-id.ts';
import type { Peer } from '../../services/common/http/port.ts';

/** A connection hook that refuses every process but this one with `caller_unknown`. */
export function onlyThisProcess(socket: Socket): Peer {
  const peer = peerOf(socket);
  peer.close();
  if (peer.pid === process.pid) return { pid: peer.pid, uid: peer.uid, gid: peer.gid };
  throw new IdentityError('caller_unknown', `process ${peer.pid} may not reach past its proxy`);
}

/** A connection hook that lets only the operator through; see `attestOperator`. */
export function onlyTheOperator(entries: EntryLookup, trustDomain: string) {
  return (socket: Socket): Peer => {
    const peer = peerOf(socket);
    try {
      attestOperator(peer, entries, process.getuid?.() ?? 0);
    } finally {
      peer.close();
    }
    const spiffeId = operatorSpiffeId(trustDomain);
    return { pid: peer.pid, uid: peer.uid, gid: peer.gid, spiffeId };
  };
}
