// The identity server as a process of its own: what it says of a bad environment, how it serves and stops.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import { entryClient } from '../../runtime/identity/entry-client.ts';
import { SpiffeWorkloadAPI } from '../../runtime/identity/proto/spiffe/workload/workload_pb.js';
import { needs } from '../../runtime/testing/needs.ts';
import { startPostgres } from '../common/database/testing/postgres.ts';
import { parseKey } from './config.ts';
import { grpcTo, securityHeader } from './testing/identity.ts';

const test = suite('identity process');

function run(environment: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { text: '' };
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output.text += chunk;
        if (output.text.includes('listening on')) resolve();
      });
    }
    exited.then(() => reject(new Error(output.text))).catch(() => {});
  });
  ready.catch(() => {});
  return { child, output, exited, ready };
}

test('a bad environment is told whole, and nothing starts', async () => {
  const { exited, output } = run({ WORKLOAD_SOCKET: 'tmp', OIDC_LISTEN_ADDRESS: 'nowhere' });
  assert.is(await exited, 1);
  for (const part of [
    'DATABASE_URL',
    'WORKLOAD_SOCKET',
    'ADMIN_SOCKET',
    'KEY_ENC',
    'OIDC_ISSUER',
  ]) {
    assert.match(output.text, part);
  }
});

test('a key-encryption key is 32 bytes in one of three forms, and is never repeated', () => {
  const key = Buffer.alloc(32, 0x41);
  for (const form of [
    key,
    key.toString('hex'),
    key.toString('base64'),
    `${key.toString('hex')}\n`,
  ]) {
    assert.equal(Buffer.from(parseKey(Buffer.from(form))), key);
  }
  for (const bad of [
    '',
    'secret-secret',
    key.toString('hex').slice(1),
    `${key.toString('hex')}0`,
  ]) {
    try {
      parseKey(Buffer.from(bad));
      assert.unreachable();
    } catch (error) {
      assert.is(codeOf(error), 'configuration_invalid');
      assert.not((error as Error).message.includes('secret'));
    }
  }
});

if (needs('postgres')) {
  test('keeps keys and entries over a restart, and gives SVIDs by user', async () => {
    const postgres = startPostgres();
    const folder = mkdtempSync(join(tmpdir(), 'idp-'));
    const file = join(folder, 'key');
    writeFileSync(file, randomBytes(32), { mode: 0o600 });
    const [workloadSocket, adminSocket] = [join(folder, 'w.sock'), join(folder, 'a.sock')];
    const environment = {
      ...{ DATABASE_URL: postgres.url, KEY_ENCRYPTION_KEY_FILE: file, TRUST_DOMAIN: 'example.org' },
      ...{ WORKLOAD_SOCKET: `unix:${workloadSocket}`, ADMIN_SOCKET: `unix:${adminSocket}` },
    };
    const workload = createClient(SpiffeWorkloadAPI, grpcTo(workloadSocket, [securityHeader]));
    const first = run(environment);
    await first.ready;
    const entries = entryClient(adminSocket);
    const [created] = await entries.create([
      {
        spiffeId: 'spiffe://example.org/service/by-user',
        parentId: 'spiffe://example.org/node/local',
        selectors: [{ type: 'unix', value: `uid:${process.getuid?.() ?? 0}` }],
      },
    ]);
    assert.is(created?.error, undefined);
    const before = await workload.fetchJWTSVID({ audience: ['a'] });
    entries.close();
    first.child.kill('SIGTERM');
    assert.is(await first.exited, 0, first.output.text);

    const second = run({ ...environment });
    await second.ready;
    const svid = before.svids[0]?.svid ?? '';
    const { spiffeId } = await workload.validateJWTSVID({ audience: 'a', svid });
    assert.is(spiffeId, 'spiffe://example.org/service/by-user');
    second.child.kill('SIGTERM');
    assert.is(await second.exited, 0);
    postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  });
}

test.run();
