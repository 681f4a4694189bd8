// The identity server's process: read the configuration, create, listen, stop on a signal.
import { readFile } from 'node:fs/promises';
import { isMarked } from '../../runtime/identity/mark.ts';
import { openPg } from '../common/database/pg.ts';
import { createHttpServer } from '../common/http/port.ts';
import { type Lifecycle, runService } from '../common/lifecycle.ts';
import { createAuthority } from './authority/authority.ts';
import { type IdentityEnvironment, parseKey, readConfig } from './config.ts';
import type { IdentityEvent } from './events.ts';
import { createIdentityServer } from './server.ts';
import { unixAttestor } from './unix-attestor.ts';

const graceMs = 2000;

await runService('identity', start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const config = readConfig(process.env);
  const keyEncryptionKey = await keyOf(config);
  delete process.env.KEY_ENCRYPTION_KEY;
  const database = openPg({ url: config.databaseUrl });
  lifecycle.onStop(() => database.close());
  const { trustDomain, workloadSocket, adminSocket, oidc } = config;
  const authority = await createAuthority({ trustDomain, database, keyEncryptionKey });
  lifecycle.onStop(() => authority.close());
  const ownUid = process.getuid?.() ?? 0;
  const server = createIdentityServer({
    ...{ authority, database },
    workloads: unixAttestor(),
    allowAdmin: (_, { uid, pid }) => (uid === ownUid || uid === 0) && !isMarked(pid),
    onEvent: log,
  });
  lifecycle.onStop(() => server.close(graceMs));
  await server.listen({ workloadSocket, adminSocket });
  if (oidc !== undefined) {
    const { issuer, host, port } = oidc;
    const http = createHttpServer({ routes: authority.oidcRoutes({ issuer }) });
    await http.listen({ host, port });
    lifecycle.onStop(() => http.close(graceMs));
  }
  process.stdout.write(`identity: listening on unix:${workloadSocket}\n`);
}

async function keyOf({ keyEncryptionKey }: IdentityEnvironment): Promise<Uint8Array> {
  if ('file' in keyEncryptionKey) return parseKey(await readFile(keyEncryptionKey.file));
  return parseKey(Buffer.from(keyEncryptionKey.value, 'latin1'));
}

/** One JSON object a line on standard error. */
function log(event: IdentityEvent): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
}
