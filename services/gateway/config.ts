// The gateway's environment variables as a typed configuration; all that is wrong is told at once.
import { type DecidingEnvironment, postgresSchemes, Variables } from '../common/config.ts';
import { defaultLimits } from './gateway.ts';

export interface GatewayEnvironment extends DecidingEnvironment {
  /** The Unix socket behind the proxy. */
  listenPath: string;
  /** The operator's Unix socket; without it there are neither sessions nor approvals. */
  controlPath: string | undefined;
  credentialsFile: string | undefined;
  /** The Unix socket of the proxy by which the vault is reached under the gateway's own identity. */
  vaultPath: string | undefined;
  databaseUrl: string | undefined;
  keyValueUrl: string | undefined;
  toolTimeoutMs: number;
}

/**
 * Reads the environment. Throws `configuration_invalid` with every problem in `data.problems`.
 * In this form the gateway believes the identity header of whoever reaches it, so it listens on a
 * Unix socket only, where its proxy is.
 */
export function readConfig(environment: NodeJS.ProcessEnv): GatewayEnvironment {
  const variables = new Variables(environment);
  return variables.finish({
    listenPath: variables.requiredSocket('LISTEN_ADDRESS'),
    controlPath: variables.socket('CONTROL_ADDRESS'),
    ...variables.deciding(),
    credentialsFile: variables.optional('CREDENTIALS_FILE'),
    vaultPath: variables.socket('PLATFORM_VAULT_URL'),
    databaseUrl: variables.url('DATABASE_URL', variables.optional('DATABASE_URL'), postgresSchemes),
    keyValueUrl: variables.url('VALKEY_URL', keyValueUrl(variables.optional('VALKEY_URL')), [
      'redis:',
      'rediss:',
    ]),
    toolTimeoutMs: duration(variables, 'MAX_TOOL_TIMEOUT') ?? defaultLimits.toolTimeoutMs,
  });
}

/** A time such as `30s` in milliseconds, an hour at most. */
function duration(variables: Variables, name: string): number | undefined {
  const text = variables.optional(name);
  if (text === undefined) return undefined;
  const match = /^(\d{1,6})(ms|s|m)$/.exec(text);
  const unit = { ms: 1, s: 1000, m: 60_000 }[match?.[2] ?? ''];
  const value = Number(match?.[1]) * (unit ?? Number.NaN);
  if (value > 0 && value <= 3_600_000) return value;
  variables.problem(`${name} is not a time such as 30s`);
  return undefined;
}

/** The specification writes `host:port`. */
function keyValueUrl(value: string | undefined): string | undefined {
  return value === undefined || value.includes('://') ? value : `redis://${value}`;
}
