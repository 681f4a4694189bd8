// The policy service's environment variables as a typed configuration; all that is wrong is told at once.
import { isAbsolute } from 'node:path';
import { unixPath, Variables } from '../common/config.ts';
import type { ListenAddress } from '../common/http/port.ts';

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
    listen: listenAddress(
      variables.optional('LISTEN_ADDRESS') ?? '127.0.0.1:8181',
      tokenFile,
      variables,
    ),
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
  });
}

function listenAddress(
  value: string,
  tokenFile: string | undefined,
  variables: Variables,
): ListenAddress {
  const path = unixPath(value);
  if (path !== undefined) return { path };
  const found = /^(127\.0\.0\.1|0\.0\.0\.0|\[::1\]|\[::\])?:(\d{1,5})$/.exec(value);
  const port = Number(found?.[2] ?? -1);
  if (port < 0 || port > 65_535) {
    variables.problem('LISTEN_ADDRESS is neither HOST:PORT nor unix:/absolute/path');
    return { path: '' };
  }
  const host = (found?.[1] ?? '127.0.0.1').replace(/[[\]]/g, '');
  if (['0.0.0.0', '::'].includes(host) && tokenFile === undefined) {
    variables.problem('TOKEN_FILE is not set, and is needed beyond loopback');
  }
  if (tokenFile !== undefined && !isAbsolute(tokenFile))
    variables.problem('TOKEN_FILE is not absolute');
  return { host, port };
}
