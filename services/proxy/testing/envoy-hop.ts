// One Envoy that does what one of our proxies does for a single service, to be measured beside it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificatesPem, privateKeyPem } from '../../../runtime/identity/workload/pem.ts';
import type { X509Svid } from '../../../runtime/identity/workload/x509.ts';
import { type RunningEnvoy, startEnvoy } from './envoy.ts';

export interface EnvoyHop {
  role: 'inbound' | 'outbound';
  folder: string;
  agent: X509Svid;
  service: X509Svid;
  /** The CA's certificate in DER. */
  ca: Uint8Array;
  trustDomain: string;
  serviceId: string;
  serverName: string;
  /** Where the inbound hop listens; only for the outbound role. */
  port: number;
}

const type = (name: string) => ({ '@type': `type.googleapis.com/envoy.extensions.${name}` });

/**
 * Starts it. Outbound it takes plain HTTP/1.1 on loopback and shows the agent's SVID; inbound it takes
 * mutual TLS, sets the peer's SPIFFE ID as a header and goes on to `service.sock` in the folder.
 */
export function envoyHop(hop: EnvoyHop): Promise<RunningEnvoy> {
  const { role, folder, service, agent, ca } = hop;
  const svid = role === 'inbound' ? service : agent;
  const file = (name: string) => join(folder, `${role}-${name}.pem`);
  writeFileSync(file('chain'), certificatesPem(svid.certificates));
  writeFileSync(file('key'), privateKeyPem(svid.privateKey));
  writeFileSync(file('trust'), certificatesPem([ca]));
  const loopback = (port: number) => ({
    socket_address: { address: '127.0.0.1', port_value: port },
  });
  const endpoint =
    role === 'inbound' ? { pipe: { path: join(folder, 'service.sock') } } : loopback(hop.port);
  const configuration = {
    admin: { address: loopback(0) },
    static_resources: {
      listeners: [
        {
          name: role,
          address: loopback(0),
          filter_chains: [
            {
              ...(role === 'inbound' ? { transport_socket: downstream(hop, file) } : {}),
              filters: [manager(role)],
            },
          ],
        },
      ],
      clusters: [
        {
          name: 'next',
          type: 'STATIC',
          load_assignment: {
            cluster_name: 'next',
            endpoints: [{ lb_endpoints: [{ endpoint: { address: endpoint } }] }],
          },
          ...(role === 'outbound' ? { transport_socket: upstream(hop, file) } : {}),
        },
      ],
    },
  };
  return startEnvoy(folder, configuration, role);
}

function manager(role: string): object {
  const forward = role === 'inbound' ? { forward_client_cert_details: 'SANITIZE_SET' } : {};
  const named = {
    header: { key: 'x-platform-spiffe-id', value: '%DOWNSTREAM_PEER_URI_SAN%' },
    append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
  };
  return {
    name: 'http',
    typed_config: {
      ...type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
      stat_prefix: role,
      ...forward,
      http_filters: [{ name: 'router', typed_config: type('filters.http.router.v3.Router') }],
      route_config: {
        ...(role === 'inbound' ? { request_headers_to_add: [named] } : {}),
        virtual_hosts: [
          {
            name: 'all',
            domains: ['*'],
            routes: [{ match: { prefix: '/' }, route: { cluster: 'next' } }],
          },
        ],
      },
    },
  };
}

function common(hop: EnvoyHop, file: (name: string) => string): object {
  return {
    tls_params: {
      tls_minimum_protocol_version: 'TLSv1_3',
      tls_maximum_protocol_version: 'TLSv1_3',
    },
    alpn_protocols: ['http/1.1'],
    tls_certificates: [
      {
        certificate_chain: { filename: file('chain') },
        private_key: { filename: file('key') },
      },
    ],
    validation_context: {
      custom_validator_config: {
        name: 'envoy.tls.cert_validator.spiffe',
        typed_config: {
          ...type('transport_sockets.tls.v3.SPIFFECertValidatorConfig'),
          trust_domains: [{ name: hop.trustDomain, trust_bundle: { filename: file('trust') } }],
        },
      },
    },
  };
}

function downstream(hop: EnvoyHop, file: (name: string) => string): object {
  return {
    name: 'tls',
    typed_config: {
      ...type('transport_sockets.tls.v3.DownstreamTlsContext'),
      require_client_certificate: true,
      common_tls_context: common(hop, file),
    },
  };
}

function upstream(hop: EnvoyHop, file: (name: string) => string): object {
  return {
    name: 'tls',
    typed_config: {
      ...type('transport_sockets.tls.v3.UpstreamTlsContext'),
      sni: hop.serverName,
      common_tls_context: common(hop, file),
    },
  };
}
