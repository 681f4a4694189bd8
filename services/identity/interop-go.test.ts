// go-spiffe against the identity server: what it fetches, watches and validates, and mutual TLS between two of it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../runtime/testing/needs.ts';
import { OrderProcess } from './testing/order-process.ts';
import { startWithAuthority, type TestPlatform } from './testing/platform.ts';

const sources = fileURLToPath(new URL('../../runtime/testing/go-workload', import.meta.url));

const test = suite('go-spiffe');
let folder = '';
let program = '';
let platform: TestPlatform;
const workloads: OrderProcess[] = [];

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'go-'));
  program = join(folder, 'workload');
  execFileSync('go', ['build', '-o', program, '.'], { cwd: sources });
  platform = await startWithAuthority();
});

test.after(async () => {
  for (const workload of workloads) await workload.end();
  await platform.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A running agent with an entry of its own. */
async function start(
  agent: string,
): Promise<{ workload: OrderProcess; id: string; entry: string }> {
  const workload = new OrderProcess(program);
  workloads.push(workload);
  const selector = platform.register(workload.pid, agent);
  const path = `/agent/acme/${agent}/main`;
  const dnsNames = [`${agent}.tenant-acme.svc`];
  const entry = await platform.enter(path, [selector], { dnsNames, hint: agent });
  await workload.get({ do: 'open', socket: platform.workloadSocket });
  return { workload, entry, id: `spiffe://example.org${path}` };
}

test('it fetches X.509-SVIDs and bundles', async () => {
  const { workload, id } = await start('fetcher');
  const { svids = [] } = await workload.get({ do: 'x509' });
  assert.equal(
    svids.map((each) => [each.id, each.hint, each.dns, each.roots]),
    [[id, 'fetcher', ['fetcher.tenant-acme.svc'], 1]],
  );
  assert.is((await workload.get({ do: 'bundles' })).text, '1 1');
});

test('a watch sees a new SVID after a rotation, and the end of its identity at once', async () => {
  const { workload, entry } = await start('watcher');
  await workload.get({ do: 'watch' });
  const first = (await workload.get({ do: 'update' })).svids?.[0];
  await platform.authority.rotateNow('x509');
  let next = first;
  while (next?.serial === first?.serial || next?.roots !== 2) {
    next = (await workload.get({ do: 'update' })).svids?.[0];
  }
  assert.is(next.id, first?.id);
  await platform.entries.batchDeleteEntry({ ids: [entry] });
  const last = await workload.ask({ do: 'update' });
  assert.match(last.error ?? '', /PermissionDenied.*no identity issued/);
});

test('it validates a JWT-SVID itself and through the Workload API', async () => {
  const { workload, id } = await start('tokens');
  const fetched = await workload.get({ do: 'jwt', audience: 'vault' });
  assert.is(fetched.id, id);
  const token = fetched.token ?? '';
  const validated = await workload.get({ do: 'validate', token, audience: 'vault' });
  assert.is(validated.id, id);
  const other = await workload.ask({ do: 'validate', token, audience: 'gateway' });
  assert.match(other.error ?? '', /InvalidArgument/);
  const forged = await workload.ask({ do: 'validate', token: `${token}x`, audience: 'vault' });
  assert.match(forged.error ?? '', /InvalidArgument/);
});

test('two of them speak mutual TLS, and a third is refused', async () => {
  const server = await start('server');
  const friend = await start('friend');
  const stranger = await start('stranger');
  const { text: address = '' } = await server.workload.get({ do: 'serve', peer: friend.id });
  const order = { do: 'dial', address, peer: server.id };
  assert.is((await friend.workload.get(order)).text, `hello ${friend.id}`);
  const refused = await stranger.workload.ask(order);
  assert.match(refused.error ?? '', /bad certificate|reset|EOF|broken pipe/);
  const wrong = await friend.workload.ask({ ...order, peer: stranger.id });
  assert.match(wrong.error ?? '', /unexpected ID/);
});

test('a process that is no agent, and one without an entry, get no identity', async () => {
  const nobody = new OrderProcess(program);
  workloads.push(nobody);
  await nobody.get({ do: 'open', socket: platform.workloadSocket });
  assert.match((await nobody.ask({ do: 'x509' })).error ?? '', /PermissionDenied/);
  platform.register(nobody.pid, 'without-entry');
  assert.match((await nobody.ask({ do: 'x509' })).error ?? '', /PermissionDenied/);
  assert.match((await nobody.ask({ do: 'jwt', audience: 'a' })).error ?? '', /PermissionDenied/);
});

if (needs('go')) test.run();
