// The agents of this machine: registers them, has them admitted, and forgets them when they end.
import { PlatformError } from '../../runtime/errors.ts';
import type { EntryRole, RegistrationEntry } from '../../runtime/identity/entry.ts';
import { isMarked } from '../../runtime/identity/mark.ts';
import { type ProcessName, readProcess, requireProcess } from '../../runtime/identity/process.ts';
import { type EntryRegistry, spiffeIdsOf } from '../../runtime/identity/registry.ts';
import { AgentEntries, type AgentEntryClient } from './agent-entries.ts';
import { type Grants, grantsJson, grantsOf } from './grants.ts';

export interface AgentRequest {
  tenant: string;
  agent: string;
  roles: EntryRole[];
  /** Whether processes below the root may have other roles than it; left out: no. */
  subprocessRoles?: boolean;
  resources: string[];
  framework: string;
  /** The root of the agent's process tree; a descendant of whoever asks. */
  pid: number;
}

export interface RegisteredAgent {
  entry: RegistrationEntry;
  spiffeIds: string[];
  grants: Grants;
  framework: string;
  /** Where its processes reach the platform: the value of PLATFORM_GATEWAY_URL. */
  gatewayUrl: string;
}

export interface AgentsConfig {
  registry: EntryRegistry;
  trustDomain: string;
  /** Where each role gets its SPIFFE entry; left out: agents get no identity documents. */
  entries?: AgentEntryClient;
  /** Puts the grants of these agents in force; resolves when decisions use them. */
  applyGrants(agents: readonly RegisteredAgent[]): Promise<void>;
  /** Opens the agent's proxy and resolves to its URL. */
  openProxy(entry: RegistrationEntry): Promise<string>;
  /** May be asked again for the same agent. */
  closeProxy(entry: RegistrationEntry): Promise<void>;
}

/** Registers and forgets agents, one after the other. */
export class Agents {
  readonly #config: AgentsConfig;
  readonly #agents = new Map<string, RegisteredAgent>();
  readonly #entries: AgentEntries | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(config: AgentsConfig) {
    this.#config = config;
    const { entries, trustDomain } = config;
    this.#entries = entries && new AgentEntries(entries, trustDomain);
  }

  /** Removes what an earlier run of the platform left: its agents are nobody's now. */
  forgetStale(): Promise<void> {
    return this.#inTurn(async () => this.#entries?.removeStale());
  }

  list(): RegisteredAgent[] {
    return structuredClone([...this.#agents.values()]);
  }

  /**
   * Registers an agent and resolves when its grants are in force, its roles have their SPIFFE entries
   * and its proxy listens. Throws what the Entry API does, `configuration_invalid`, `spiffe_id_invalid` or `process_gone`; then nothing is left of it.
   */
  create(request: AgentRequest, launcher: { pid: number; uid: number }): Promise<RegisteredAgent> {
    return this.#inTurn(() => this.#create(request, launcher));
  }

  /**
   * Forgets an agent; its identity is refused from the first moment on. False: there was none.
   * Throws `identity_unavailable` when its SPIFFE entries could not be removed: all else of it has
   * been, and they are tried again with each `sweep`.
   */
  delete(id: string): Promise<boolean> {
    const entry = this.#config.registry.delete(id);
    if (entry !== undefined && hasEnded(entry)) {
      return this.#inTurn(() => this.#forgetEnded([entry])).then(() => true);
    }
    // Nothing that is under way for another agent may put this off; what fails is tried again below.
    const removed = entry && this.#entries?.remove([entry]).catch(() => {});
    return this.#inTurn(async () => {
      if (entry === undefined) return false;
      await removed;
      await this.#forget([entry]);
      return true;
    });
  }

  /** Forgets the agents whose root process has ended, and removes what could not be before. */
  sweep(): Promise<void> {
    const ended = this.#config.registry.deleteEnded();
    if (ended.length > 0) return this.#inTurn(() => this.#forgetEnded(ended));
    return this.#inTurn(async () => this.#entries?.removeLeftover());
  }

  /** Puts the grants of the agents that run in force again, after what else is granted changed. */
  refresh(): Promise<void> {
    return this.#inTurn(() => this.#config.applyGrants(this.list()));
  }

  async #create(
    request: AgentRequest,
    launcher: { pid: number; uid: number },
  ): Promise<RegisteredAgent> {
    const { registry, trustDomain } = this.#config;
    const grants = grantsOf(request.resources);
    const launcherName = requireProcess(launcher.pid);
    const process = descendantOf(launcherName, request.pid);
    const { tenant, agent, roles, subprocessRoles } = request;
    if (!isMarked(process.pid)) {
      throw new PlatformError(
        'configuration_invalid',
        `process ${process.pid} is not marked as an agent’s`,
        { hint: 'start agents with: platform run <agent file> --tenant <tenant>' },
      );
    }
    this.#refuseOtherGrants(tenant, agent, grants);
    const entry = registry.create({
      ...{ trustDomain, tenant, agent, roles, subprocessRoles, process },
      launcher: { pid: launcherName.pid, startTime: launcherName.startTime },
      uid: launcher.uid,
    });
    try {
      const registered: RegisteredAgent = {
        ...{ entry, spiffeIds: spiffeIdsOf(entry), grants },
        ...{ framework: request.framework, gatewayUrl: '' },
      };
      this.#agents.set(entry.id, registered);
      await this.#config.applyGrants(this.list());
      await this.#entries?.create(entry);
      registered.gatewayUrl = await this.#config.openProxy(entry);
      return structuredClone(registered);
    } catch (error) {
      registry.delete(entry.id);
      // Why the registration failed says more than what failed after it.
      await this.#forget([entry]).catch(() => {});
      throw error;
    }
  }

  /** One identity has one set of grants, however many processes have it. */
  #refuseOtherGrants(tenant: string, agent: string, grants: Grants): void {
    const text = JSON.stringify(grantsJson(grants));
    for (const other of this.#agents.values()) {
      if (other.entry.tenant !== tenant || other.entry.agent !== agent) continue;
      if (JSON.stringify(grantsJson(other.grants)) === text) continue;
      throw new PlatformError(
        'configuration_invalid',
        `the agent ${tenant}/${agent} is already running with other resources`,
        { hint: 'stop the other one first, or give this one a name of its own' },
      );
    }
  }

  /** The identities go first; whatever fails, the rest goes too. */
  async #forget(entries: readonly RegistrationEntry[]): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (work: Promise<void> | undefined) =>
      work?.catch((error: unknown) => void failures.push(error));
    await attempt(this.#entries?.remove(entries));
    for (const entry of entries) {
      this.#agents.delete(entry.id);
      await attempt(this.#config.closeProxy(entry));
    }
    await attempt(this.#config.applyGrants(this.list()));
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Its proxy goes first where nobody is left to be refused anything: otherwise the connections that the
   * proxy keeps would be cut as those of an identity taken away, and a clean end be on record as denials.
   */
  async #forgetEnded(entries: readonly RegistrationEntry[]): Promise<void> {
    // What fails here is tried again, and told, when the entries have gone.
    for (const entry of entries) await this.#config.closeProxy(entry).catch(() => {});
    await this.#forget(entries);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }
}

function hasEnded({ process }: RegistrationEntry): boolean {
  return readProcess(process.pid)?.startTime !== process.startTime;
}

/** The process of an agent; whoever registers may name itself or its own children only. */
function descendantOf(launcher: ProcessName, pid: number): ProcessName {
  const first = requireProcess(pid);
  for (let process = first, depth = 0; depth < 64; depth += 1) {
    if (process.pid === launcher.pid) return { pid: first.pid, startTime: first.startTime };
    if (process.parentPid <= 0) break;
    process = requireProcess(process.parentPid);
  }
  throw new PlatformError('configuration_invalid', `process ${pid} is not yours to register`);
}
