// The proxy's configuration: what is taken, and that everything wrong is told at once.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlatformError } from '../../runtime/errors.ts';
import { readConfig } from './config.ts';

const test = suite<{ folder: string; file: string }>('proxy configuration');
test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  context.file = join(context.folder, 'proxy.json');
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

const service = {
  name: 'vault',
  spiffe_id: 'spiffe://platform.local/service/vault',
  server_names: ['vault.platform-system'],
  upstream: 'unix:/run/vault.sock',
};
const route = {
  paths: ['/'],
  service: { ...service, server_name: 'vault.platform-system', address: '127.0.0.1:15006' },
  body_bytes: 0,
};
const socket = 'unix:///run/agent.sock';

test('an inbound proxy', ({ file }) => {
  writeFileSync(file, JSON.stringify({ services: [service], limits: { head_timeout_ms: 5 } }));
  const config = readConfig({
    ...{ PROXY_ROLE: 'inbound', PROXY_CONFIG_FILE: file, SPIFFE_ENDPOINT_SOCKET: socket },
    ...{ BUNDLE_DIR: '/bundles', BUNDLE_KEYS_FILE: '/keys.json' },
  });
  assert.is(config.role, 'inbound');
  if (config.role !== 'inbound') return;
  assert.equal(config.listen, { host: '0.0.0.0', port: 15006 });
  assert.equal(config.metrics, { host: '127.0.0.1', port: 15090 });
  assert.equal(config.health, { host: '127.0.0.1', port: 15021 });
  assert.is(config.workloadSocket, '/run/agent.sock');
  assert.equal(config.limits, { headTimeoutMs: 5 });
  assert.equal(config.services[0]!.upstream, { path: '/run/vault.sock' });
});

test('an outbound proxy', ({ file }) => {
  writeFileSync(file, JSON.stringify({ routes: [route] }));
  const config = readConfig({
    ...{ PROXY_ROLE: 'outbound', PROXY_CONFIG_FILE: file, SPIFFE_ENDPOINT_SOCKET: socket },
  });
  assert.is(config.role, 'outbound');
  if (config.role !== 'outbound') return;
  assert.equal(config.listen, { host: '127.0.0.1', port: 15001 });
  assert.is(config.routes[0]!.bodyBytes, 0);
  assert.equal(config.routes[0]!.service.address, { host: '127.0.0.1', port: 15006 });
});

test('all that is wrong is told at once', ({ file }) => {
  writeFileSync(file, JSON.stringify({ routes: [{ paths: [] }], limits: { nonsense: 1 } }));
  const problems = (environment: NodeJS.ProcessEnv): string => {
    try {
      readConfig(environment);
    } catch (error) {
      return (error as PlatformError).message;
    }
    return '';
  };
  const told = problems({
    ...{ PROXY_ROLE: 'outbound', PROXY_CONFIG_FILE: file, SPIFFE_ENDPOINT_SOCKET: 'tcp:1' },
    LISTEN_ADDRESS: '0.0.0.0:15001',
  });
  for (const part of ['SPIFFE_ENDPOINT_SOCKET', 'paths', 'service', 'nonsense', 'loopback']) {
    assert.match(told, part);
  }
  assert.match(problems({}), /PROXY_ROLE.*PROXY_CONFIG_FILE/s);
});

test.run();
