// The proxies of the agents that run: one Unix socket an agent, in the run folder.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { RegistrationEntry } from '../../runtime/identity/entry.ts';
import type { EntryRegistry } from '../../runtime/identity/registry.ts';
import { type AgentProxy, createProxy, type Refusal } from '../../services/proxy/proxy.ts';

export interface ProxiesConfig {
  folder: string;
  gatewaySocket: string;
  registry: EntryRegistry;
  evidence: Pick<EvidenceLog, 'append'>;
  /** Largest body of a registration of tools. */
  registrationBytes: number;
}

/** What agents may reach: the gateway's tools and its health, nothing of the operator's. */
const paths = ['/api/v1/tools', '/health'];
const graceMs = 1000;

export class Proxies {
  readonly #config: ProxiesConfig;
  readonly #proxies = new Map<string, AgentProxy>();

  constructor(config: ProxiesConfig) {
    this.#config = config;
  }

  /** Opens the proxy of an agent and resolves to its URL, `unix:<path>`. */
  async open(entry: RegistrationEntry): Promise<string> {
    const { folder, gatewaySocket, registry, evidence, registrationBytes } = this.#config;
    const socketPath = join(folder, `${entry.id}.sock`);
    const proxy = createProxy({
      entryId: entry.id,
      entries: registry,
      socketPath,
      serviceSocketPath: gatewaySocket,
      paths,
      limits: { bodyBytesByPath: { '/api/v1/tools/register': registrationBytes } },
      onRefused: (refusal) => recordRefusal(evidence, entry, refusal),
    });
    await proxy.listen();
    this.#proxies.set(entry.id, proxy);
    return `unix:${socketPath}`;
  }

  async close(entry: RegistrationEntry): Promise<void> {
    const proxy = this.#proxies.get(entry.id);
    this.#proxies.delete(entry.id);
    await proxy?.close(graceMs);
  }

  async closeAll(): Promise<void> {
    const proxies = [...this.#proxies.values()];
    this.#proxies.clear();
    await Promise.all(proxies.map((proxy) => proxy.close(graceMs)));
  }
}

/** Where nobody was identified, the row has no SPIFFE ID; it names the process and the agent's door. */
async function recordRefusal(
  evidence: Pick<EvidenceLog, 'append'>,
  entry: RegistrationEntry,
  { error, requestId, time, method, pid, uid, spiffeId }: Refusal,
): Promise<void> {
  await evidence.append({
    kind: 'denial',
    action: randomUUID(),
    request: requestId,
    time,
    spiffe_id: spiffeId ?? '',
    boundary: 'tool',
    subject: { proxy: `${entry.tenant}/${entry.agent}`, method, pid: pid ?? 0, uid: uid ?? -1 },
    decisions: [],
    reason: { code: error.code, message: error.message },
    controls: ['NIST:IA-9', 'SOC2:CC6.1'],
    outcome: 'denied',
  });
}
