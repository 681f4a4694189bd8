// The identity server's process: read the configuration, create, listen, stop on a signal.
import { readFile } from 'node:fs/promises';
import { codeOf } from '../../runtime/errors.ts';
import { isMarked } from '../../runtime/identity/mark.ts';
import { openPg } from '../common/database/pg.ts';
import { createHttpServer } from '../common/http/port.ts';
import { type Lifecycle, runService } from '../common/lifecycle.ts';
import { type AuthorityEvent, createAuthority } from './authority/authority.ts';
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
  const { trustDomain, workloadSocket, adminSocket, lives, oidc } = config;
  const authority = await createAuthority({
    ...{ trustDomain, database, keyEncryptionKey, ...lives },
    onEvent: logAuthority,
  });
  lifecycle.onStop(() => authority.close());
  // Before anything can be issued, so that every token names the issuer.
  const published = oidc === undefined ? [] : authority.oidcRoutes({ issuer: oidc.issuer });
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
    const { host, port } = oidc;
    const http = createHttpServer({ routes: published });
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

/** Signing keys and denials, in the same form; of an error its code and message. */
function logAuthority({ type: kind, ...facts }: AuthorityEvent): void {
  const { error, ...rest } = facts as { error?: unknown };
  const reason = error instanceof Error ? { code: codeOf(error), reason: error.message } : {};
  const line = { time: new Date().toISOString(), kind, ...rest, ...reason };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
