// The configuration of an Envoy that requires mutual TLS and asks policy; docs/envoy.md shows it.
import { EXT_AUTHZ, type HttpFilter, meshHttpFilter, type WasmFilterConfig } from './filters.ts';

/** PEM files: chain and key of the service's SVID, and the trust bundle. */
export interface TlsFiles {
  certificate: string;
  privateKey: string;
  trustBundle: string;
  trustDomain: string;
}

/** What Envoy takes from an identity server over SDS, by the names that it gives them. */
export interface TlsSecrets {
  /** A cluster of the bootstrap. */
  cluster: string;
  /** The service's SPIFFE ID, or `default`. */
  certificate: string;
  /** The trust domain's SPIFFE ID, `spiffe://platform.local`; or `ROOTCA`. */
  validation: string;
}

export interface ProxyConfig {
  tls: TlsFiles | TlsSecrets;
  /** The HTTP filters before the router, in their order. */
  filters: readonly HttpFilter[];
  /** More of the virtual host, such as `extAuthzService` gives. */
  virtualHost?: object;
  /** Clusters beside that of the service. */
  clusters?: readonly object[];
  /** Where the facts of a decision are: the mesh filter's state, or what ext_authz left. */
  facts: 'filter' | 'ext_authz';
  /** Port of the service on this machine. */
  upstreamPort: number;
  accessLog: string;
}

export interface EnvoyConfig extends TlsFiles, WasmFilterConfig {
  upstreamPort: number;
  accessLog: string;
}

/** The largest body that the filter waits for must fit. */
const BUFFER_BYTES = 4 << 20;

const type = (name: string) => ({ '@type': `type.googleapis.com/${name}` });
const typed = (name: string, message: string, members: object) => ({
  name,
  typed_config: { ...type(message), ...members },
});
const loopback = (port: number) => ({
  socket_address: { address: '127.0.0.1', port_value: port },
});

/** Envoy's bootstrap with the mesh filter as JSON; listens on free ports of the loopback. */
export function envoyBootstrap(config: EnvoyConfig): object {
  return proxyBootstrap({
    ...{ tls: config, filters: [meshHttpFilter(config)], facts: 'filter' },
    ...{ upstreamPort: config.upstreamPort, accessLog: config.accessLog },
  });
}

/** The same with any filters, and certificates from files or over SDS. */
export function proxyBootstrap(config: ProxyConfig): object {
  const manager = 'envoy.extensions.filters.network.http_connection_manager.v3';
  return {
    node: { id: 'envoy', cluster: 'platform' },
    admin: { address: loopback(0) },
    static_resources: {
      listeners: [
        {
          name: 'inbound',
          address: loopback(0),
          per_connection_buffer_limit_bytes: BUFFER_BYTES,
          filter_chains: [
            {
              transport_socket: transportSocket(config.tls),
              filters: [
                typed(
                  'envoy.filters.network.http_connection_manager',
                  `${manager}.HttpConnectionManager`,
                  connectionManager(config),
                ),
              ],
            },
          ],
        },
      ],
      clusters: [serviceCluster(config.upstreamPort), ...(config.clusters ?? [])],
    },
  };
}

function serviceCluster(port: number): object {
  const options = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
  return {
    name: 'service',
    type: 'STATIC',
    typed_extension_protocol_options: {
      [options]: {
        ...type(options),
        explicit_http_config: { http_protocol_options: { enable_trailers: true } },
      },
    },
    load_assignment: {
      cluster_name: 'service',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: loopback(port) } }] }],
    },
  };
}

/** TLS 1.3 that requires a certificate of the trust domain. */
function transportSocket(tls: TlsFiles | TlsSecrets): object {
  const name = 'envoy.extensions.transport_sockets.tls.v3';
  return typed('envoy.transport_sockets.tls', `${name}.DownstreamTlsContext`, {
    require_client_certificate: true,
    common_tls_context: {
      alpn_protocols: ['h2', 'http/1.1'],
      tls_params: { tls_minimum_protocol_version: 'TLSv1_3' },
      ...('cluster' in tls ? secretsOf(tls) : filesOf(tls, name)),
    },
  });
}

function filesOf(files: TlsFiles, name: string): object {
  const trusted = { name: files.trustDomain, trust_bundle: { filename: files.trustBundle } };
  return {
    tls_certificates: [
      {
        certificate_chain: { filename: files.certificate },
        private_key: { filename: files.privateKey },
      },
    ],
    validation_context: {
      custom_validator_config: typed(
        'envoy.tls.cert_validator.spiffe',
        `${name}.SPIFFECertValidatorConfig`,
        { trust_domains: [trusted] },
      ),
    },
  };
}

function secretsOf({ cluster, certificate, validation }: TlsSecrets): object {
  const secret = (name: string) => ({
    name,
    sds_config: {
      resource_api_version: 'V3',
      api_config_source: {
        ...{ api_type: 'GRPC', transport_api_version: 'V3' },
        grpc_services: [{ envoy_grpc: { cluster_name: cluster } }],
      },
    },
  });
  return {
    tls_certificate_sds_secret_configs: [secret(certificate)],
    validation_context_sds_secret_config: secret(validation),
  };
}

const FACTS = [
  ...['decision_id', 'decision_ids', 'rule', 'reason', 'spiffe_id', 'service'],
  ...['request_id', 'time', 'method', 'tool'],
];

/** What the access log says of each request; a fact that there is none of is null. */
function logFormat(facts: ProxyConfig['facts']): object {
  const read = (fact: string) =>
    facts === 'filter'
      ? `%FILTER_STATE(wasm.${fact}:PLAIN)%`
      : `%DYNAMIC_METADATA(${EXT_AUTHZ}:${fact})%`;
  return Object.fromEntries([
    ...FACTS.map((fact) => [fact, read(fact)]),
    ['status', '%RESPONSE_CODE%'],
    ['details', '%RESPONSE_CODE_DETAILS%'],
  ]);
}

function connectionManager(config: ProxyConfig): object {
  const router = 'envoy.extensions.filters.http.router.v3.Router';
  return {
    stat_prefix: 'inbound',
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, route: { cluster: 'service' } }],
          ...config.virtualHost,
        },
      ],
    },
    http_filters: [...config.filters, typed('envoy.filters.http.router', router, {})],
    access_log: [
      typed('file', 'envoy.extensions.access_loggers.file.v3.FileAccessLog', {
        path: config.accessLog,
        log_format: { json_format: logFormat(config.facts) },
      }),
    ],
  };
}
