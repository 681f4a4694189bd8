// Attests the caller of a Unix socket: its process, the agent whose tree it belongs to, and its role.
import { IdentityError } from '../errors.ts';
import type { EntryLookup, RegistrationEntry } from './entry.ts';
import type { Peer } from './peer.ts';
import {
  isSameProcess,
  type ProcessFacts,
  type ProcessName,
  processGone,
  readProcessOrZombie,
  requireProcess,
} from './process.ts';
import { type RoleSource, roleOf } from './role.ts';
import { agentSpiffeId } from './spiffe-id.ts';

export interface Attestation {
  spiffeId: string;
  tenant: string;
  agent: string;
  role: string;
  roleSource: RoleSource;
  entry: RegistrationEntry;
  process: ProcessName;
}

const agentAncestorsMax = 64;

/**
 * Attests the peer of a connection against the registered agents; see `roleOf` for its role.
 *
 * Throws `caller_unknown` when no ancestor is a registered agent (or it runs as another user),
 * `role_not_allowed` when a process claims a role that is not open to it, and `process_gone` when it
 * ended meanwhile.
 */
export function attest(peer: Peer, entries: EntryLookup): Attestation {
  const process = requireProcess(peer.pid);
  const { entry, chain } = findAgent(process, entries);
  if (entry.uid !== peer.uid) throw unknown(peer.pid, 'it runs as another user than its agent');
  const { name: role, source } = roleOf(entry, chain);
  const spiffeId = agentSpiffeId({ ...entry, role });
  // Everything above was read by pid: only now is it certain that it was all of one process.
  if (!isSameProcess(peer, process)) throw processGone(peer.pid);
  return {
    spiffeId,
    tenant: entry.tenant,
    agent: entry.agent,
    role,
    roleSource: source,
    entry,
    process: { pid: process.pid, startTime: process.startTime },
  };
}

/**
 * A connection outlives its process and its entry: asks for both again, as every request does.
 * Throws `caller_unknown` when the entry is gone and `process_gone` when the process is.
 */
export function requireStillAttested(
  peer: Peer,
  attestation: Attestation,
  entries: { has(id: string): boolean },
): void {
  if (!entries.has(attestation.entry.id)) {
    throw new IdentityError('caller_unknown', 'this agent is not registered any more');
  }
  if (!isSameProcess(peer, attestation.process)) throw processGone(peer.pid);
}

/** Processes from the nearest ancestor to the furthest. */
export interface Ancestry {
  chain: ProcessFacts[];
  /**
   * True when the chain ends where the process tree does. Nothing may be concluded from whom a cut
   * chain lacks: it was longer than `ancestorsMax`, or an ancestor ended while it was read.
   */
  isComplete: boolean;
}

/** `first` and its ancestors, at most `ancestorsMax` processes; zombies are ancestors too. */
export function ancestry(first: ProcessFacts, ancestorsMax: number): Ancestry {
  const chain = [first];
  let child = first;
  while (child.parentPid > 0) {
    if (chain.length >= ancestorsMax) return { chain, isComplete: false };
    const parent = readProcessOrZombie(child.parentPid);
    // A parent is older than its child; a younger one got the pid of a parent that has died.
    if (parent === undefined || BigInt(parent.startTime) > BigInt(child.startTime)) {
      return { chain, isComplete: false };
    }
    chain.push(parent);
    child = parent;
  }
  return { chain, isComplete: true };
}

function findAgent(
  process: ProcessFacts,
  entries: EntryLookup,
): { entry: RegistrationEntry; chain: ProcessFacts[] } {
  const { chain: ancestors } = ancestry(process, agentAncestorsMax);
  for (const [index, ancestor] of ancestors.entries()) {
    const entry = entries.byProcess(ancestor);
    if (entry !== undefined) return { entry, chain: ancestors.slice(0, index + 1) };
  }
  throw unknown(process.pid, 'it belongs to no registered agent');
}

function unknown(pid: number, why: string): IdentityError {
  return new IdentityError('caller_unknown', `process ${pid} is not an agent: ${why}`, {
    hint: 'start agents with: platform run <agent file> --tenant <tenant>',
  });
}
