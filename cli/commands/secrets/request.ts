// What the command line asks of the vault, as each form of `platform secrets` gets it.
import type { parseArgs } from 'node:util';
import type { ControlClient } from '../../control-client.ts';

/** Every option of `platform secrets`; each form takes some of them. */
export const options = {
  agent: { type: 'string' },
  tenant: { type: 'string' },
  scope: { type: 'string' },
  file: { type: 'string' },
  expires: { type: 'string' },
  check: { type: 'string' },
  revision: { type: 'string' },
  prefix: { type: 'string' },
  purge: { type: 'boolean' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
  state: { type: 'string' },
} as const;

/** What the command line says, as each form of the command gets it. */
export interface SecretsRequest {
  control: ControlClient;
  /** Empty where the form has no key. */
  key: string;
  values: ReturnType<typeof parseArgs<{ args: string[]; options: typeof options }>>['values'];
}
