// The identity server's environment variables as a typed configuration; all that is wrong is told at once.
import { isAbsolute } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import { defaultTrustDomain } from '../../runtime/identity/spiffe-id.ts';

export interface IdentityEnvironment {
  databaseUrl: string;
  trustDomain: string;
  /** The Unix socket of the Workload API, SDS and the deny-list. */
  workloadSocket: string;
  /** The Unix socket of the Entry API, for this process's own user and root. */
  adminSocket: string;
  /** The key itself, or the file that holds it. */
  keyEncryptionKey: { value: string } | { file: string };
  oidc: { issuer: string; host: string; port: number } | undefined;
}

const socketBytesMax = 107;
const keyBytes = 32;

/** Reads the environment. Throws `configuration_invalid` with every problem in `data.problems`. */
export function readConfig(environment: NodeJS.ProcessEnv): IdentityEnvironment {
  const problems: string[] = [];
  const optional = (name: string) => environment[name] || undefined;
  const required = (name: string): string => {
    const value = optional(name);
    if (value === undefined) problems.push(`${name} is not set`);
    return value ?? '';
  };
  const socket = (name: string): string => {
    const value = required(name);
    const path = value.slice('unix:'.length);
    if (value === '') return '';
    if (!value.startsWith('unix:') || !isAbsolute(path)) {
      problems.push(`${name} is not unix:/absolute/path`);
    } else if (Buffer.byteLength(path) > socketBytesMax) {
      problems.push(`${name} is longer than ${socketBytesMax} bytes`);
    }
    return path;
  };
  const config: IdentityEnvironment = {
    databaseUrl: databaseUrl(required('DATABASE_URL')),
    trustDomain: optional('TRUST_DOMAIN') ?? defaultTrustDomain,
    workloadSocket: socket('WORKLOAD_SOCKET'),
    adminSocket: socket('ADMIN_SOCKET'),
    keyEncryptionKey: key(),
    oidc: oidc(),
  };
  if (problems.length === 0) return config;
  throw new PlatformError('configuration_invalid', problems.join('; '), { data: { problems } });

  function databaseUrl(value: string): string {
    const schemes = ['postgres:', 'postgresql:'];
    if (value === '' || (URL.canParse(value) && schemes.includes(new URL(value).protocol))) {
      return value;
    }
    problems.push('DATABASE_URL is not a postgres:// URL');
    return '';
  }

  function key(): IdentityEnvironment['keyEncryptionKey'] {
    const value = optional('KEY_ENCRYPTION_KEY');
    const file = optional('KEY_ENCRYPTION_KEY_FILE');
    if ((value === undefined) === (file === undefined)) {
      problems.push('exactly one of KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_KEY_FILE has to be set');
    }
    return file === undefined ? { value: value ?? '' } : { file };
  }

  function oidc(): IdentityEnvironment['oidc'] {
    const address = optional('OIDC_LISTEN_ADDRESS');
    if (address === undefined) return undefined;
    const issuer = required('OIDC_ISSUER');
    const [, host = '', digits = ''] = /^(.*):(\d{1,5})$/.exec(address) ?? [];
    const port = Number(digits);
    if (digits === '' || port > 65_535) problems.push('OIDC_LISTEN_ADDRESS is not host:port');
    return { issuer, host: host === '' ? '0.0.0.0' : host.replace(/^\[(.*)\]$/, '$1'), port };
  }
}

/**
 * The 32 bytes of a key-encryption key: as they are, as 64 hexadecimal digits, or as base64.
 * Throws `configuration_invalid`, which names neither the key nor a part of it.
 */
export function parseKey(given: Uint8Array): Uint8Array {
  if (given.byteLength === keyBytes) return given;
  const text = Buffer.from(given).toString('latin1').trim();
  if (/^[0-9A-Fa-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  throw new PlatformError(
    'configuration_invalid',
    `the key-encryption key is not ${keyBytes} bytes`,
    {
      hint: 'make one with: openssl rand -hex 32',
    },
  );
}
