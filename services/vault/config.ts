// The vault's environment variables as a typed configuration; all that is wrong is told at once.
import { isAbsolute } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import { defaultTrustDomain } from '../../runtime/identity/spiffe-id.ts';
import type { ListenAddress } from '../common/http/port.ts';

export interface VaultEnvironment {
  /** Where only the inbound proxy may reach the vault, which believes the proxy's headers. */
  listen: ListenAddress;
  /** The operator's Unix socket; without it nobody rotates or writes for others. */
  controlPath: string | undefined;
  /** A `postgres://` URL, or the folder of an embedded database. */
  database: { url: string } | { folder: string };
  masterKey: { file: string } | { current: string; previous: string | undefined };
  /** Holds `policy` and `data`. */
  bundleDir: string;
  bundleKeysFile: string;
  evidenceDir: string;
  checkpointsDir: string;
  /** 32 bytes: the Ed25519 seed that signs checkpoints. */
  evidenceSeedFile: string;
  trustDomain: string;
}

/** Reads the environment. Throws `configuration_invalid` with every problem in `data.problems`. */
export function readConfig(environment: NodeJS.ProcessEnv): VaultEnvironment {
  const problems: string[] = [];
  const optional = (name: string) => environment[name] || undefined;
  const required = (name: string): string => {
    const value = optional(name);
    if (value === undefined) problems.push(`${name} is not set`);
    return value ?? '';
  };
  const socket = (name: string): string | undefined => {
    const value = optional(name);
    if (value === undefined) return undefined;
    if (value.startsWith('unix:') && isAbsolute(value.slice(5))) return value.slice(5);
    problems.push(`${name} is not unix:/absolute/path`);
    return undefined;
  };
  const config: VaultEnvironment = {
    listen: listenAddress(optional('LISTEN_ADDRESS') ?? ':8080'),
    controlPath: socket('CONTROL_ADDRESS'),
    database: databaseOf(required('DATABASE_URL')),
    masterKey: masterKeyOf(),
    bundleDir: required('BUNDLE_DIR'),
    bundleKeysFile: required('BUNDLE_KEYS_FILE'),
    evidenceDir: required('EVIDENCE_DIR'),
    checkpointsDir: required('CHECKPOINTS_DIR'),
    evidenceSeedFile: required('EVIDENCE_SEED_FILE'),
    trustDomain: optional('PLATFORM_TRUST_DOMAIN') ?? defaultTrustDomain,
  };
  if (problems.length === 0) return config;
  throw new PlatformError('configuration_invalid', problems.join('; '), { data: { problems } });

  function listenAddress(value: string): ListenAddress {
    if (value.startsWith('unix:') && isAbsolute(value.slice(5))) return { path: value.slice(5) };
    const port = value.startsWith(':') && /^\d{1,5}$/.test(value.slice(1)) ? +value.slice(1) : -1;
    // Loopback only: in a pod that is the proxy beside the vault, and nobody else.
    if (port >= 0 && port <= 65_535) return { host: '127.0.0.1', port };
    problems.push('LISTEN_ADDRESS is neither :port nor unix:/absolute/path');
    return { path: '' };
  }

  function databaseOf(value: string): VaultEnvironment['database'] {
    if (value === '') return { folder: '' };
    if (value.startsWith('file:') && isAbsolute(value.slice(5))) return { folder: value.slice(5) };
    const isServer = URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol);
    if (!isServer) problems.push('DATABASE_URL is neither postgres:// nor file:/absolute/folder');
    return { url: value };
  }

  function masterKeyOf(): VaultEnvironment['masterKey'] {
    const file = optional('ENCRYPTION_KEY_FILE');
    const current = optional('ENCRYPTION_KEY');
    if ((file === undefined) === (current === undefined)) {
      problems.push('exactly one of ENCRYPTION_KEY and ENCRYPTION_KEY_FILE has to be set');
    }
    if (file !== undefined) return { file };
    return { current: current ?? '', previous: optional('ENCRYPTION_KEY_PREVIOUS') };
  }
}
