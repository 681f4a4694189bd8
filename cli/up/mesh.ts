// The mutual TLS of one machine: one inbound proxy before the services, and a way out for the gateway.
import { join } from 'node:path';
import type { LoadedPair } from '../../runtime/bundle/pair.ts';
import type { Decider } from '../../runtime/decide/decide.ts';
import { createLocalDecider } from '../../runtime/decide/local.ts';
import { codeOf } from '../../runtime/errors.ts';
import { serviceSpiffeId } from '../../runtime/identity/spiffe-id.ts';
import { decideRequest, type MeshJudgement } from '../../runtime/mesh/request.ts';
import type { Filter } from '../../runtime/proxywasm/filter.ts';
import { meshFilter } from '../../runtime/proxywasm/mesh-filter.ts';
import { defaultLimits as gatewayLimits } from '../../services/gateway/gateway.ts';
import { scanBodyBytes, scanPaths } from '../../services/guard/routes.ts';
import {
  createInboundProxy,
  type InboundConfig,
  type InboundRefusal,
  type InboundService,
  type MeshProxy,
} from '../../services/proxy/inbound.ts';
import type { TcpAddress } from '../../services/proxy/listen.ts';
import { OutboundMetrics } from '../../services/proxy/metrics.ts';
import {
  createOutboundProxy,
  type OutboundConfig,
  type OutboundService,
} from '../../services/proxy/outbound.ts';
import type { Cleanup } from './cleanup.ts';
import type { Foundation } from './foundation.ts';
import { type MachineIdentity, type ServiceName, serverNamesOf, services } from './identity.ts';
import { JsonLines } from './json-lines.ts';
import { onlyThisProcess } from './only-this-process.ts';
import { recordRefusal } from './refusals.ts';

/** Where the specification has them; whatever is taken is replaced by a free one. */
const ports = { inbound: 15006, metrics: 15090, health: 15021 };
const host = '127.0.0.1';
/** How long running streams get at the end. */
const graceMs = 1000;

export interface Mesh {
  inbound: MeshProxy;
  accessLog: JsonLines;
  /** What every outbound proxy of this machine has in common. */
  outbound: Pick<OutboundConfig, 'trustDomain' | 'scope' | 'denied' | 'accessLog' | 'metrics'>;
  /** A service as outbound proxies reach it. */
  destination(name: ServiceName): OutboundService;
}

/** The Unix socket that a service listens on, behind the inbound proxy. */
export function serviceSocket(run: string, name: ServiceName): string {
  return join(run, `${name}.sock`);
}

/** Opens the inbound proxy; resolves when services can be reached through it. */
export async function startMesh(
  foundation: Foundation,
  { source, denied }: MachineIdentity,
  cleanup: Cleanup,
): Promise<Mesh> {
  const { state, trustDomain, modules, evidence } = foundation;
  const accessLog = new JsonLines(join(state.root, 'access.log'));
  cleanup.add(() => accessLog.close());
  const shared = {
    ...{ trustDomain, denied, scope: modules.scope },
    accessLog: (line: Parameters<InboundConfig['accessLog']>[0]) => accessLog.write(line),
  };
  const metrics = new OutboundMetrics();
  const filters = new MeshFilters(foundation);
  cleanup.add(async () => filters.close());
  const inbound = await listening((at) =>
    createInboundProxy({
      ...shared,
      source,
      listen: { host, port: at?.inbound ?? 0 },
      metricsListen: { host, port: at?.metrics ?? 0 },
      healthListen: { host, port: at?.health ?? 0 },
      pageMetrics: [metrics],
      services: services.map((name) => hosted(state.run, trustDomain, name)),
      filterFor: (service) => filters.of(service.name),
      async onRefused(refusal) {
        const judgement = filters.judgement(refusal);
        // Before the row that names them, so that an audit can always decide again.
        for (const schema of judgement?.schemas ?? []) await evidence.observed.putObject(schema);
        const door = { service: refusal.service };
        await recordRefusal(evidence.observed, door, refusal, judgement);
      },
    }),
  );
  cleanup.add(() => inbound.drain(graceMs));
  return {
    inbound,
    accessLog,
    outbound: { ...shared, metrics },
    destination: (name) => ({
      name,
      spiffeId: serviceSpiffeId(trustDomain, name),
      serverName: serverNamesOf(name)[0] as string,
      address: inbound.address() as TcpAddress,
    }),
  };
}

/** The proxy by which the gateway reaches the vault, on a socket that only this process may use. */
export async function openGatewayOutbound(
  { state, trustDomain, evidence }: Foundation,
  { source }: MachineIdentity,
  mesh: Mesh,
  cleanup: Cleanup,
): Promise<string> {
  const path = join(state.run, 'gateway-out.sock');
  const spiffeId = serviceSpiffeId(trustDomain, 'gateway');
  const proxy = createOutboundProxy({
    ...mesh.outbound,
    listen: { path },
    attest: (socket) => ({ ...onlyThisProcess(socket), spiffeId, stillThere: () => true }),
    sourceFor: () => source,
    routes: [{ paths: ['/api/v1/secrets'], service: mesh.destination('vault') }],
    onRefused: (refusal) => recordRefusal(evidence.observed, { proxy: 'gateway' }, refusal),
  });
  await proxy.listen();
  cleanup.add(() => proxy.drain(graceMs));
  return path;
}

/** The paths of each service that take more than 1 MiB. */
const largeBodies: Record<ServiceName, readonly { paths: string[]; bodyBytes: number }[]> = {
  gateway: [{ paths: ['/api/v1/tools/register'], bodyBytes: gatewayLimits.registrationBytes }],
  vault: [],
  guard: [{ paths: [...scanPaths], bodyBytes: scanBodyBytes }],
};

function hosted(run: string, trustDomain: string, name: ServiceName): InboundService {
  return {
    name,
    spiffeId: serviceSpiffeId(trustDomain, name),
    serverNames: serverNamesOf(name),
    upstream: { path: serviceSocket(run, name) },
    protocol: 'http1',
    bodies: [...largeBodies[name]],
  };
}

/** Listens on the specified ports, and where one of them is taken on free ones. */
async function listening(create: (at: typeof ports | undefined) => MeshProxy): Promise<MeshProxy> {
  const proxy = create(ports);
  try {
    await proxy.listen();
    return proxy;
  } catch (error) {
    await proxy.drain(0).catch(() => {});
    if (codeOf(error) !== 'address_in_use') throw error;
    const other = create(undefined);
    await other.listen();
    return other;
  }
}

/** One filter a service, made anew when another pair of bundles comes into force. */
class MeshFilters {
  readonly #foundation: Foundation;
  readonly #filters = new Map<string, { pair: LoadedPair; filter: Filter; decider: Decider }>();

  constructor(foundation: Foundation) {
    this.#foundation = foundation;
  }

  /** Throws `module_missing` or what the module itself says; then the proxy denies. */
  of(service: string): Filter {
    const pair = this.#foundation.bundles.current();
    const known = this.#filters.get(service);
    if (known?.pair === pair) return known.filter;
    const { trustDomain, modules } = this.#foundation;
    const filter = meshFilter(pair, { service, trustDomain });
    const decider = createLocalDecider({ current: () => pair }, modules);
    this.#filters.set(service, { pair, filter, decider });
    known?.filter.close();
    return filter;
  }

  /**
   * The decisions by which the filter refused, made again here, since the filter gives their ids only:
   * the row holds what an audit needs. Undefined where the ids differ, or nothing was decided.
   */
  judgement(refusal: InboundRefusal): MeshJudgement | undefined {
    const { service, spiffeId, requestId, time, decisionId, message } = refusal;
    if (decisionId === undefined || spiffeId === undefined || message === undefined) return;
    const decider = this.#filters.get(service)?.decider;
    if (decider === undefined) return undefined;
    const { trustDomain, modules } = this.#foundation;
    const facts = { spiffeId, trustDomain, service, requestId, time, salt: message.salt };
    const parts = { decider, record: modules.record };
    const judgement = decideRequest(parts, facts, message.request);
    return judgement.settled.id === decisionId && !judgement.allow ? judgement : undefined;
  }

  close(): void {
    for (const { filter } of this.#filters.values()) filter.close();
    this.#filters.clear();
  }
}
