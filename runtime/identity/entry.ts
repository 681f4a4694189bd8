// An agent's registration on this machine: which process tree it is, and which roles it may claim.
import type { ProcessName } from './process.ts';
import type { Role } from './role.ts';

export interface EntryRole {
  name: string;
  /**
   * Matched against the whole command line of a process; `*` stands for any run of characters and
   * everything else for itself, so that the work of matching is bounded whoever wrote it.
   */
  commandPattern?: string;
}

export interface RegistrationEntry {
  id: string;
  trustDomain: string;
  tenant: string;
  agent: string;
  /** The roles that processes of this agent may have; always holds the fallback `main`. */
  roles: EntryRole[];
  /** The role that the root was started with. */
  rootRole: Role;
  /** True when processes below the root may have other declared roles than the root's. */
  subprocessRoles: boolean;
  /** The root of the agent's process tree. */
  process: ProcessName;
  /** The process that started the agent and answers to the operator; its other children are nobody. */
  launcher: ProcessName;
  /** The user that the agent's processes run as. */
  uid: number;
  createdAt: string;
}

/** What the attestor needs of a registry. */
export interface EntryLookup {
  /** The entry whose process tree has exactly this process as its root. */
  byProcess(name: ProcessName): RegistrationEntry | undefined;
  /** True when this process has ever launched an agent: an orphan of it could be its child. */
  isLauncher(name: ProcessName): boolean;
  /** True when this process belonged to an agent that has been deleted since. */
  isTainted(name: ProcessName): boolean;
}
