// Attests the operator: a process of the platform's own user that no registered agent has started.
import { IdentityError } from '../errors.ts';
import { ancestry } from './attest.ts';
import type { EntryLookup } from './entry.ts';
import type { Peer } from './peer.ts';
import { isSameProcess, processGone, requireProcess } from './process.ts';

/**
 * Accepts the caller of the control socket. An agent runs as the same user as its operator, so the
 * user alone proves nothing: a caller that is an agent's process or descends from one is refused,
 * and so is one that descends from a launcher, to which an agent's orphans are handed.
 * Throws `caller_unknown` or `process_gone`.
 */
export function attestOperator(peer: Peer, entries: EntryLookup, ownUid: number): void {
  if (peer.uid !== ownUid && peer.uid !== 0) throw refused('it runs as another user');
  const process = requireProcess(peer.pid);
  for (const [index, ancestor] of ancestry(process).entries()) {
    if (entries.byProcess(ancestor) !== undefined) throw refused('it belongs to an agent');
    if (index > 0 && entries.isLauncher(ancestor)) throw refused('an agent may have started it');
  }
  if (!isSameProcess(peer, process)) throw processGone(peer.pid);
}

function refused(why: string): IdentityError {
  return new IdentityError('caller_unknown', `only the operator may use this socket: ${why}`);
}
