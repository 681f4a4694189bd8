// Which process tree on this machine is which agent: the port of that registry, and the in-memory one.
// The entries that give SPIFFE IDs to whoever has their selectors are the identity server's: see entry-client.ts.
import { randomUUID } from 'node:crypto';
import { PlatformError } from '../errors.ts';
import { descendantsOf } from './descendants.ts';
import type { EntryLookup, RegistrationEntry } from './entry.ts';
import { type ProcessName, readProcess, readProcessOrZombie } from './process.ts';
import { roleAtStart } from './role.ts';
import { agentSpiffeId, defaultRole } from './spiffe-id.ts';

export interface EntryDraft
  extends Omit<RegistrationEntry, 'id' | 'createdAt' | 'rootRole' | 'subprocessRoles'> {
  /** Left out: no process has another role than the root. */
  subprocessRoles?: boolean;
}

export interface EntryRegistry extends EntryLookup {
  /**
   * Throws `configuration_invalid`, `spiffe_id_invalid`, or `role_not_allowed` for a root that claims
   * a role that is not declared; a process is the root of one agent only.
   */
  create(draft: EntryDraft): RegistrationEntry;
  get(id: string): RegistrationEntry | undefined;
  list(): RegistrationEntry[];
  /** Cheap enough to ask at every request. */
  has(id: string): boolean;
  /** The deleted entry, or undefined when there was none: its identity is refused from now on. */
  delete(id: string): RegistrationEntry | undefined;
  /** Deletes and returns the entries whose root process has ended. */
  deleteEnded(): RegistrationEntry[];
}

const entriesMax = 1000;
const rolesMax = 64;
const patternBytesMax = 256;

/** Registration entries that live as long as the process, as the agents of one machine do. */
export function createEntryRegistry(clock: () => Date = () => new Date()): EntryRegistry {
  const byId = new Map<string, RegistrationEntry>();
  const byRoot = new Map<string, RegistrationEntry>();
  // Both outlive their entries, and hold living processes only: see `forgetEnded`.
  const launchers = new Map<string, ProcessName>();
  const tainted = new Map<string, ProcessName>();

  function remove(id: string): RegistrationEntry | undefined {
    const entry = byId.get(id);
    if (entry === undefined) return undefined;
    byId.delete(id);
    byRoot.delete(keyOf(entry.process));
    for (const name of [entry.process, ...descendantsOf([entry.process, entry.launcher])]) {
      const { pid, startTime } = name;
      // A launcher below another one is the operator's still.
      if (!launchers.has(keyOf(name))) tainted.set(keyOf(name), { pid, startTime });
    }
    return structuredClone(entry);
  }

  function forgetEnded(names: Map<string, ProcessName>): void {
    for (const [key, { pid, startTime }] of names) {
      if (readProcessOrZombie(pid)?.startTime !== startTime) names.delete(key);
    }
  }

  return {
    create(draft) {
      checkDraft(draft);
      if (byId.size >= entriesMax) throw refused(`there are ${entriesMax} agents already`);
      if (byRoot.has(keyOf(draft.process))) {
        throw refused(`process ${draft.process.pid} is the root of another agent`);
      }
      const roles = draft.roles.some((role) => role.name === defaultRole)
        ? draft.roles
        : [...draft.roles, { name: defaultRole }];
      const entry: RegistrationEntry = structuredClone({
        ...draft,
        roles,
        rootRole: roleAtStart(draft, draft.process),
        subprocessRoles: draft.subprocessRoles ?? false,
        id: randomUUID(),
        createdAt: clock().toISOString(),
      });
      byId.set(entry.id, entry);
      byRoot.set(keyOf(entry.process), entry);
      launchers.set(keyOf(entry.launcher), entry.launcher);
      return structuredClone(entry);
    },
    get: (id) => structuredClone(byId.get(id)),
    list: () => structuredClone([...byId.values()]),
    has: (id) => byId.has(id),
    delete: remove,
    deleteEnded() {
      forgetEnded(launchers);
      forgetEnded(tainted);
      const ended = [...byId.values()].filter(
        (entry) => readProcess(entry.process.pid)?.startTime !== entry.process.startTime,
      );
      return ended.flatMap((entry) => remove(entry.id) ?? []);
    },
    byProcess: (name) => structuredClone(byRoot.get(keyOf(name))),
    isLauncher: (name) => launchers.has(keyOf(name)),
    isTainted: (name) => tainted.has(keyOf(name)),
  };
}

/** The SPIFFE ID of each role of an entry, in the entry's order. */
export function spiffeIdsOf(entry: RegistrationEntry): string[] {
  return entry.roles.map((role) => agentSpiffeId({ ...entry, role: role.name }));
}

function checkDraft(draft: EntryDraft): void {
  if (draft.roles.length > rolesMax) throw refused(`an agent has at most ${rolesMax} roles`);
  agentSpiffeId({ ...draft, role: defaultRole });
  const names = new Set<string>();
  for (const role of draft.roles) {
    agentSpiffeId({ ...draft, role: role.name });
    if (names.has(role.name)) throw refused(`the role ${role.name} is declared twice`);
    names.add(role.name);
    if (Buffer.byteLength(role.commandPattern ?? '') > patternBytesMax) {
      throw refused(`the command pattern of ${role.name} is over ${patternBytesMax} bytes`);
    }
  }
  if (readProcess(draft.process.pid)?.startTime !== draft.process.startTime) {
    throw new PlatformError('process_gone', `process ${draft.process.pid} has ended`);
  }
}

function keyOf(name: ProcessName): string {
  return `${name.pid}@${name.startTime}`;
}

function refused(message: string): PlatformError {
  return new PlatformError('configuration_invalid', message);
}
