// The vault's environment variables as a typed configuration; all that is wrong is told at once.
import { isAbsolute } from 'node:path';
import {
  type DecidingEnvironment,
  postgresSchemes,
  unixPath,
  Variables,
} from '../common/config.ts';
import type { ListenAddress } from '../common/http/port.ts';

export interface VaultEnvironment extends DecidingEnvironment {
  /** Where only the inbound proxy may reach the vault, which believes the proxy's headers. */
  listen: ListenAddress;
  /** The operator's Unix socket; without it nobody rotates or writes for others. */
  controlPath: string | undefined;
  /** A `postgres://` URL, or the folder of an embedded database. */
  database: { url: string } | { folder: string };
  masterKey: { file: string } | { current: string; previous: string | undefined };
}

/** Reads the environment. Throws `configuration_invalid` with every problem in `data.problems`. */
export function readConfig(environment: NodeJS.ProcessEnv): VaultEnvironment {
  const variables = new Variables(environment);
  return variables.finish({
    listen: listenAddress(variables.optional('LISTEN_ADDRESS') ?? ':8080', variables),
    controlPath: variables.socket('CONTROL_ADDRESS'),
    database: databaseOf(variables.required('DATABASE_URL'), variables),
    masterKey: masterKeyOf(variables),
    ...variables.deciding(),
  });
}

function listenAddress(value: string, variables: Variables): ListenAddress {
  const path = unixPath(value);
  if (path !== undefined) return { path };
  const port = value.startsWith(':') && /^\d{1,5}$/.test(value.slice(1)) ? +value.slice(1) : -1;
  // Loopback only: in a pod that is the proxy beside the vault, and nobody else.
  if (port >= 0 && port <= 65_535) return { host: '127.0.0.1', port };
  variables.problem('LISTEN_ADDRESS is neither :port nor unix:/absolute/path');
  return { path: '' };
}

function databaseOf(value: string, variables: Variables): VaultEnvironment['database'] {
  if (value === '') return { folder: '' };
  if (value.startsWith('file:') && isAbsolute(value.slice(5))) return { folder: value.slice(5) };
  const isServer = URL.canParse(value) && postgresSchemes.includes(new URL(value).protocol);
  if (!isServer) {
    variables.problem('DATABASE_URL is neither postgres:// nor file:/absolute/folder');
  }
  return { url: value };
}

function masterKeyOf(variables: Variables): VaultEnvironment['masterKey'] {
  const file = variables.optional('ENCRYPTION_KEY_FILE');
  const current = variables.optional('ENCRYPTION_KEY');
  if ((file === undefined) === (current === undefined)) {
    variables.problem('exactly one of ENCRYPTION_KEY and ENCRYPTION_KEY_FILE has to be set');
  }
  if (file !== undefined) return { file };
  return { current: current ?? '', previous: variables.optional('ENCRYPTION_KEY_PREVIOUS') };
}
