// Envoy's HTTP filters that ask policy: the mesh filter, in the configuration or discovered, and external authorization.
import { BODY_BYTES_MAX } from '../../mesh/message.ts';

const type = (name: string) => ({ '@type': `type.googleapis.com/${name}` });
const WASM = 'envoy.extensions.filters.http.wasm.v3.Wasm';

/** An HTTP filter as Envoy's configuration has it. */
export interface HttpFilter {
  name: string;
  [member: string]: unknown;
}

export interface WasmFilterConfig {
  /** The merged filter's file, and its configuration's text. */
  filter: string;
  configuration: string;
  /** Names the VM: another one for every other configuration. */
  vmId: string;
}

/** The mesh filter, in the configuration itself. */
export function meshHttpFilter(config: WasmFilterConfig): HttpFilter {
  return { name: 'mesh', typed_config: wasmConfig(config) };
}

function wasmConfig({ filter, configuration, vmId }: WasmFilterConfig): object {
  return {
    ...type(WASM),
    config: {
      name: 'mesh',
      failure_policy: 'FAIL_RELOAD',
      // Where the filter decides on a body, nothing goes on before it has all of it.
      allow_on_headers_stop_iteration: true,
      vm_config: {
        vm_id: vmId,
        runtime: 'envoy.wasm.runtime.v8',
        code: { local: { filename: filter } },
      },
      configuration: { ...type('google.protobuf.StringValue'), value: configuration },
    },
  };
}

/**
 * The mesh filter that Envoy takes from a file, and takes anew when the file is replaced. Until there
 * is one, Envoy answers every request with 500.
 */
export function discoveredMeshFilter(file: string): HttpFilter {
  return {
    name: 'mesh',
    config_discovery: {
      config_source: {
        resource_api_version: 'V3',
        path_config_source: { path: file, watched_directory: { path: folderOf(file) } },
      },
      type_urls: [`type.googleapis.com/${WASM}`],
    },
  };
}

/** What that file holds: the answer of an extension discovery service (ECDS). */
export function meshFilterDiscovery(config: WasmFilterConfig): object {
  return {
    version_info: config.vmId,
    resources: [
      {
        ...type('envoy.config.core.v3.TypedExtensionConfig'),
        name: 'mesh',
        typed_config: wasmConfig(config),
      },
    ],
  };
}

const folderOf = (file: string) => file.slice(0, file.lastIndexOf('/')) || '/';

export interface ExtAuthzConfig {
  /** The cluster of the policy service. */
  cluster: string;
  /** How long a decision may take before the request is denied. */
  timeoutMs?: number;
  /** Sends the bodies of requests too, for services whose entry says that they are read. */
  bodies?: boolean;
}

/**
 * External authorization by the policy service. It needs each header by itself, and denies where they
 * are joined; the service behind the proxy is named by `extAuthzService`.
 */
export function extAuthzFilter(config: ExtAuthzConfig): HttpFilter {
  const { cluster, timeoutMs = 1000, bodies = false } = config;
  // One byte more than is read, so that the policy service sees that there is more, and denies.
  const body = {
    max_request_bytes: BODY_BYTES_MAX + 1,
    allow_partial_message: true,
    pack_as_bytes: true,
  };
  return {
    name: EXT_AUTHZ,
    typed_config: {
      ...type('envoy.extensions.filters.http.ext_authz.v3.ExtAuthz'),
      transport_api_version: 'V3',
      grpc_service: {
        envoy_grpc: { cluster_name: cluster },
        timeout: `${timeoutMs / 1000}s`,
      },
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
      encode_raw_headers: true,
      validate_mutations: true,
      ...(bodies ? { with_request_body: body } : {}),
    },
  };
}

/** Its name, under which it leaves its facts as dynamic metadata. */
export const EXT_AUTHZ = 'envoy.filters.http.ext_authz';

/**
 * What a virtual host says of itself to the policy service: which service stands behind it, and
 * whether bodies are sent.
 */
export function extAuthzService(service: string, { bodies = false } = {}): object {
  const said = { service, ...(bodies ? { bodies: 'sent' } : {}) };
  return {
    typed_per_filter_config: {
      [EXT_AUTHZ]: {
        ...type('envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute'),
        check_settings: { context_extensions: said },
      },
    },
  };
}

/** Removes what trailers say in the platform's name, which external authorization does not see. */
export function platformTrailersFilter(): HttpFilter {
  const pattern = { safe_regex: { regex: '(?i)x[-_]platform[-_].*' } };
  return {
    name: 'trailers',
    typed_config: {
      ...type('envoy.extensions.filters.http.header_mutation.v3.HeaderMutation'),
      mutations: {
        request_trailers_mutations: [{ remove_on_match: { key_matcher: pattern } }],
      },
    },
  };
}

/** A cluster that speaks gRPC, such as the policy service or the identity server. */
export function grpcCluster(name: string, address: object): object {
  const options = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
  return {
    name,
    type: 'STATIC',
    connect_timeout: '2s',
    typed_extension_protocol_options: {
      [options]: {
        ...type(options),
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }],
    },
  };
}
