// Finds the role of an agent's process: fixed for the whole agent, unless its processes may take roles.
import { IdentityError } from '../errors.ts';
import { matchesCommand } from './command-pattern.ts';
import type { EntryRole, RegistrationEntry } from './entry.ts';
import { commandLineOf, environmentValues, type ProcessName } from './process.ts';
import { defaultRole } from './spiffe-id.ts';

export type RoleSource = 'environment' | 'command' | 'tree' | 'fallback';

export interface Role {
  name: string;
  source: RoleSource;
}

const roleVariable = 'PLATFORM_ROLE';

/**
 * The role that the root of an agent is started with: PLATFORM_ROLE of its environment, else the
 * command pattern that covers its command line, else `main`. Read before the agent runs: a process
 * may write over its own environment and command line. Throws `role_not_allowed`.
 */
export function roleAtStart(agent: Declared, root: ProcessName): Role {
  return explicitRole(agent, root.pid) ?? { name: defaultRole, source: 'fallback' };
}

/**
 * The role of the first process of `chain`, whose last one is the root of the agent. It is the
 * root's, unless the entry lets processes take declared roles; then it is, in this order, PLATFORM_ROLE
 * of the process, a command pattern that covers its command line, the role that its nearest ancestor
 * has in one of these two ways, the root's. Throws `role_not_allowed` for a claim to another role.
 */
export function roleOf(entry: RegistrationEntry, chain: readonly ProcessName[]): Role {
  const { rootRole } = entry;
  if (!entry.subprocessRoles) {
    for (const claim of claimsOf(chain[0]?.pid ?? 0)) {
      if (claim !== rootRole.name) throw notAllowed(entry, 'is another than that of its agent');
    }
    return inherited(rootRole, chain.length - 1);
  }
  for (const [index, { pid }] of chain.entries()) {
    const found = explicitRole(entry, pid);
    if (found !== undefined) return inherited(found, index);
  }
  return inherited(rootRole, chain.length - 1);
}

function inherited(role: Role, generations: number): Role {
  const isOwn = generations === 0 || role.source === 'fallback';
  return isOwn ? { ...role } : { name: role.name, source: 'tree' };
}

interface Declared {
  tenant: string;
  agent: string;
  roles: readonly EntryRole[];
}

function explicitRole(agent: Declared, pid: number): Role | undefined {
  const claims = claimsOf(pid);
  // Given twice, programs disagree on which one counts: every one of them must be allowed,
  // and the first, which getenv(3) returns, is taken.
  for (const claim of claims) {
    if (claim === defaultRole || agent.roles.some(({ name }) => name === claim)) continue;
    throw notAllowed(agent, 'is none that it declares');
  }
  if (claims[0] !== undefined) return { name: claims[0], source: 'environment' };
  const patterned = agent.roles.filter((role) => role.commandPattern !== undefined);
  if (patterned.length === 0) return undefined;
  const commandLine = commandLineOf(pid);
  const role = patterned.find((each) => matchesCommand(each.commandPattern ?? '', commandLine));
  return role === undefined ? undefined : { name: role.name, source: 'command' };
}

function claimsOf(pid: number): string[] {
  return environmentValues(pid, roleVariable).filter((claim) => claim !== '');
}

function notAllowed({ tenant, agent }: Declared, why: string): IdentityError {
  const message = `a process of ${tenant}/${agent} claims a role that ${why}`;
  return new IdentityError('role_not_allowed', message, {
    hint: 'declare the role and subprocess support with the agent, or correct PLATFORM_ROLE',
  });
}
