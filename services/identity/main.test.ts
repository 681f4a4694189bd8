// The identity server as a process of its own: what it says of a bad environment, how it serves and stops.
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, type PlatformError } from '../../runtime/errors.ts';
import { entryClient } from '../../runtime/identity/entry-client.ts';
import { SpiffeWorkloadAPI } from '../../runtime/identity/proto/spiffe/workload/workload_pb.js';
import { needs } from '../../runtime/testing/needs.ts';
import { startPostgres } from '../common/database/testing/postgres.ts';
import { startService } from '../common/testing-process.ts';
import { parseKey, readConfig } from './config.ts';
import { grpcTo, securityHeader } from './testing/identity.ts';

const test = suite('identity process');

const run = (environment: Record<string, string>) =>
  startService(join(import.meta.dirname, 'main.ts'), environment);

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

test('how long documents live is the operator’s within bounds, and all mistakes are told at once', () => {
  const environment = {
    ...{ DATABASE_URL: 'postgres://x@localhost/y', KEY_ENCRYPTION_KEY: 'k' },
    ...{ WORKLOAD_SOCKET: 'unix:/run/w.sock', ADMIN_SOCKET: 'unix:/run/a.sock' },
  };
  const livesOf = (more: Record<string, string>) => readConfig({ ...environment, ...more }).lives;
  assert.equal(livesOf({}), {});
  for (const text of ['300', '300s', '5m']) {
    assert.equal(livesOf({ SVID_TTL: text }), { svidTtlMs: 300_000 });
  }
  assert.equal(livesOf({ SVID_TTL: '24h', JWT_SVID_TTL: '1m', CA_TTL: '48h' }), {
    ...{ svidTtlMs: 86_400_000, jwtTtlMs: 60_000, caTtlMs: 172_800_000 },
  });
  const problemsOf = (more: Record<string, string>): unknown => {
    try {
      return livesOf(more);
    } catch (error) {
      return (error as PlatformError).data.problems;
    }
  };
  for (const bad of [
    '299',
    '4m',
    '25h',
    '86401s',
    '-5m',
    '5 m',
    '5M',
    '5.5m',
    '1d',
    '0x12c',
    'no',
  ]) {
    assert.equal(problemsOf({ SVID_TTL: bad }), [
      'SVID_TTL is not a duration from 300 s to 86400 s, such as 300s, 5m or 1h',
    ]);
  }
  assert.is((problemsOf({ SVID_TTL: '1s', JWT_SVID_TTL: '1s', CA_TTL: '1s' }) as []).length, 3);
  assert.equal(problemsOf({ SVID_TTL: '3h', CA_TTL: '2h' }), [
    'CA_TTL is shorter than SVID_TTL or JWT_SVID_TTL',
  ]);
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
      SVID_TTL: '5m',
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
    for await (const { svids } of workload.fetchX509SVID({})) {
      const der = Buffer.from(svids[0]?.x509Svid ?? []);
      const { validFromDate, validToDate } = new X509Certificate(der);
      // Five minutes, and the five by which the beginning lies back.
      assert.is(validToDate.getTime() - validFromDate.getTime(), 600_000);
      break;
    }
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
