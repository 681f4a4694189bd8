// The configuration of an Envoy that requires mutual TLS and runs the mesh filter; docs/filter.md shows it.

export interface EnvoyConfig {
  /** PEM files: chain and key of the service's SVID, and the trust bundle. */
  certificate: string;
  privateKey: string;
  trustBundle: string;
  trustDomain: string;
  /** The merged filter and its configuration's text. */
  filter: string;
  configuration: string;
  /** Names the VM: another one for every other configuration. */
  vmId: string;
  /** Port of the service on this machine. */
  upstreamPort: number;
  accessLog: string;
}

const type = (name: string) => ({ '@type': `type.googleapis.com/${name}` });
const typed = (name: string, message: string, members: object) => ({
  name,
  typed_config: { ...type(message), ...members },
});

/** What the access log says of each request: the filter's facts are filter state under `wasm.`. */
const logFormat = Object.fromEntries([
  ...['decision_id', 'rule', 'reason', 'spiffe_id', 'service', 'request_id', 'time'].map((fact) => [
    fact,
    `%FILTER_STATE(wasm.${fact}:PLAIN)%`,
  ]),
  ['status', '%RESPONSE_CODE%'],
  ['details', '%RESPONSE_CODE_DETAILS%'],
]);

/** Envoy's bootstrap as JSON; listens on free ports of the loopback. */
export function envoyBootstrap(config: EnvoyConfig): object {
  const loopback = (port: number) => ({
    socket_address: { address: '127.0.0.1', port_value: port },
  });
  return {
    admin: { address: loopback(0) },
    static_resources: {
      listeners: [
        {
          name: 'inbound',
          address: loopback(0),
          filter_chains: [
            {
              transport_socket: tls(config),
              filters: [
                typed(
                  'envoy.filters.network.http_connection_manager',
                  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
                  connectionManager(config),
                ),
              ],
            },
          ],
        },
      ],
      clusters: [
        {
          name: 'service',
          type: 'STATIC',
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              ...type('envoy.extensions.upstreams.http.v3.HttpProtocolOptions'),
              explicit_http_config: { http_protocol_options: { enable_trailers: true } },
            },
          },
          load_assignment: {
            cluster_name: 'service',
            endpoints: [
              { lb_endpoints: [{ endpoint: { address: loopback(config.upstreamPort) } }] },
            ],
          },
        },
      ],
    },
  };
}

function tls(config: EnvoyConfig): object {
  const name = 'envoy.extensions.transport_sockets.tls.v3';
  const trusted = {
    name: config.trustDomain,
    trust_bundle: { filename: config.trustBundle },
  };
  return typed('envoy.transport_sockets.tls', `${name}.DownstreamTlsContext`, {
    require_client_certificate: true,
    common_tls_context: {
      alpn_protocols: ['h2', 'http/1.1'],
      tls_params: { tls_minimum_protocol_version: 'TLSv1_3' },
      tls_certificates: [
        {
          certificate_chain: { filename: config.certificate },
          private_key: { filename: config.privateKey },
        },
      ],
      validation_context: {
        custom_validator_config: typed(
          'envoy.tls.cert_validator.spiffe',
          `${name}.SPIFFECertValidatorConfig`,
          { trust_domains: [trusted] },
        ),
      },
    },
  });
}

function connectionManager(config: EnvoyConfig): object {
  return {
    stat_prefix: 'inbound',
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, route: { cluster: 'service' } }],
        },
      ],
    },
    http_filters: [
      typed('mesh', 'envoy.extensions.filters.http.wasm.v3.Wasm', {
        config: {
          name: 'mesh',
          failure_policy: 'FAIL_RELOAD',
          vm_config: {
            vm_id: config.vmId,
            runtime: 'envoy.wasm.runtime.v8',
            code: { local: { filename: config.filter } },
          },
          configuration: { ...type('google.protobuf.StringValue'), value: config.configuration },
        },
      }),
      typed('envoy.filters.http.router', 'envoy.extensions.filters.http.router.v3.Router', {}),
    ],
    access_log: [
      typed('file', 'envoy.extensions.access_loggers.file.v3.FileAccessLog', {
        path: config.accessLog,
        log_format: { json_format: logFormat },
      }),
    ],
  };
}
