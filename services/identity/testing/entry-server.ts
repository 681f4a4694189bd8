// Our identity server as a server of the Entry API that can fail and come back, for tests beside SPIRE's.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineAttestor } from '../../../runtime/identity/attestor.ts';
import { createEntryRegistry } from '../../../runtime/identity/registry.ts';
import { openPglite } from '../../common/database/pglite.ts';
import { createAuthority } from '../authority/authority.ts';
import { createIdentityServer, type IdentityServer } from '../server.ts';

/** A server of the Entry API in a temporary folder. */
export interface TestEntryServer {
  /** Who may connect here may administer the entries. */
  adminSocket: string;
  stop(): Promise<void>;
  /** Starts it again over what it has written. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts our identity server over an embedded database. */
export async function startEntryServer(trustDomain: string): Promise<TestEntryServer> {
  const folder = mkdtempSync(join(tmpdir(), 'es-'));
  const sockets = { workloadSocket: join(folder, 'w.sock'), adminSocket: join(folder, 'a.sock') };
  const database = await openPglite();
  const authority = await createAuthority({
    ...{ trustDomain, database, keyEncryptionKey: randomBytes(32), pollMs: 0, publishAheadMs: 0 },
  });
  const registry = createEntryRegistry();
  let server: IdentityServer | undefined;
  const entryServer: TestEntryServer = {
    adminSocket: sockets.adminSocket,
    async start() {
      server = createIdentityServer({
        ...{ authority, database },
        workloads: machineAttestor({ registry, services: [], ownPid: process.pid }),
        allowAdmin: (_, peer) => peer.pid === process.pid,
      });
      await server.listen(sockets);
    },
    async stop() {
      await server?.close();
      server = undefined;
    },
    async remove() {
      await entryServer.stop();
      await authority.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await entryServer.start();
  return entryServer;
}
