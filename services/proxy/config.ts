// The proxy's environment variables and its one JSON file as a typed configuration; all that is wrong is told at once.
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { JsonValue } from '../../runtime/json.ts';
import { unixPath, Variables } from '../common/config.ts';
import type { InboundService } from './inbound.ts';
import { defaultLimits, type ProxyLimits } from './limits.ts';
import type { Address, TcpAddress } from './listen.ts';
import type { OutboundRoute } from './outbound.ts';

interface Common {
  trustDomain: string;
  /** The Workload API. */
  workloadSocket: string;
  metrics: TcpAddress;
  health: TcpAddress;
  limits: Partial<ProxyLimits>;
}

export interface InboundEnvironment extends Common {
  role: 'inbound';
  listen: TcpAddress;
  services: InboundService[];
  /** Holds `policy` (with the filter) and `data`. */
  bundleDir: string;
  bundleKeysFile: string;
}

export interface OutboundEnvironment extends Common {
  role: 'outbound';
  listen: Address;
  routes: OutboundRoute[];
}

/**
 * Reads the environment and the file that `PROXY_CONFIG_FILE` names. Throws `configuration_invalid`
 * with every problem in `data.problems`.
 */
export function readConfig(
  environment: NodeJS.ProcessEnv,
): InboundEnvironment | OutboundEnvironment {
  const variables = new Variables(environment);
  const reader = new Reader(variables);
  const { PROXY_ROLE: role, SPIFFE_ENDPOINT_SOCKET: socket = '' } = environment;
  if (role !== 'inbound' && role !== 'outbound') {
    variables.problem('PROXY_ROLE is neither inbound nor outbound');
  }
  const workloadSocket = socket.replace(/^unix:(\/\/)?/, '');
  if (!socket.startsWith('unix:') || !isAbsolute(workloadSocket)) {
    variables.problem('SPIFFE_ENDPOINT_SOCKET is not unix:///absolute/path');
  }
  const file = reader.record(readJson(variables), 'the file');
  const tcp = (name: string, otherwise: string) => reader.tcp(environment[name] || otherwise, name);
  const common: Common = {
    trustDomain: variables.trustDomain(),
    workloadSocket,
    metrics: tcp('METRICS_ADDRESS', '127.0.0.1:15090'),
    health: tcp('HEALTH_ADDRESS', '127.0.0.1:15021'),
    limits: readLimits(reader.record(file.limits ?? {}, 'limits'), reader),
  };
  let config: InboundEnvironment | OutboundEnvironment;
  if (role === 'inbound') {
    config = {
      ...common,
      role,
      listen: tcp('LISTEN_ADDRESS', '0.0.0.0:15006'),
      services: reader.list(file.services, 'services').map((each) => readService(each, reader)),
      bundleDir: reader.text(environment.BUNDLE_DIR, 'BUNDLE_DIR'),
      bundleKeysFile: reader.text(environment.BUNDLE_KEYS_FILE, 'BUNDLE_KEYS_FILE'),
    };
  } else {
    config = {
      ...common,
      role: 'outbound',
      listen: reader.address(environment.LISTEN_ADDRESS || '127.0.0.1:15001', 'LISTEN_ADDRESS'),
      routes: reader.list(file.routes, 'routes').map((each) => readRoute(each, reader)),
    };
    const { listen } = config;
    // Whoever reaches the port speaks in the name of this workload.
    if (!('path' in listen) && !['127.0.0.1', '::1'].includes(listen.host)) {
      variables.problem(
        'LISTEN_ADDRESS of the outbound role is neither loopback nor a Unix socket',
      );
    }
  }
  return variables.finish(config);
}

function readService(value: JsonValue, reader: Reader): InboundService {
  const { name, spiffe_id, server_names, upstream, protocol, body_bytes } = reader.record(
    value,
    'a service',
  );
  const kind = protocol ?? 'http1';
  if (kind !== 'http1' && kind !== 'h2c') reader.problem('protocol is neither http1 nor h2c');
  return {
    name: reader.text(name, 'name'),
    spiffeId: reader.text(spiffe_id, 'spiffe_id'),
    serverNames: reader.list(server_names, 'server_names').map((n) => reader.text(n, 'a name')),
    upstream: reader.address(upstream, 'upstream'),
    protocol: kind === 'h2c' ? 'h2c' : 'http1',
    bodyBytes: body_bytes === undefined ? undefined : reader.count(body_bytes, 'body_bytes'),
  };
}

function readRoute(value: JsonValue, reader: Reader): OutboundRoute {
  const { paths, authorities, service, body_bytes } = reader.record(value, 'a route');
  const { name, spiffe_id, server_name, address } = reader.record(service, 'service');
  return {
    paths: reader.list(paths, 'paths').map((path) => reader.text(path, 'a path')),
    authorities:
      authorities === undefined
        ? undefined
        : reader.list(authorities, 'authorities').map((each) => reader.text(each, 'an authority')),
    service: {
      name: reader.text(name, 'name'),
      spiffeId: reader.text(spiffe_id, 'spiffe_id'),
      serverName: reader.text(server_name, 'server_name'),
      address: reader.tcp(address, 'address'),
    },
    bodyBytes: body_bytes === undefined ? undefined : reader.count(body_bytes, 'body_bytes'),
  };
}

/** Limits by the names of limits.ts in snake case. */
function readLimits(file: Record<string, JsonValue>, reader: Reader): Partial<ProxyLimits> {
  const names = new Map(
    Object.keys(defaultLimits).map((name) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name as keyof ProxyLimits,
    ]),
  );
  const limits: Partial<ProxyLimits> = {};
  for (const [key, value] of Object.entries(file)) {
    const name = names.get(key);
    if (name === undefined) reader.problem(`there is no limit ${key}`);
    else limits[name] = reader.count(value, key);
  }
  return limits;
}

function readJson(variables: Variables): JsonValue {
  const path = variables.required('PROXY_CONFIG_FILE');
  if (path === '') return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as JsonValue;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    variables.problem(`${path} cannot be read as JSON: ${code ?? message}`);
    return {};
  }
}

/** Takes JSON values of the kind that is wanted, and remembers every one that is not. */
class Reader {
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  problem(what: string): void {
    this.#variables.problem(what);
  }

  record(
    value: JsonValue | undefined,
    name: string,
  ): Record<string, JsonValue | undefined> & {
    [key: string]: JsonValue;
  } {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    this.problem(`${name} is not an object`);
    return {};
  }

  list(value: JsonValue | undefined, name: string): JsonValue[] {
    if (Array.isArray(value) && value.length > 0) return value;
    this.problem(`${name} is not a list with something in it`);
    return [];
  }

  text(value: JsonValue | undefined, name: string): string {
    if (typeof value === 'string' && value !== '') return value;
    this.problem(`${name} is not set`);
    return '';
  }

  count(value: JsonValue | undefined, name: string): number {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    this.problem(`${name} is not a whole number`);
    return 0;
  }

  address(value: JsonValue | undefined, name: string): Address {
    const text = this.text(value, name);
    if (!text.startsWith('unix:')) return this.tcp(text, name);
    const path = unixPath(text);
    if (path === undefined) this.problem(`${name} is not unix:/absolute/path`);
    return { path: path ?? '' };
  }

  tcp(value: JsonValue | undefined, name: string): TcpAddress {
    const match = /^(?:\[([0-9a-fA-F:]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(String(value));
    const port = Number(match?.[3]);
    if (match === null || port > 65_535) this.problem(`${name} is not host:port`);
    return { host: match?.[1] ?? match?.[2] ?? '', port: port || 0 };
  }
}
