// The SPIFFE entries of agents, one a role: made, removed and cleaned up over SPIRE's Entry API alone.
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import { platformSelector, processSelector } from '../../runtime/identity/attestor.ts';
import type { RegistrationEntry } from '../../runtime/identity/entry.ts';
import type { EntryClient, WorkloadEntryDraft } from '../../runtime/identity/entry-client.ts';
import { agentSpiffeId, nodeSpiffeId } from '../../runtime/identity/spiffe-id.ts';

/** The part of the Entry API that agents need. */
export type AgentEntryClient = Pick<EntryClient, 'create' | 'delete' | 'list'>;

const labelCharactersMax = 63;

/** Keeps the entries of the agents that run, and remembers those that could not be removed. */
export class AgentEntries {
  readonly #client: AgentEntryClient;
  readonly #trustDomain: string;
  readonly #idsOf = new Map<string, string[]>();
  readonly #leftover = new Set<string>();

  constructor(client: AgentEntryClient, trustDomain: string) {
    this.#client = client;
    this.#trustDomain = trustDomain;
  }

  /** Creates the entries of an agent. Throws what the server says; then none of them is left. */
  async create(agent: RegistrationEntry): Promise<void> {
    const ids: string[] = [];
    this.#idsOf.set(agent.id, ids);
    let failure: PlatformError | undefined;
    for (const { entry, error } of await this.#client.create(draftsOf(agent))) {
      if (entry !== undefined) ids.push(entry.id);
      // One that is there already says the same of the same process.
      if (error !== undefined && error.code !== 'entry_exists') failure = error;
    }
    if (failure === undefined && this.#idsOf.get(agent.id) === ids) return;
    // It failed, or the agent was forgotten meanwhile.
    for (const id of ids) this.#leftover.add(id);
    await this.remove([agent]);
    throw failure ?? new PlatformError('process_gone', 'the agent was forgotten meanwhile');
  }

  /**
   * Removes the entries of agents. What the server did not remove is asked for again by
   * `removeLeftover`. Throws the first failure, after all have been tried.
   */
  remove(agents: readonly RegistrationEntry[]): Promise<void> {
    for (const { id } of agents) {
      for (const entry of this.#idsOf.get(id) ?? []) this.#leftover.add(entry);
      this.#idsOf.delete(id);
    }
    return this.removeLeftover();
  }

  async removeLeftover(): Promise<void> {
    const ids = [...this.#leftover];
    if (ids.length === 0) return;
    const results = await this.#client.delete(ids);
    let failure: PlatformError | undefined;
    for (const [index, { error }] of results.entries()) {
      const isGone = error === undefined || codeOf(error) === 'entry_unknown';
      if (isGone) this.#leftover.delete(ids[index] ?? '');
      else failure = error;
    }
    if (failure !== undefined) throw failure;
  }

  /** Removes the entries that an earlier run of the platform left: its agents are not known here. */
  async removeStale(): Promise<void> {
    const known = new Set([...this.#idsOf.values()].flat());
    const prefix = `spiffe://${this.#trustDomain}/agent/`;
    const entries = await this.#client.list({ parentId: nodeSpiffeId(this.#trustDomain) });
    for (const { id, spiffeId } of entries) {
      if (spiffeId.startsWith(prefix) && !known.has(id)) this.#leftover.add(id);
    }
    await this.removeLeftover();
  }
}

/** One entry for each role of an agent: bound to its process tree and to the role. */
function draftsOf(agent: RegistrationEntry): WorkloadEntryDraft[] {
  const { trustDomain, tenant, agent: name, process, roles } = agent;
  const dnsNames = [`${name}.tenant-${tenant}.svc`, `${name}-a2a.tenant-${tenant}.svc`];
  return roles.map((role) => ({
    spiffeId: agentSpiffeId({ trustDomain, tenant, agent: name, role: role.name }),
    parentId: nodeSpiffeId(trustDomain),
    selectors: [
      processSelector(process),
      platformSelector('process-role', role.name),
      platformSelector('tenant', tenant),
      platformSelector('agent', name),
    ],
    // A SPIFFE ID takes names that DNS does not: such an agent has none.
    dnsNames: dnsNames.filter(
      (each) => each.split('.').length === 3 && each.split('.').every(isLabel),
    ),
  }));
}

/** A label of a host name (RFC 1123, section 2.1) that is not reserved (RFC 5890, section 2.3.1). */
function isLabel(label: string): boolean {
  if (label.length === 0 || label.length > labelCharactersMax) return false;
  if (label.startsWith('-') || label.endsWith('-') || label.startsWith('--', 2)) return false;
  for (const character of label) {
    if (!/^[A-Za-z0-9-]$/.test(character)) return false;
  }
  return true;
}
