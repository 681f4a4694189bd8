// The Workload API client over real gRPC: rotation, outages, lost identities and hostile answers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, type PlatformError } from '../../errors.ts';
import { type TestCa, testCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeWorkloadApi, type WorkloadAnswers } from '../../testing/workload-api.ts';
import { openWorkloadSource, type WorkloadSource } from './source.ts';
import type { X509Svid } from './x509.ts';

const agentId = 'spiffe://platform.local/agent/acme/bot/main';
const folder = mkdtempSync(join(tmpdir(), 'src-'));
const jwtBundles = { 'spiffe://platform.local': '{"keys":[{"kty":"EC","kid":"a"},{"kty":"EC"}]}' };
const sources: WorkloadSource[] = [];
const servers: FakeWorkloadApi[] = [];
let ca: TestCa;
let svid: X509Svid;

async function serve(change: Partial<WorkloadAnswers> = {}): Promise<FakeWorkloadApi> {
  const path = join(folder, `${servers.length}.sock`);
  const x509 = { svids: [svid], bundle: ca.certificate };
  const server = new FakeWorkloadApi(path, { x509, jwtBundles, denyList: '', ...change });
  servers.push(server);
  await server.start();
  return server;
}

async function open(
  server: FakeWorkloadApi,
  onTrouble?: (trouble: PlatformError) => void,
): Promise<WorkloadSource> {
  const { socketPath } = server;
  const source = await openWorkloadSource({ socketPath, onTrouble, timeoutMs: 5000 });
  sources.push(source);
  return source;
}

/** The code that opening ends with, against a server that never gives a usable answer. */
async function refusal(server: FakeWorkloadApi): Promise<string> {
  const { socketPath } = server;
  try {
    await (await openWorkloadSource({ socketPath, timeoutMs: 300 })).close();
    return 'opened';
  } catch (error) {
    return codeOf(error);
  }
}

const test = suite('source');
test.before(async () => {
  ca = await testCa();
  svid = await ca.issue(agentId);
});
test.after(async () => {
  for (const source of sources) await source.close();
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true });
});

test('gives the identity, its bundle and the JWT keys that have a name', async () => {
  const source = await open(await serve());
  const { svids, bundles } = source.current();
  assert.equal(svids[0]?.spiffeId, agentId);
  assert.equal(svids[0]?.certificates, svid.certificates);
  assert.equal(svids[0]?.privateKey, svid.privateKey);
  assert.equal(svids[0]?.notAfter, svid.notAfter);
  assert.equal([...bundles], [['platform.local', [ca.certificate]]]);
  assert.equal(source.jwtBundles().get('platform.local')?.keys, [{ kty: 'EC', kid: 'a' }]);
  assert.ok(source.state().isConnected);
});

test('passes a rotation on to whoever listens', async () => {
  const server = await serve();
  const source = await open(server);
  const seen: unknown[] = [];
  const stop = source.onChange((context) => seen.push(context));
  const next = await ca.issue(agentId);
  server.send({ x509: { svids: [next], bundle: ca.certificate } });
  await eventually(() => seen.length === 1);
  assert.ok(source.current() === seen[0]);
  assert.equal(source.current().svids[0]?.certificates, next.certificates);
  stop();
  server.send({});
  await eventually(() => source.current() !== seen[0]);
  assert.is(seen.length, 1);
});

test('goes on with what it has while the server is away, says so once, and comes back', async () => {
  const server = await serve();
  const troubles: string[] = [];
  const source = await open(server, ({ code }) => troubles.push(code));
  const before = source.current();
  await server.stop();
  await eventually(() => troubles.length === 1);
  assert.not(source.state().isConnected);
  assert.ok(source.current() === before);
  const next = await ca.issue(agentId);
  server.answers = { ...server.answers, x509: { svids: [next], bundle: ca.certificate } };
  // Long enough for several attempts in vain.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await server.start();
  await eventually(() => source.state().isConnected);
  assert.equal(source.current().svids[0]?.certificates, next.certificates);
  assert.equal(troubles, ['identity_unavailable']);
  await server.stop();
  await eventually(() => troubles.length === 2);
});

test('has no identity once the server says so, and has one again when there is one', async () => {
  const server = await serve();
  const troubles: string[] = [];
  const source = await open(server, ({ code }) => troubles.push(code));
  const x509 = server.answers.x509;
  server.send({ x509: new ConnectError('no identity issued', Code.PermissionDenied) });
  await eventually(() => troubles.length === 1);
  assert.equal(troubles, ['svid_missing']);
  assert.throws(
    () => source.current(),
    (error: unknown) => codeOf(error) === 'svid_missing',
  );
  server.send({ x509 });
  await eventually(() => source.state().isConnected);
  assert.is(source.current().svids[0]?.spiffeId, agentId);
});

test('a server that is away or knows no identity says so at the start', async () => {
  const away = new FakeWorkloadApi(join(folder, 'none.sock'), {
    ...{ x509: { svids: [], bundle: new Uint8Array() }, jwtBundles: {}, denyList: '' },
  });
  assert.is(await refusal(away), 'identity_unavailable');
  const denied = new ConnectError('no identity issued', Code.PermissionDenied);
  assert.is(await refusal(await serve({ x509: denied })), 'svid_missing');
});

test('refuses answers that cannot be true, and keeps the last good one', async () => {
  const other = await testCa();
  const foreign = await other.issue(agentId);
  const role = 'spiffe://platform.local/agent/acme/bot/other';
  const [leaf = new Uint8Array()] = svid.certificates;
  const hostile: [string, X509Svid[], Uint8Array][] = [
    ['no SVID', [], ca.certificate],
    ['a chain of another CA', [foreign], ca.certificate],
    ['no bundle', [svid], new Uint8Array()],
    ['a bundle of something else', [svid], Buffer.from('bundle')],
    ['another name', [{ ...svid, spiffeId: role }], ca.certificate],
    ['another key', [{ ...svid, privateKey: foreign.privateKey }], ca.certificate],
    ['no key', [{ ...svid, privateKey: new Uint8Array() }], ca.certificate],
    ['no certificate', [{ ...svid, certificates: [] }], ca.certificate],
    ['half a certificate', [{ ...svid, certificates: [leaf.slice(0, 99)] }], ca.certificate],
    ['a CA', [{ ...svid, certificates: [ca.certificate] }], ca.certificate],
  ];
  const server = await serve();
  const troubles: string[] = [];
  const source = await open(server, ({ code }) => troubles.push(code));
  for (const [what, svids, bundle] of hostile) {
    troubles.length = 0;
    const before = source.current();
    server.send({ x509: { svids, bundle } });
    await eventually(() => troubles.length > 0);
    assert.equal(troubles, ['svid_invalid'], what);
    assert.ok(source.current() === before, what);
    server.send({ x509: { svids: [svid], bundle: ca.certificate } });
    await eventually(() => source.state().isConnected);
  }
});

test('a bundle of a CA that is to come next is taken with the present one', async () => {
  const next = await testCa();
  const bundle = Buffer.concat([ca.certificate, next.certificate]);
  const source = await open(await serve({ x509: { svids: [svid], bundle } }));
  assert.is(source.current().bundles.get('platform.local')?.length, 2);
});

test.run();
