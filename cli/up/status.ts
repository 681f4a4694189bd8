// What `platform status` and the local page say of the running platform.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundleWatcher } from '../../runtime/bundle/watch.ts';
import type { PlatformError } from '../../runtime/errors.ts';
import type { SegmentLog } from '../../runtime/evidence/log.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { CallFeed } from '../../services/console/calls.ts';
import type { Agents } from '../../services/identity/agents.ts';
import { agentJson } from '../../services/identity/routes.ts';
import type { TcpAddress } from '../../services/proxy/listen.ts';
import type { StateFolder } from '../state-folder.ts';
import type { MachineIdentity } from './identity.ts';
import type { Mesh } from './mesh.ts';

export interface StatusSources {
  state: StateFolder;
  startedAt: string;
  trustDomain: string;
  urls: { page: string; health: string; oidc: string };
  policies: readonly string[];
  identity: MachineIdentity;
  mesh: Mesh;
  bundles: BundleWatcher;
  agents: Agents;
  feed: CallFeed;
  evidence: SegmentLog;
  policyError: PlatformError | undefined;
  /** What the guard did not compare of the change that it let through last. */
  partialGuard: string | undefined;
}

/** Counts are of this run's calls, as far as the feed remembers them. */
export async function statusOf(sources: StatusSources): Promise<JsonObject> {
  const { state, bundles, feed, evidence } = sources;
  const { policy, data } = bundles.current();
  const { log, size, state: logState, index } = evidence.status();
  const segment = await stat(join(state.evidence, 'segment')).catch(() => undefined);
  const calls = feed.list();
  const waiting = calls.filter(({ verdict, outcome }) => verdict === 'parked' && !outcome);
  return {
    pid: process.pid,
    started_at: sources.startedAt,
    trust_domain: sources.trustDomain,
    state: state.root,
    ...sources.urls,
    workload_socket: sources.identity.workloadSocket,
    identity: identityFacts(sources.identity),
    mesh: meshFacts(sources.mesh),
    policies: [...sources.policies],
    bundles: {
      policy: policy.revision,
      data: data.revision,
      ...refusalOf(sources.policyError),
      ...(sources.partialGuard === undefined ? {} : { compared: sources.partialGuard }),
    },
    evidence: {
      ...{ log, size, state: logState, bytes: segment?.size ?? 0 },
      indexed: (index ?? null) as unknown as JsonValue,
    },
    approvals: waiting.length,
    agents: sources.agents.list().map((agent) => {
      const counts = { allowed: 0, denied: 0, parked: 0 };
      for (const call of calls) {
        if (agent.spiffeIds.includes(call.spiffeId)) counts[call.verdict] += 1;
      }
      return { ...agentJson(agent), calls: counts };
    }),
  };
}

/** Why what is in the folders is not in force, the flips by name where that is why, and what to do. */
function refusalOf(error: PlatformError | undefined): JsonObject {
  if (error === undefined) return {};
  const facts: JsonObject = { error: error.message, error_code: error.code };
  if (error.hint !== undefined) facts.hint = error.hint;
  if (Array.isArray(error.data.flips)) facts.flips = error.data.flips as string[];
  return facts;
}

/** When signing keys end, how many identities were taken away, and whether the server is heard. */
function identityFacts({ authority, source, denied }: MachineIdentity): JsonObject {
  const { keys, denied: list } = authority.state();
  const expiries = Object.entries(keys).map(([kind, of]) => {
    const active = of.find(({ isActive }) => isActive);
    return [kind, active?.expiresAt.toISOString() ?? null] as const;
  });
  return {
    authorities_expire_at: Object.fromEntries(expiries),
    denied: list.entries,
    connected: source.state().isConnected,
    deny_list_stale_ms: denied.staleForMs(),
  };
}

function meshFacts({ inbound, accessLog }: Mesh): JsonObject {
  const text = (address: unknown) => {
    const { host, port } = address as TcpAddress;
    return `${host}:${port}`;
  };
  return {
    inbound: text(inbound.address()),
    metrics: `http://${text(inbound.metricsAddress())}/metrics`,
    health: `http://${text(inbound.healthAddress())}/healthz/ready`,
    access_log: accessLog.path,
    access_log_dropped: accessLog.dropped,
  };
}
