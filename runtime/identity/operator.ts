// Attests the operator: a process of the platform's own user that no registered agent has started.
import { IdentityError } from '../errors.ts';
import { ancestry } from './attest.ts';
import type { EntryLookup } from './entry.ts';
import { isMarked } from './mark.ts';
import type { Peer } from './peer.ts';
import { isSameProcess, type ProcessFacts, processGone, requireProcess } from './process.ts';

const ancestorsMax = 4096;
const attempts = 3;

/**
 * Accepts the caller of the control socket: a process without the mark of agents (see mark.ts). An agent runs as the same user as its operator, so the
 * user alone proves nothing: a caller that is an agent's process or descends from one is refused,
 * and so is one that descends from a launcher, to which an agent's orphans are handed. So is one
 * whose ancestors cannot all be read up to the first process: an agent could be among the others.
 * Throws `caller_unknown` or `process_gone`.
 */
export function attestOperator(peer: Peer, entries: EntryLookup, ownUid: number): void {
  if (peer.uid !== ownUid && peer.uid !== 0) throw refused('it runs as another user');
  // The kernel's own answer, and a cheap one: whatever an agent starts carries the mark of agents.
  if (isMarked(peer.pid)) throw refused('it is marked as an agent’s, or runs in a sandbox');
  const process = requireProcess(peer.pid);
  for (const [index, ancestor] of completeAncestry(process).entries()) {
    if (entries.byProcess(ancestor) !== undefined) throw refused('it belongs to an agent');
    if (entries.isTainted(ancestor)) throw refused('it belonged to an agent');
    if (index > 0 && entries.isLauncher(ancestor)) throw refused('an agent may have started it');
  }
  if (!isSameProcess(peer, process)) throw processGone(peer.pid);
}

/** Ancestors end at any time, and then the kernel names another parent: it is asked again. */
function completeAncestry(process: ProcessFacts): ProcessFacts[] {
  for (let attempt = 0, first = process; attempt < attempts; attempt += 1) {
    const { chain, isComplete } = ancestry(first, ancestorsMax);
    if (isComplete) return chain;
    first = requireProcess(process.pid);
  }
  throw refused('its ancestors cannot all be read');
}

function refused(why: string): IdentityError {
  return new IdentityError('caller_unknown', `only the operator may use this socket: ${why}`);
}
