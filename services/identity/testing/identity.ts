// A real identity server in a temporary folder, with what a test needs to be its client.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type Interceptor,
} from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { machineAttestor } from '../../../runtime/identity/attestor.ts';
import { requireProcess } from '../../../runtime/identity/process.ts';
import { SpiffeWorkloadAPI } from '../../../runtime/identity/proto/spiffe/workload/workload_pb.js';
import { Entry } from '../../../runtime/identity/proto/spire/api/server/entry/v1/entry_pb.js';
import { createEntryRegistry } from '../../../runtime/identity/registry.ts';
import type { Database } from '../../common/database/port.ts';
import type { IdentityEvent } from '../events.ts';
import type { GrpcLimits } from '../grpc/limits.ts';
import type { Issuer } from '../issuer.ts';
import { createIdentityServer, type IdentityServer } from '../server.ts';

export const trustDomain = 'example.org';
const node = { trustDomain, path: '/node/local' };

export interface TestIdentity {
  server: IdentityServer;
  folder: string;
  workloadSocket: string;
  adminSocket: string;
  events: IdentityEvent[];
  registry: ReturnType<typeof createEntryRegistry>;
  entries: Client<typeof Entry>;
  workload: Client<typeof SpiffeWorkloadAPI>;
  /** Creates one entry below the node; resolves to its id. */
  enter(path: string, selectors: readonly string[], more?: object): Promise<string>;
  /** Makes a process an agent's root; returns its `process` selector. */
  register(pid: number, agent: string): string;
  close(): Promise<void>;
}

export interface TestIdentityOptions {
  authority: Issuer;
  database: Database;
  clock?: () => Date;
  limits?: Partial<GrpcLimits>;
}

/** Starts a server whose own process hosts the services `gateway` and `vault`. */
export async function startIdentity(options: TestIdentityOptions): Promise<TestIdentity> {
  const folder = mkdtempSync(join(tmpdir(), 'id-'));
  const [workloadSocket, adminSocket] = [join(folder, 'w.sock'), join(folder, 'a.sock')];
  const registry = createEntryRegistry();
  const events: IdentityEvent[] = [];
  const server = createIdentityServer({
    ...options,
    workloads: machineAttestor({ registry, services: ['gateway', 'vault'], ownPid: process.pid }),
    allowAdmin: (_, peer) => peer.pid === process.pid,
    onEvent: (event) => void events.push(event),
  });
  await server.listen({ workloadSocket, adminSocket });
  const entries = createClient(Entry, grpcTo(adminSocket));
  return {
    ...{ server, folder, workloadSocket, adminSocket, events, registry, entries },
    workload: createClient(SpiffeWorkloadAPI, grpcTo(workloadSocket, [securityHeader])),
    async enter(path, selectors, more = {}) {
      const { results } = await entries.batchCreateEntry({
        entries: [
          {
            ...{ spiffeId: { trustDomain, path }, parentId: node },
            selectors: selectors.map((value) => ({ type: 'platform', value })),
            ...more,
          },
        ],
      });
      const [result] = results;
      if (result?.status?.code !== 0) throw new Error(result?.status?.message);
      return result.entry?.id ?? '';
    },
    register(pid, agent) {
      const { startTime } = requireProcess(pid);
      const self = requireProcess(process.pid);
      registry.create({
        ...{ trustDomain, tenant: 'acme', agent, roles: [], process: { pid, startTime } },
        launcher: { pid: self.pid, startTime: self.startTime },
        uid: process.getuid?.() ?? 0,
      });
      return `process:${pid}@${startTime}`;
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A transport over a Unix socket. */
export function grpcTo(path: string, interceptors: Interceptor[] = []) {
  return createGrpcTransport({
    baseUrl: 'http://identity',
    interceptors,
    nodeOptions: { path },
  });
}

/** What every call of the Workload API carries. */
export const securityHeader: Interceptor = (next) => (request) => {
  request.header.set('workload.spiffe.io', 'true');
  return next(request);
};

/** How a call failed, as `Code: message`. */
export async function failure(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'no failure';
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return `${Code[code]}: ${rawMessage}`;
  }
}
