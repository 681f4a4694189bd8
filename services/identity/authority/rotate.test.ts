// The operator's command, as a process of its own beside an authority that is running.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { openPg } from '../../common/database/pg.ts';
import { startPostgres } from '../../common/database/testing/postgres.ts';
import { createAuthority } from './authority.ts';
import { keyEncryptionKey, trustDomain } from './testing.ts';

const run = (argument: string[], environment: Record<string, string>) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, 'rotate.ts'), ...argument], {
    env: { PATH: process.env.PATH, ...environment },
  }).then(
    ({ stdout }) => stdout,
    (error) => String(error.stderr),
  );

if (needs('postgres')) {
  test('a running authority takes over the keys that the command made', async () => {
    const server = startPostgres();
    const database = openPg({ url: server.url });
    const authority = await createAuthority({ trustDomain, database, keyEncryptionKey });
    const environment = {
      ...{ DATABASE_URL: server.url, TRUST_DOMAIN: trustDomain },
      ...{ WORKLOAD_SOCKET: 'unix:/run/a.sock', ADMIN_SOCKET: 'unix:/run/b.sock' },
      KEY_ENCRYPTION_KEY: keyEncryptionKey.toString('hex'),
    };
    const activeId = () => authority.state().keys.x509.find(({ isActive }) => isActive)!.id;
    const before = activeId();
    const activated = new Promise<void>((resolve) => {
      authority.onBundleChange(({ kind, change }) => {
        if (kind === 'x509' && change === 'activated') resolve();
      });
    });
    const said = await run(['x509'], environment);
    await activated;
    assert.is.not(activeId(), before);
    assert.is(said, `${trustDomain}: x509 key ${activeId()} signs\n`);
    assert.is(authority.x509Bundle().length, 2);

    const after = activeId();
    assert.match(await run(['all'], environment), 'x509 or jwt');
    const wrong = { ...environment, KEY_ENCRYPTION_KEY: '00'.repeat(32) };
    assert.match(await run(['x509'], wrong), 'key-encryption key');
    await authority.refresh();
    assert.is(activeId(), after);
    await authority.close();
    await database.close();
    server.remove();
  });
}

test.run();
