// The PyPI package spiffe against the identity server: fetching, watching, validating, bundles.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../runtime/testing/needs.ts';
import { pythonTool } from '../../runtime/testing/python-tools.ts';
import { OrderProcess } from './testing/order-process.ts';
import { startWithAuthority, type TestPlatform } from './testing/platform.ts';

const program = fileURLToPath(
  new URL('../../runtime/testing/python-workload/workload.py', import.meta.url),
);
const id = 'spiffe://example.org/agent/acme/python/main';
const test = suite('spiffe of PyPI');
let platform: TestPlatform;
let workload: OrderProcess;
let entry = '';

test.before(async () => {
  platform = await startWithAuthority();
  workload = new OrderProcess(join(pythonTool('spiffe==0.3.2'), 'python'), [program]);
  const selector = platform.register(workload.pid, 'python');
  entry = await platform.enter('/agent/acme/python/main', [selector, 'process-role:main']);
  await workload.get({ do: 'open', socket: platform.workloadSocket });
});

test.after(async () => {
  await workload.end();
  await platform.close();
});

test('it fetches X.509-SVIDs and the bundles of both kinds', async () => {
  const { svids = [] } = await workload.get({ do: 'x509' });
  assert.equal(
    svids.map((each) => [each.id, each.chain]),
    [[id, 1]],
  );
  const bundles = await workload.get({ do: 'bundles', trust_domain: 'example.org' });
  assert.equal([bundles.x509, bundles.jwt], [1, 1]);
});

test('it fetches a JWT-SVID and validates it itself and through the Workload API', async () => {
  const fetched = await workload.get({ do: 'jwt', audience: 'vault' });
  assert.is(fetched.id, id);
  const token = fetched.token ?? '';
  assert.is((await workload.get({ do: 'validate', token, audience: 'vault' })).id, id);
  const other = await workload.ask({ do: 'validate', token, audience: 'gateway' });
  assert.match(other.error ?? '', /JwtSvid|Validate|Workload/i);
});

test('its source follows a rotation, and has no identity once the entry has gone', async () => {
  const first = (await workload.get({ do: 'watch' })).svids?.[0];
  await platform.authority.rotateNow('x509');
  let next = first;
  while (next?.serial === first?.serial) next = (await workload.get({ do: 'update' })).svids?.[0];
  assert.is(next?.id, id);
  await platform.entries.batchDeleteEntry({ ids: [entry] });
  const refused = await workload.ask({ do: 'x509' });
  assert.match(refused.error ?? '', /no identity issued/i);
});

if (needs('python-spiffe')) test.run();
