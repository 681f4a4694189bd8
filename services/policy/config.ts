// The policy service's environment variables as a typed configuration; all that is wrong is told at once.
import { isAbsolute } from 'node:path';
import { unixPath, Variables } from '../common/config.ts';
import type { ListenAddress } from '../common/http/port.ts';
import type { ExtAuthzTls } from './ext-authz-server.ts';

export interface PolicyEnvironment {
  listen: ListenAddress;
  /** Where the signed bundles are fetched. */
  policyUrl: string;
  dataUrl: string | undefined;
  /** Public keys that bundles are verified with: a JWK or a JWK set. */
  bundleKeysFile: string;
  intervalMs: number;
  /** What callers send as their bearer token; needed unless a socket or loopback is listened on. */
  tokenFile: string | undefined;
  /** A file, a URL, or `console`. */
  decisionLogs: string | undefined;
  defaultDecision: string | undefined;
  /** Where Envoys ask over gRPC (ext_authz); without it none can. */
  extAuthz: { listen: ListenAddress; tls: ExtAuthzTls | undefined } | undefined;
  /** Whose peers Envoys let in. */
  trustDomain: string;
}

/** Reads the environment. Throws `configuration_invalid` with every problem in `data.problems`. */
export function readConfig(environment: NodeJS.ProcessEnv): PolicyEnvironment {
  const variables = new Variables(environment);
  const schemes = ['https:', 'http:'];
  const tokenFile = variables.optional('TOKEN_FILE');
  const seconds = Number(variables.optional('BUNDLE_INTERVAL_SECONDS') ?? '30');
  if (!(seconds >= 1 && seconds <= 3600)) {
    variables.problem('BUNDLE_INTERVAL_SECONDS is not 1 to 3600');
  }
  return variables.finish({
    listen: servedAt(variables, tokenFile),
    policyUrl:
      variables.url(
        'POLICY_BUNDLE_URL',
        variables.required('POLICY_BUNDLE_URL') || undefined,
        schemes,
      ) ?? '',
    dataUrl: variables.url('DATA_BUNDLE_URL', variables.optional('DATA_BUNDLE_URL'), schemes),
    bundleKeysFile: variables.required('BUNDLE_KEYS_FILE'),
    intervalMs: seconds * 1000,
    tokenFile,
    decisionLogs: variables.optional('DECISION_LOGS'),
    defaultDecision: variables.optional('DEFAULT_DECISION'),
    extAuthz: extAuthz(variables),
    trustDomain: variables.trustDomain(),
  });
}

function servedAt(variables: Variables, tokenFile: string | undefined): ListenAddress {
  const listen = listenAddress(variables, 'LISTEN_ADDRESS', '127.0.0.1:8181');
  if (isOpen(listen) && tokenFile === undefined) {
    variables.problem('TOKEN_FILE is not set, and is needed beyond loopback');
  }
  if (tokenFile !== undefined && !isAbsolute(tokenFile))
    variables.problem('TOKEN_FILE is not absolute');
  return listen;
}

/** Where Envoys ask: beyond loopback they and the service have to show certificates. */
function extAuthz(variables: Variables): PolicyEnvironment['extAuthz'] {
  const names = ['CERTIFICATE_FILE', 'KEY_FILE', 'TRUST_FILE', 'CALLERS'].map(
    (name) => `EXT_AUTHZ_${name}`,
  );
  const given = names.filter((name) => variables.optional(name) !== undefined);
  const address = variables.optional('EXT_AUTHZ_ADDRESS');
  if (address === undefined) {
    for (const name of given) variables.problem(`${name} is set, and EXT_AUTHZ_ADDRESS is not`);
    return undefined;
  }
  const listen = listenAddress(variables, 'EXT_AUTHZ_ADDRESS', address);
  if (given.length === 0) {
    if (isOpen(listen)) {
      variables.problem('EXT_AUTHZ_CERTIFICATE_FILE is not set, and is needed beyond loopback');
    }
    return { listen, tls: undefined };
  }
  const [certificateFile = '', keyFile = '', trustFile = '', callers = ''] = names.map((name) =>
    variables.required(name),
  );
  return {
    listen,
    tls: { certificateFile, keyFile, trustFile, callers: callers.split(',').filter(Boolean) },
  };
}

const isOpen = (listen: ListenAddress) =>
  'host' in listen && ['0.0.0.0', '::'].includes(listen.host);

function listenAddress(variables: Variables, name: string, byDefault: string): ListenAddress {
  const value = variables.optional(name) ?? byDefault;
  const path = unixPath(value);
  if (path !== undefined) return { path };
  const found = /^(127\.0\.0\.1|0\.0\.0\.0|\[::1\]|\[::\])?:(\d{1,5})$/.exec(value);
  const port = Number(found?.[2] ?? -1);
  if (port < 0 || port > 65_535) {
    variables.problem(`${name} is neither HOST:PORT nor unix:/absolute/path`);
    return { path: '' };
  }
  return { host: (found?.[1] ?? '127.0.0.1').replace(/[[\]]/g, ''), port };
}
