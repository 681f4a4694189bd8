import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { Agent, request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeArchive } from '../../runtime/bundle/archive.ts';
import { createBundleKey, writeBundleKey } from '../../runtime/bundle/keys.ts';
import { signBundle } from '../../runtime/bundle/sign.ts';
import type { PlatformError } from '../../runtime/errors.ts';
import { Authorization } from '../../runtime/identity/proto/envoy/service/auth/v3/external_auth_pb.js';
import type { JsonObject } from '../../runtime/json.ts';
import { eventually } from '../../runtime/testing/eventually.ts';
import { startService } from '../common/testing-process.ts';
import { readConfig } from './config.ts';
import { dataBundle, policyBundle } from './testing.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'policy-main-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

test('the process polls bundle servers, answers on a socket, and ends with a signal', async () => {
  const keys = await createBundleKey();
  await writeBundleKey(join(root, 'key'), keys);
  const archives = new Map<string, Uint8Array>();
  for (const [kind, { files }] of [
    ['policy', await policyBundle()],
    ['data', dataBundle({ limits: { agent_minute: 3 } })],
  ] as const) {
    await signBundle(files, kind, keys.privateKey);
    archives.set(`/${kind}.tar.gz`, await writeArchive(files));
  }
  const server = createServer((asked, response) => response.end(archives.get(asked.url ?? '')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bundles = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(root, 'token'), 'sixteen-bytes-or-more\n');
  const socketPath = join(root, 's');
  const { child, exited, ready, output } = startService(main, {
    POLICY_BUNDLE_URL: `${bundles}/policy.tar.gz`,
    DATA_BUNDLE_URL: `${bundles}/data.tar.gz`,
    BUNDLE_KEYS_FILE: join(root, 'key.pub'),
    LISTEN_ADDRESS: `unix:${socketPath}`,
    TOKEN_FILE: join(root, 'token'),
    EXT_AUTHZ_ADDRESS: `unix:${join(root, 'authz')}`,
  });
  await ready;
  const dispatcher = new Agent({ connect: { socketPath } });
  const get = async (path: string) => {
    const headers = { authorization: 'Bearer sixteen-bytes-or-more' };
    const answer = await request(`http://localhost${path}`, { dispatcher, headers });
    return { status: answer.statusCode, body: (await answer.body.json()) as JsonObject };
  };
  await eventually(async () => (await get('/health?bundles')).status === 200, 60_000);
  assert.is((await get('/v1/data/limits/agent_minute')).body.result, 3);
  const nodeOptions = { path: join(root, 'authz') };
  const transport = createGrpcTransport({ baseUrl: 'http://policy', nodeOptions });
  const { httpResponse } = await createClient(Authorization, transport).check({});
  assert.is(httpResponse.case, 'deniedResponse');
  await dispatcher.close();
  child.kill('SIGTERM');
  assert.is(await exited, 0, output.text);
  server.close();
});

test('all that is wrong with the environment is told at once', () => {
  const problemsOf = (environment: NodeJS.ProcessEnv) => {
    try {
      readConfig(environment);
      return [];
    } catch (error) {
      return (error as PlatformError).data.problems as string[];
    }
  };
  const good = { POLICY_BUNDLE_URL: 'https://b.example.com/p.tar.gz', BUNDLE_KEYS_FILE: '/key' };
  assert.equal(problemsOf(good), []);
  assert.equal(problemsOf({ ...good, LISTEN_ADDRESS: '0.0.0.0:8181', TOKEN_FILE: '/t' }), []);
  assert.equal(
    problemsOf({
      ...{ POLICY_BUNDLE_URL: 'file:///b', DATA_BUNDLE_URL: 'x', LISTEN_ADDRESS: '[::]:8181' },
      BUNDLE_INTERVAL_SECONDS: '0',
    }),
    [
      'BUNDLE_INTERVAL_SECONDS is not 1 to 3600',
      'TOKEN_FILE is not set, and is needed beyond loopback',
      'POLICY_BUNDLE_URL is not a https:// URL',
      'DATA_BUNDLE_URL is not a https:// URL',
      'BUNDLE_KEYS_FILE is not set',
    ],
  );
  for (const address of ['8181', 'example.com:1', '10.0.0.1:1', ':70000', 'unix:relative']) {
    const problems = problemsOf({ ...good, LISTEN_ADDRESS: address });
    assert.equal(problems, ['LISTEN_ADDRESS is neither HOST:PORT nor unix:/absolute/path']);
  }
});

test.run();
