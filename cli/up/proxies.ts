// The proxies of the agents that run: one Unix socket an agent, in the run folder.
import { join } from 'node:path';
import { IdentityError } from '../../runtime/errors.ts';
import { attestedCaller } from '../../runtime/identity/attested-caller.ts';
import type { RegistrationEntry } from '../../runtime/identity/entry.ts';
import { type EntryRegistry, spiffeIdsOf } from '../../runtime/identity/registry.ts';
import { defaultLimits as gatewayLimits } from '../../services/gateway/gateway.ts';
import type { EntrySource } from '../../services/identity/source.ts';
import type { MeshProxy } from '../../services/proxy/inbound.ts';
import { createOutboundProxy } from '../../services/proxy/outbound.ts';
import type { Foundation } from './foundation.ts';
import type { MachineIdentity } from './identity.ts';
import type { Mesh } from './mesh.ts';
import { recordRefusal } from './refusals.ts';

const graceMs = 1000;

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
   * Agents reach the gateway's tools, the gateway's health and the vault's secrets, nothing of the operator's.
   */
  async open(entry: RegistrationEntry): Promise<string> {
    const path = join(this.#foundation.state.run, `${entry.id}.sock`);
    const { evidence } = this.#foundation;
    const sources = new Map(
      spiffeIdsOf(entry).map((id) => [id, this.#identity.server.sourceFor(id)]),
    );
    const [gateway, vault] = [this.#mesh.destination('gateway'), this.#mesh.destination('vault')];
    const proxy = createOutboundProxy({
      ...this.#mesh.outbound,
      listen: { path },
      attest: (socket) => attestedCaller(socket, entry.id, this.#registry),
      sourceFor: (spiffeId) => sourceIn(sources, spiffeId),
      routes: [
        {
          paths: ['/api/v1/tools/register'],
          service: gateway,
          bodyBytes: gatewayLimits.registrationBytes,
        },
        { paths: ['/api/v1/tools', '/health'], service: gateway },
        { paths: ['/api/v1/secrets'], service: vault },
      ],
      onRefused: (refusal) =>
        recordRefusal(evidence.observed, { proxy: `${entry.tenant}/${entry.agent}` }, refusal),
    });
    this.#opened.set(entry.id, { proxy, sources });
    await Promise.all([...sources.values()].map((source) => source.ready()));
    await proxy.listen();
    return `unix:${path}`;
  }

  async close(entry: RegistrationEntry): Promise<void> {
    const opened = this.#opened.get(entry.id);
    this.#opened.delete(entry.id);
    if (opened !== undefined) await end(opened);
  }

  async closeAll(): Promise<void> {
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.all(opened.map(end));
  }
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
