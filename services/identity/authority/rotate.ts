// Rotates the signing keys of a running identity server now: `rotate.ts x509|jwt`, with its environment.
import { readFile } from 'node:fs/promises';
import { PlatformError } from '../../../runtime/errors.ts';
import { openPg } from '../../common/database/pg.ts';
import { parseKey, readConfig } from '../config.ts';
import { createAuthority } from './authority.ts';

try {
  await rotate(process.argv[2]);
} catch (error) {
  if (!(error instanceof PlatformError)) throw error;
  process.stderr.write(`rotate: ${error.message} (${error.code})\n`);
  process.exitCode = 1;
}

/** A second authority over the server's database, which takes over what this one leaves there. */
async function rotate(kind: string | undefined): Promise<void> {
  if (kind !== 'x509' && kind !== 'jwt') {
    throw new PlatformError('configuration_invalid', 'say which keys: x509 or jwt');
  }
  const { databaseUrl, trustDomain, keyEncryptionKey: key, lives } = readConfig(process.env);
  const given = 'file' in key ? await readFile(key.file) : Buffer.from(key.value, 'latin1');
  const database = openPg({ url: databaseUrl });
  try {
    const keyEncryptionKey = parseKey(given);
    const authority = await createAuthority({ trustDomain, database, keyEncryptionKey, ...lives });
    await authority.rotateNow(kind);
    const { keys } = authority.state();
    const active = keys[kind].find(({ isActive }) => isActive);
    process.stdout.write(`${trustDomain}: ${kind} key ${active?.id} signs\n`);
    await authority.close();
  } finally {
    await database.close();
  }
}
