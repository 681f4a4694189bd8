// The gateway's environment variables as a typed configuration; all that is wrong is told at once.
import { isAbsolute } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import { defaultTrustDomain } from '../../runtime/identity/spiffe-id.ts';
import { defaultLimits } from './gateway.ts';

export interface GatewayEnvironment {
  /** The Unix socket behind the proxy. */
  listenPath: string;
  /** The operator's Unix socket; without it there are neither sessions nor approvals. */
  controlPath: string | undefined;
  /** Holds `policy` and `data`. */
  bundleDir: string;
  /** Public keys that bundles are verified with: a JWK or a JWK set. */
  bundleKeysFile: string;
  evidenceDir: string;
  checkpointsDir: string;
  /** 32 bytes: the Ed25519 seed that signs checkpoints. */
  evidenceSeedFile: string;
  credentialsFile: string | undefined;
  /** The Unix socket of the proxy by which the vault is reached under the gateway's own identity. */
  vaultPath: string | undefined;
  databaseUrl: string | undefined;
  keyValueUrl: string | undefined;
  trustDomain: string;
  toolTimeoutMs: number;
}

/**
 * Reads the environment. Throws `configuration_invalid` with every problem in `data.problems`.
 * In this form the gateway believes the identity header of whoever reaches it, so it listens on a
 * Unix socket only, where its proxy is.
 */
export function readConfig(environment: NodeJS.ProcessEnv): GatewayEnvironment {
  const problems: string[] = [];
  const optional = (name: string) => environment[name] || undefined;
  const required = (name: string): string => {
    const value = optional(name);
    if (value === undefined) problems.push(`${name} is not set`);
    return value ?? '';
  };
  const socket = (name: string, value: string | undefined): string | undefined => {
    if (value === undefined) return undefined;
    if (value.startsWith('unix:') && isAbsolute(value.slice(5))) return value.slice(5);
    problems.push(`${name} is not unix:/absolute/path`);
    return undefined;
  };
  const config: GatewayEnvironment = {
    listenPath: socket('LISTEN_ADDRESS', required('LISTEN_ADDRESS') || undefined) ?? '',
    controlPath: socket('CONTROL_ADDRESS', optional('CONTROL_ADDRESS')),
    bundleDir: required('BUNDLE_DIR'),
    bundleKeysFile: required('BUNDLE_KEYS_FILE'),
    evidenceDir: required('EVIDENCE_DIR'),
    checkpointsDir: required('CHECKPOINTS_DIR'),
    evidenceSeedFile: required('EVIDENCE_SEED_FILE'),
    credentialsFile: optional('CREDENTIALS_FILE'),
    vaultPath: socket('PLATFORM_VAULT_URL', optional('PLATFORM_VAULT_URL')),
    databaseUrl: url(optional('DATABASE_URL'), 'DATABASE_URL', ['postgres:', 'postgresql:']),
    keyValueUrl: url(keyValueUrl(optional('VALKEY_URL')), 'VALKEY_URL', ['redis:', 'rediss:']),
    trustDomain: optional('PLATFORM_TRUST_DOMAIN') ?? defaultTrustDomain,
    toolTimeoutMs: duration(optional('MAX_TOOL_TIMEOUT')),
  };
  if (problems.length === 0) return config;
  throw new PlatformError('configuration_invalid', problems.join('; '), { data: { problems } });

  function url(value: string | undefined, name: string, schemes: string[]): string | undefined {
    if (value === undefined) return undefined;
    if (URL.canParse(value) && schemes.includes(new URL(value).protocol)) return value;
    problems.push(`${name} is not a ${schemes[0]}// URL`);
    return undefined;
  }

  function duration(text: string | undefined): number {
    if (text === undefined) return defaultLimits.toolTimeoutMs;
    const match = /^(\d{1,6})(ms|s|m)$/.exec(text);
    const unit = { ms: 1, s: 1000, m: 60_000 }[match?.[2] ?? ''];
    const value = Number(match?.[1]) * (unit ?? Number.NaN);
    if (value > 0 && value <= 3_600_000) return value;
    problems.push('MAX_TOOL_TIMEOUT is not a time such as 30s');
    return defaultLimits.toolTimeoutMs;
  }
}

/** The specification writes `host:port`. */
function keyValueUrl(value: string | undefined): string | undefined {
  return value === undefined || value.includes('://') ? value : `redis://${value}`;
}
