// The identity server's environment variables as a typed configuration; all that is wrong is told at once.
import { PlatformError } from '../../runtime/errors.ts';
import { postgresSchemes, Variables } from '../common/config.ts';
import { secondsOf, svidTtlBounds } from './ttl.ts';

export interface IdentityEnvironment {
  databaseUrl: string;
  trustDomain: string;
  /** The Unix socket of the Workload API, SDS and the deny-list. */
  workloadSocket: string;
  /** The Unix socket of the Entry API, for this process's own user and root. */
  adminSocket: string;
  /** The key itself, or the file that holds it. */
  keyEncryptionKey: { value: string } | { file: string };
  /** How long documents and signing keys live where nobody asks for less; the authority's own where left out. */
  lives: { svidTtlMs?: number; jwtTtlMs?: number; caTtlMs?: number };
  oidc: { issuer: string; host: string; port: number } | undefined;
}

const socketBytesMax = 107;
const keyBytes = 32;

const daySeconds = 24 * 3600;

/** Reads the environment. Throws `configuration_invalid` with every problem in `data.problems`. */
export function readConfig(environment: NodeJS.ProcessEnv): IdentityEnvironment {
  const variables = new Variables(environment);
  const database = variables.required('DATABASE_URL');
  return variables.finish({
    databaseUrl: variables.url('DATABASE_URL', database || undefined, postgresSchemes) ?? '',
    trustDomain: variables.trustDomain('TRUST_DOMAIN'),
    workloadSocket: boundedSocket(variables, 'WORKLOAD_SOCKET'),
    adminSocket: boundedSocket(variables, 'ADMIN_SOCKET'),
    keyEncryptionKey: keyOf(variables),
    lives: livesOf(variables),
    oidc: oidcOf(variables),
  });
}

function boundedSocket(variables: Variables, name: string): string {
  const path = variables.requiredSocket(name);
  if (Buffer.byteLength(path) > socketBytesMax) {
    variables.problem(`${name} is longer than ${socketBytesMax} bytes`);
  }
  return path;
}

/** The longest is what the authority issues at most; a key must outlive by far what it signs. */
function livesOf(variables: Variables): IdentityEnvironment['lives'] {
  const read = (name: string, min: number, max: number) => {
    const text = variables.optional(name);
    if (text === undefined) return undefined;
    const seconds = secondsOf(text);
    if (seconds === undefined || seconds < min || seconds > max) {
      variables.problem(
        `${name} is not a duration from ${min} s to ${max} s, such as 300s, 5m or 1h`,
      );
      return undefined;
    }
    return seconds * 1000;
  };
  const svidTtlMs = read('SVID_TTL', svidTtlBounds.min, svidTtlBounds.max);
  const jwtTtlMs = read('JWT_SVID_TTL', 30, daySeconds);
  const caTtlMs = read('CA_TTL', 3600, 365 * daySeconds);
  const longestMs = Math.max(svidTtlMs ?? 3_600_000, jwtTtlMs ?? 300_000);
  if ((caTtlMs ?? daySeconds * 1000) < longestMs) {
    variables.problem('CA_TTL is shorter than SVID_TTL or JWT_SVID_TTL');
  }
  const all = { svidTtlMs, jwtTtlMs, caTtlMs };
  return Object.fromEntries(Object.entries(all).filter(([, ms]) => ms !== undefined));
}

function keyOf(variables: Variables): IdentityEnvironment['keyEncryptionKey'] {
  const value = variables.optional('KEY_ENCRYPTION_KEY');
  const file = variables.optional('KEY_ENCRYPTION_KEY_FILE');
  if ((value === undefined) === (file === undefined)) {
    variables.problem(
      'exactly one of KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_KEY_FILE has to be set',
    );
  }
  return file === undefined ? { value: value ?? '' } : { file };
}

function oidcOf(variables: Variables): IdentityEnvironment['oidc'] {
  const address = variables.optional('OIDC_LISTEN_ADDRESS');
  if (address === undefined) return undefined;
  const issuer = variables.required('OIDC_ISSUER');
  const [, host = '', digits = ''] = /^(.*):(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) variables.problem('OIDC_LISTEN_ADDRESS is not host:port');
  return { issuer, host: host === '' ? '0.0.0.0' : host.replace(/^\[(.*)\]$/, '$1'), port };
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
