// The proxies of the agents that run: one Unix socket an agent, in the run folder.
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { IdentityError } from '../../runtime/errors.ts';
import { attestedCaller } from '../../runtime/identity/attested-caller.ts';
import type { RegistrationEntry } from '../../runtime/identity/entry.ts';
import { readProcess } from '../../runtime/identity/process.ts';
import { type EntryRegistry, spiffeIdsOf } from '../../runtime/identity/registry.ts';
import { defaultLimits as gatewayLimits } from '../../services/gateway/gateway.ts';
import { scanBodyBytes, scanPaths } from '../../services/guard/routes.ts';
import type { EntrySource } from '../../services/identity/source.ts';
import type { MeshProxy } from '../../services/proxy/inbound.ts';
import {
  type AttestedCaller,
  createOutboundProxy,
  type OutboundService,
} from '../../services/proxy/outbound.ts';
import type { Foundation } from './foundation.ts';
import type { MachineIdentity } from './identity.ts';
import type { Mesh } from './mesh.ts';
import { recordRefusal } from './refusals.ts';

const graceMs = 1000;
/** How long an agent that was taken away is told so, and how often its process is looked at. */
const tellMs = 60_000;
const pollMs = 250;

interface Opened {
  proxy: MeshProxy;
  /** By SPIFFE ID: one for each role of the agent. */
  sources: ReadonlyMap<string, EntrySource>;
}

export class Proxies {
  readonly #foundation: Foundation;
  readonly #identity: MachineIdentity;
  readonly #mesh: Mesh;
  readonly #registry: EntryRegistry;
  readonly #opened = new Map<string, Opened>();

  constructor(
    foundation: Foundation,
    identity: MachineIdentity,
    mesh: Mesh,
    registry: EntryRegistry,
  ) {
    this.#foundation = foundation;
    this.#identity = identity;
    this.#mesh = mesh;
    this.#registry = registry;
  }

  /**
   * Opens the proxy of an agent whose entries are there, and resolves to its URL, `unix:<path>`.
   * Agents reach the gateway's tools and health, the vault's secrets and the guard, nothing of the operator's.
   */
  async open(entry: RegistrationEntry): Promise<string> {
    const path = join(this.#foundation.state.run, `${entry.id}.sock`);
    const { evidence } = this.#foundation;
    const sources = new Map(
      spiffeIdsOf(entry).map((id) => [id, this.#identity.server.sourceFor(id)]),
    );
    const [gateway, vault, guard] = (['gateway', 'vault', 'guard'] as const).map((name) =>
      this.#mesh.destination(name),
    ) as [OutboundService, OutboundService, OutboundService];
    const proxy = createOutboundProxy({
      ...this.#mesh.outbound,
      listen: { path },
      attest: (socket) => callerOf(entry, socket, this.#registry),
      sourceFor: (spiffeId) => sourceIn(sources, spiffeId),
      routes: [
        {
          paths: ['/api/v1/tools/register'],
          service: gateway,
          bodyBytes: gatewayLimits.registrationBytes,
        },
        { paths: ['/api/v1/tools', '/health'], service: gateway },
        { paths: ['/api/v1/secrets'], service: vault },
        { paths: [...scanPaths], service: guard, bodyBytes: scanBodyBytes },
      ],
      onRefused: (refusal) =>
        recordRefusal(evidence.observed, { proxy: `${entry.tenant}/${entry.agent}` }, refusal),
    });
    this.#opened.set(entry.id, { proxy, sources });
    await Promise.all([...sources.values()].map((source) => source.ready()));
    await proxy.listen();
    return `unix:${path}`;
  }

  /**
   * Closes the proxy of an agent that is registered no more. While the agent's process lives, at most
   * a minute, the proxy stays to tell it why it is refused.
   */
  async close(entry: RegistrationEntry): Promise<void> {
    const opened = this.#opened.get(entry.id);
    if (opened === undefined) return;
    const until = Date.now() + tellMs;
    const endLater = async (): Promise<void> => {
      if (isRunning(entry) && Date.now() < until && this.#opened.has(entry.id)) {
        setTimeout(() => void endLater().catch(() => {}), pollMs).unref();
        return;
      }
      if (this.#opened.delete(entry.id)) await end(opened);
    };
    await endLater();
  }

  async closeAll(): Promise<void> {
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.all(opened.map(end));
  }
}

function isRunning({ process }: RegistrationEntry): boolean {
  return readProcess(process.pid)?.startTime === process.startTime;
}

/** Whoever still asks by the socket of an agent that was taken away is told just that. */
function callerOf(
  entry: RegistrationEntry,
  socket: Socket,
  registry: EntryRegistry,
): AttestedCaller {
  const orTakenAway = <T>(ask: () => T): T => {
    try {
      return ask();
    } catch (error) {
      if (registry.has(entry.id)) throw error;
      const { pid, uid } = (error as { data?: { pid?: number; uid?: number } }).data ?? {};
      const message = `the identity of ${entry.tenant}/${entry.agent} has been taken away`;
      throw new IdentityError('svid_denied', message, { cause: error, data: { pid, uid } });
    }
  };
  const caller = orTakenAway(() => attestedCaller(socket, entry.id, registry));
  return { ...caller, stillThere: () => orTakenAway(() => caller.stillThere()) };
}

async function end({ proxy, sources }: Opened): Promise<void> {
  await proxy.drain(graceMs);
  await Promise.all([...sources.values()].map((source) => source.close()));
}

function sourceIn(
  sources: ReadonlyMap<string, EntrySource>,
  spiffeId: string | undefined,
): EntrySource {
  const source = sources.get(spiffeId ?? '');
  if (source !== undefined) return source;
  throw new IdentityError('svid_missing', `this proxy has no identity ${spiffeId ?? ''}`);
}
