// Our clients against our identity server, over its real sockets and database: rotation, outages, denial, clocks.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../runtime/errors.ts';
import {
  machineAttestor,
  platformSelector,
  processSelector,
} from '../runtime/identity/attestor.ts';
import {
  type EntryClient,
  type EntryFilter,
  entryClient,
} from '../runtime/identity/entry-client.ts';
import { requireProcess } from '../runtime/identity/process.ts';
import { createEntryRegistry } from '../runtime/identity/registry.ts';
import { nodeSpiffeId, serviceSpiffeId } from '../runtime/identity/spiffe-id.ts';
import { verifyChain } from '../runtime/identity/workload/chain.ts';
import { followDenyList } from '../runtime/identity/workload/deny-list.ts';
import { verifyPeerSvid } from '../runtime/identity/workload/peer-svid.ts';
import { openWorkloadSource, type WorkloadSource } from '../runtime/identity/workload/source.ts';
import {
  clientTlsOptions,
  createTlsIdentity,
  serverTlsOptions,
  verifyTlsPeer,
} from '../runtime/identity/workload/tls.ts';
import { backdateSeconds } from '../runtime/identity/workload/x509.ts';
import { Scope } from '../runtime/modules/scope.ts';
import { moduleBytes } from '../runtime/modules/source.ts';
import { eventually } from '../runtime/testing/eventually.ts';
import { openPglite } from '../services/common/database/pglite.ts';
import type { Database } from '../services/common/database/port.ts';
import { createAuthority } from '../services/identity/authority/authority.ts';
import type { Authority } from '../services/identity/authority/port.ts';
import { createIdentityServer, type IdentityServer } from '../services/identity/server.ts';

const trustDomain = 'platform.local';
const gatewayId = serviceSpiffeId(trustDomain, 'gateway');
const vaultId = serviceSpiffeId(trustDomain, 'vault');
const parentId = nodeSpiffeId(trustDomain);
const scope = Scope.create(moduleBytes('scope'));
const folder = mkdtempSync(join(tmpdir(), 'wl-'));
const workloadSocket = join(folder, 'w.sock');
const adminSocket = join(folder, 'a.sock');
const keyEncryptionKey = randomBytes(32);
const closing: (() => Promise<unknown>)[] = [];
let database: Database;
let authority: Authority;
let server: IdentityServer;
let entries: EntryClient;

const registry = createEntryRegistry();

async function serve(): Promise<IdentityServer> {
  const services = ['gateway', 'vault'];
  const made = createIdentityServer({
    ...{ authority, database },
    workloads: machineAttestor({ registry, services, ownPid: process.pid }),
    allowAdmin: (_, peer) => peer.pid === process.pid,
  });
  await made.listen({ workloadSocket, adminSocket });
  return made;
}

const entryOf = (name: 'gateway' | 'vault') => ({
  ...{ spiffeId: serviceSpiffeId(trustDomain, name), parentId },
  selectors: [platformSelector('service', name)],
});

async function opened(onTrouble?: (trouble: unknown) => void): Promise<WorkloadSource> {
  const source = await openWorkloadSource({
    ...{ socketPath: workloadSocket, timeoutMs: 5000 },
    onTrouble,
  });
  closing.unshift(() => source.close());
  return source;
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    return codeOf(error);
  }
}

/** A workload in a process of its own, and the lines that it has printed. */
function workload(environment: Record<string, string> = {}) {
  const program = fileURLToPath(new URL('../runtime/testing/workload-program.ts', import.meta.url));
  const child = spawn(process.execPath, [program, workloadSocket], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  closing.unshift(async () => child.kill('SIGKILL'));
  return { pid: child.pid ?? -1, lines };
}

function registerAgent(pid: number, agent: string) {
  return registry.create({
    ...{ trustDomain, tenant: 'acme', agent, roles: [{ name: 'writer' }] },
    ...{ process: requireProcess(pid), launcher: { pid: 1, startTime: '0' } },
    uid: process.getuid?.() ?? 0,
  });
}

const serialOf = (source: WorkloadSource) =>
  Buffer.from(source.current().svids[0]?.certificates[0] ?? []).toString('hex');

const test = suite('workload identity');
test.before(async () => {
  database = await openPglite();
  authority = await createAuthority({
    ...{ trustDomain, database, keyEncryptionKey, pollMs: 0, publishAheadMs: 0 },
  });
  server = await serve();
  entries = entryClient(adminSocket);
});
test.before.each(async () => {
  const there = (await entries.list()).map(({ id }) => id);
  await entries.delete(there);
  // An identity that was taken away is issued again from the next second on: the server waits.
  const created = await entries.create([entryOf('gateway'), entryOf('vault')]);
  assert.equal(
    created.map(({ error }) => error),
    [undefined, undefined],
  );
});
test.after(async () => {
  for (const close of closing) await close();
  await entries.close();
  await server.close();
  await authority.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

test('entries are created, found, changed and deleted over the Entry API', async () => {
  const draft = {
    ...{ spiffeId: `spiffe://${trustDomain}/agent/acme/bot/main`, parentId },
    selectors: [platformSelector('tenant', 'acme'), platformSelector('agent', 'bot')],
    ...{ dnsNames: ['bot.tenant-acme.svc'], x509TtlSeconds: 600, hint: 'bot' },
  };
  const [made, wrong, again] = await entries.create([
    draft,
    { ...draft, spiffeId: `spiffe://${trustDomain}/a//b` },
    draft,
  ]);
  const { id = '' } = made?.entry ?? {};
  assert.equal(made?.entry, { ...draft, id, jwtTtlSeconds: 0, revision: made?.entry?.revision });
  assert.is(wrong?.error?.code, 'entry_invalid');
  assert.is(wrong?.entry, undefined);
  assert.is(again?.error?.code, 'entry_exists');
  assert.is(again?.entry?.id, id);
  assert.is(await entries.count(), 3);
  assert.equal(await entries.get(id), made?.entry);
  const filters: EntryFilter[] = [
    { spiffeId: draft.spiffeId },
    { hint: 'bot' },
    { parentId, selectors: { match: 'exact', of: draft.selectors } },
    { selectors: { match: 'superset', of: [platformSelector('tenant', 'acme')] } },
  ];
  for (const filter of filters) {
    assert.equal(
      (await entries.list(filter)).map((entry) => entry.id),
      [id],
    );
    assert.is(await entries.count(filter), 1);
  }
  const [changed] = await entries.update([{ id, hint: 'other' }]);
  assert.is(changed?.entry?.hint, 'other');
  assert.equal(changed?.entry?.dnsNames, draft.dnsNames);
  assert.is((await entries.update([{ id: 'nobody', hint: 'x' }]))[0]?.error?.code, 'entry_unknown');
  const gone = await entries.delete([id, 'nobody']);
  assert.equal(
    gone.map(({ error }) => error?.code),
    [undefined, 'entry_unknown'],
  );
  assert.is(await refusal(entries.get(id)), 'entry_unknown');
  assert.is(await refusal(entries.create([{ ...draft, spiffeId: 'bot' }])), 'entry_invalid');
});

test('a list of more than a page is read to its end', async () => {
  const many = Array.from({ length: 110 }, (_, index) => ({
    ...{ spiffeId: `spiffe://${trustDomain}/agent/acme/a${index}/main`, parentId },
    selectors: [platformSelector('agent', `a${index}`)],
  }));
  const created = await entries.create(many);
  assert.is(created.filter(({ error }) => error !== undefined).length, 0);
  const listed = await entries.list({ parentId });
  assert.is(listed.length, 112);
  assert.is(new Set(listed.map(({ id }) => id)).size, 112);
});

test('a workload has an SVID for each of its entries, and sees the CA change', async () => {
  const source = await opened();
  const ids = () => source.current().svids.map(({ spiffeId }) => spiffeId);
  await eventually(() => ids().length === 2);
  assert.equal(ids().sort(), [gatewayId, vaultId]);
  const before = serialOf(source);
  await authority.rotateNow('x509');
  await eventually(
    () =>
      serialOf(source) !== before &&
      (source.current().bundles.get(trustDomain)?.length ?? 0) === authority.x509Bundle().length,
  );
  for (const { certificates, notBefore, spiffeId } of source.current().svids) {
    const [leaf = new Uint8Array()] = certificates;
    verifyChain(certificates, source.current().bundles.get(trustDomain) ?? [], new Date());
    const rules = { scope, trustDomain, now: new Date(), denied: authority.denied };
    const found = verifyPeerSvid(leaf, rules);
    assert.is(found.spiffeId, spiffeId);
    assert.is(found.issuedAt, notBefore.getTime() / 1000 + backdateSeconds);
  }
});

test('JWT-SVIDs hold for their audience, and their keys are followed', async () => {
  const source = await opened();
  const { token, spiffeId } = await source.fetchJwt({ audience: 'vault', spiffeId: gatewayId });
  assert.is(spiffeId, gatewayId);
  const { spiffeId: validated, claims } = await source.validateJwt('vault', token);
  assert.is(validated, gatewayId);
  assert.equal(claims.aud, ['vault']);
  assert.is(await refusal(source.validateJwt('gateway', token)), 'svid_invalid');
  assert.is(await refusal(source.validateJwt('vault', `${token}a`)), 'svid_invalid');
  const foreign = { audience: 'vault', spiffeId: `spiffe://${trustDomain}/operator/local` };
  assert.is(await refusal(source.fetchJwt(foreign)), 'svid_missing');
  const keys = () =>
    source
      .jwtBundles()
      .get(trustDomain)
      ?.keys.map(({ kid }) => kid) ?? [];
  const before = keys();
  await authority.rotateNow('jwt');
  await eventually(() => keys().length > before.length);
  assert.is((await source.validateJwt('vault', token)).spiffeId, gatewayId);
});

test('an identity that is taken away is refused within a second, its key still at hand', async () => {
  const source = await opened();
  const list = await followDenyList({ socketPath: workloadSocket, trustDomain, timeoutMs: 5000 });
  closing.unshift(() => list.close());
  await eventually(() => source.current().svids.length === 2);
  const svid = source.current().svids.find(({ spiffeId }) => spiffeId === vaultId);
  const judge = () => {
    const rules = { scope, trustDomain, now: new Date(), denied: list };
    try {
      return verifyPeerSvid(svid?.certificates[0] ?? new Uint8Array(), rules).spiffeId;
    } catch (error) {
      return codeOf(error);
    }
  };
  assert.is(judge(), vaultId);
  const told = new Promise<void>((resolve) => list.onChange(resolve));
  const [entry] = await entries.list({ spiffeId: vaultId });
  // From before the server even hears of it.
  const from = performance.now();
  const deletion = entries.delete([entry?.id ?? '']);
  await told;
  assert.ok(performance.now() - from < 1000, 'within a second');
  await deletion;
  assert.is(judge(), 'svid_denied');
  await eventually(() => source.current().svids.length === 1);
  assert.is(source.current().svids[0]?.spiffeId, gatewayId);
  // Registered again, the next SVID is good, and the one before stays refused.
  await entries.create([entryOf('vault')]);
  await eventually(() => source.current().svids.length === 2);
  assert.is(judge(), 'svid_denied');
  const next = source.current().svids.find(({ spiffeId }) => spiffeId === vaultId);
  const rules = { scope, trustDomain, now: new Date(), denied: list };
  assert.is(verifyPeerSvid(next?.certificates[0] ?? new Uint8Array(), rules).spiffeId, vaultId);
});

test('without any entry there is no identity, and with one there is again', async () => {
  const troubles: string[] = [];
  const source = await opened((trouble) => troubles.push(codeOf(trouble)));
  await entries.delete((await entries.list()).map(({ id }) => id));
  await eventually(() => troubles.includes('svid_missing'));
  assert.throws(
    () => source.current(),
    (error: unknown) => codeOf(error) === 'svid_missing',
  );
  await entries.create([entryOf('gateway')]);
  await eventually(() => source.state().isConnected);
  assert.is(source.current().svids[0]?.spiffeId, gatewayId);
});

test('an hour without the identity server: what is there works until it expires', async () => {
  const troubles: string[] = [];
  let now = Date.now();
  const clock = () => new Date(now);
  const source = await opened((trouble) => troubles.push(codeOf(trouble)));
  const list = await followDenyList({
    ...{ socketPath: workloadSocket, trustDomain, clock, timeoutMs: 5000 },
  });
  closing.unshift(() => list.close());
  const identity = createTlsIdentity({ source, trustDomain, spiffeId: gatewayId, clock });
  const { notAfter } = identity.svid();
  await server.close();
  await eventually(() => !source.state().isConnected);
  now = notAfter.getTime() - 1000;
  assert.is(identity.svid().spiffeId, gatewayId);
  assert.ok(list.staleForMs() > 3_000_000);
  now = notAfter.getTime() + 1000;
  assert.throws(
    () => identity.secureContext(),
    (error: unknown) => codeOf(error) === 'svid_expired',
  );
  assert.equal(troubles, ['identity_unavailable']);
  assert.is(await refusal(source.fetchJwt({ audience: 'vault' })), 'identity_unavailable');
  assert.is(await refusal(entries.list()), 'identity_unavailable');
  now = Date.now();
  server = await serve();
  await eventually(() => source.state().isConnected && list.staleForMs() < 60_000);
  assert.is(identity.svid().spiffeId, gatewayId);
  assert.is(await entries.count(), 2);
});

test('an agent’s process gets the SVID of its own role, and nobody else any', async () => {
  const agent = workload({ PLATFORM_ROLE: 'writer' });
  const registered = registerAgent(agent.pid, 'bot');
  const self = processSelector(registered.process);
  const idOf = (role: string) => `spiffe://${trustDomain}/agent/acme/bot/${role}`;
  const made = await entries.create(
    ['main', 'writer'].map((role) => ({
      ...{ spiffeId: idOf(role), parentId },
      selectors: [self, platformSelector('process-role', role)],
    })),
  );
  await eventually(() => agent.lines.length > 0);
  assert.is(agent.lines[0], JSON.stringify([idOf('writer')]));
  // Neither of the agent's tree nor registered itself, whatever role it claims.
  const stranger = workload({ PLATFORM_ROLE: 'writer' });
  await eventually(() => stranger.lines.includes('"none: svid_missing"'));
  // Of another agent, which has no entry.
  const other = workload({ PLATFORM_ROLE: 'writer' });
  registerAgent(other.pid, 'other');
  await eventually(() => other.lines.includes('"none: svid_missing"'));
  await entries.delete([made[1]?.entry?.id ?? '']);
  await eventually(() => agent.lines.includes('"svid_missing"'));
});

test('mutual TLS between two services, and none with another trust domain', async () => {
  const source = await opened();
  await eventually(() => source.current().svids.length === 2);
  const rules = { scope, trustDomain, denied: authority.denied, clock: () => new Date() };
  const vault = createTlsIdentity({ source, trustDomain, spiffeId: vaultId });
  const gateway = createTlsIdentity({ source, trustDomain, spiffeId: gatewayId });
  const listener = createServer(
    serverTlsOptions(() => vault),
    (socket) => {
      socket.on('error', () => {});
      socket.end(verifyTlsPeer(socket, rules).spiffeId);
    },
  );
  listener.on('tlsClientError', () => {});
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  closing.unshift(async () => listener.close());
  const { port } = listener.address() as AddressInfo;
  const ask = async (identity: typeof gateway) => {
    const to = { expectedSpiffeId: vaultId, servername: 'vault.platform-system' };
    const socket = connect({ host: '127.0.0.1', port, ...clientTlsOptions(identity, rules, to) });
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('error', (error) => {
      said = `failed: ${error.message}`;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    return said;
  };
  assert.is(await ask(gateway), gatewayId);

  const otherDatabase = await openPglite();
  const other = await createAuthority({
    ...{ trustDomain: 'other.local', database: otherDatabase, keyEncryptionKey, pollMs: 0 },
  });
  closing.unshift(async () => {
    await other.close();
    await otherDatabase.close();
  });
  const foreign = await other.issueX509({ spiffeId: 'spiffe://other.local/service/gateway' });
  const [leaf = new Uint8Array()] = foreign.certificates;
  const judged = { scope, trustDomain, now: new Date(), denied: authority.denied };
  assert.throws(
    () => verifyPeerSvid(leaf, judged),
    (error: unknown) => codeOf(error) === 'svid_foreign',
  );
  const bundle = source.current().bundles.get(trustDomain) ?? [];
  assert.throws(
    () => verifyChain(foreign.certificates, bundle, new Date()),
    (error: unknown) => codeOf(error) === 'svid_invalid',
  );
  const context = { svids: [foreign], bundles: new Map([[trustDomain, bundle]]) };
  const intruder = createTlsIdentity({
    trustDomain,
    source: {
      current: () => context,
      onChange: () => () => {},
      state: () => ({ isConnected: true, updatedAt: new Date() }),
      close: async () => {},
    },
  });
  assert.is.not(await ask(intruder), 'spiffe://other.local/service/gateway');
});

test('clocks five minutes apart, either way, and an SVID of five minutes that has run out', async () => {
  const minuteMs = 60_000;
  const issued = await authority.issueX509({ spiffeId: gatewayId, ttlSeconds: 300 });
  const [leaf = new Uint8Array()] = issued.certificates;
  const judge = (offsetMs: number, skewMs?: number) => {
    const now = new Date(Date.now() + offsetMs);
    try {
      return verifyPeerSvid(leaf, { scope, trustDomain, now, skewMs, denied: authority.denied })
        .spiffeId;
    } catch (error) {
      return codeOf(error);
    }
  };
  // Behind: the issuer has backdated it. Ahead: this one is just at its end.
  assert.is(judge(-5 * minuteMs + 2000), gatewayId);
  assert.is(judge(5 * minuteMs - 2000), gatewayId);
  assert.is(judge(5 * minuteMs + 2000), 'svid_expired');
  assert.is(judge(5 * minuteMs + 2000, 5 * minuteMs), gatewayId);
  assert.is(judge(-6 * minuteMs), 'svid_expired');
  const hour = await authority.issueX509({ spiffeId: gatewayId });
  const rules = { scope, trustDomain, denied: authority.denied };
  for (const offset of [-5 * minuteMs + 2000, 5 * minuteMs, 30 * minuteMs]) {
    const now = new Date(Date.now() + offset);
    const der = hour.certificates[0] ?? new Uint8Array();
    assert.is(verifyPeerSvid(der, { ...rules, now }).spiffeId, gatewayId);
  }
});

test.run();
