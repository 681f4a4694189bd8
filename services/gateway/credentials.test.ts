// Credentials of the operator: read only where they are meant to be, and never quoted.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlatformError } from '../../runtime/errors.ts';
import { operatorCredentials } from './credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
const file = join(folder, 'credentials.json');
test.after(() => rmSync(folder, { recursive: true }));

const write = (content: string) => {
  writeFileSync(file, content);
  chmodSync(file, 0o600);
};
const identity = {
  spiffe_id: 'spiffe://platform.local/agent/acme/bot/main',
  ...{ trust_domain: 'platform.local', tenant: 'acme', agent: 'bot', role: 'main' },
};
const context = { requestId: 'r', time: '2026-11-21T07:00:00.000Z', salt: new Uint8Array(32) };
const caller = { identity, context };
const read = (name: string, origin = 'https://api.example', environment = {}) =>
  operatorCredentials(file, environment)
    .read(name, origin, caller)
    .catch((error: PlatformError) => `${error.code}: ${error.message}`);

test('reads values from the file, from the environment, and for their origins only', async () => {
  const bound = { value: 'bound-value', origins: ['https://api.example'] };
  write(JSON.stringify({ plain: 'plain-value', bound }));
  assert.is(await read('plain'), 'plain-value');
  assert.is(await read('bound'), 'bound-value');
  assert.match(await read('bound', 'https://evil.example'), /^credential_unusable/);
  assert.match(await read('toString'), /^credential_missing/);
  const environment = { PLATFORM_CREDENTIAL_MAIL_KEY: 'from-env' };
  assert.is(await read('mail-key', '', environment), 'from-env');
});

test('refuses what others can read and what fits no header, and quotes nothing', async () => {
  write('{"plain": "hunter2-secret", nonsense');
  assert.not.match(await read('plain'), /hunter2/);
  write(JSON.stringify({ split: 'hunter2\r\nx-evil: 1' }));
  const split = await read('split');
  assert.match(split, /^credential_unusable/);
  assert.not.match(split, /hunter2/);
  write('{"plain": "v"}');
  chmodSync(file, 0o644);
  assert.match(await read('plain'), /others can read/);
});

test.run();
