// `platform secrets`: keeps, shows, lists and takes away secrets, and rotates the key that protects them.
import type { Command } from '../command.ts';
import { controlClient } from '../control-client.ts';
import { parseOptions, UsageError } from '../options.ts';
import { stateFolder } from '../state-folder.ts';
import { deleteSecret, restoreSecret } from './secrets/delete.ts';
import { getSecret, listSecrets, listVersions } from './secrets/get.ts';
import { putSecret } from './secrets/put.ts';
import { options, type SecretsRequest } from './secrets/request.ts';
import { rotateMasterKey } from './secrets/rotate.ts';

const help = `Usage
  platform secrets put KEY (--agent TENANT/AGENT[/ROLE] | --tenant TENANT | --scope ID) [options]
  platform secrets get KEY [options]
  platform secrets list [options]
  platform secrets versions KEY [options]
  platform secrets delete KEY [options]
  platform secrets restore KEY [options]
  platform secrets rotate [options]

"put" reads the value from standard input, less one line break at its end, from --file as it is, or
from a prompt that does not show it. It never takes it as an argument, which other processes and the
shell's history could read. "get" prints the value and nothing else. A deleted secret can be restored
until it is purged; "restore" with a version makes that version's value the current one again.
"rotate" puts a new master key in force and protects every secret with it while they are in use.

A scope says who may read a secret: every process of an agent, the processes of one of its roles, or
every agent of a tenant. It can be left out where only one secret has the key, but not for "put".

Options
  --agent TENANT/AGENT[/ROLE]   the scope of an agent, or of one of its roles
  --tenant TENANT               the scope of a tenant
  --scope ID                    a whole scope, such as spiffe://platform.local/agent/acme/bot/*
  --file FILE                   put: read the value from a file of at most 64 KiB
  --expires TIME                put: when it ends, such as 2027-01-31T00:00:00Z, or 12h or 30d from now
  --check N                     put: only if N is the current version; 0: only if there is none
  --revision N                  get, restore: a version other than the current one
  --prefix TEXT                 list: only keys that begin so
  --purge                       delete: for good, all versions
  --yes                         delete: do not ask
  --json                        print JSON
  --state DIR                   the platform's state folder

Examples
  platform secrets put mail-key --agent acme/mailer
  openssl rand -base64 32 | platform secrets put signing-key --agent acme/bot/signer --expires 30d
  platform secrets put certificate --tenant acme --file cert.pem --check 0
  platform secrets get mail-key
  platform secrets list --prefix mail-`;

interface Form {
  takesKey: boolean;
  /** Beside `--json`, `--state` and the scope. */
  options: readonly (keyof typeof options)[];
  /** Resolves to the exit code. */
  run(request: SecretsRequest): Promise<number>;
}

const scoped = ['agent', 'tenant', 'scope'] as const;
const forms: Record<string, Form> = {
  put: { takesKey: true, options: [...scoped, 'file', 'expires', 'check'], run: putSecret },
  get: { takesKey: true, options: [...scoped, 'revision'], run: getSecret },
  list: { takesKey: false, options: [...scoped, 'prefix'], run: listSecrets },
  versions: { takesKey: true, options: scoped, run: listVersions },
  delete: { takesKey: true, options: [...scoped, 'purge', 'yes'], run: deleteSecret },
  restore: { takesKey: true, options: [...scoped, 'revision'], run: restoreSecret },
  rotate: { takesKey: false, options: [], run: rotateMasterKey },
};

export const secrets: Command = {
  name: 'secrets',
  summary: 'keep, show, list and take away secrets, and rotate the master key',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(argv, options, argv.length);
    const [verb = 'list', key] = positionals;
    const form = Object.hasOwn(forms, verb) ? forms[verb] : undefined;
    if (form === undefined) {
      throw new UsageError(`"${verb}" is none of ${Object.keys(forms).join(', ')}`);
    }
    if (positionals.length > 2) {
      // Most likely a value, so it is not repeated.
      const hint =
        verb === 'put' ? '; a value comes from standard input, never as an argument' : '';
      throw new UsageError(`there is an argument too many${hint}`);
    }
    if (form.takesKey !== (key !== undefined)) {
      const usage = form.takesKey
        ? `which secret? platform secrets ${verb} KEY`
        : `${verb} has no key`;
      throw new UsageError(usage);
    }
    for (const name of Object.keys(values) as (keyof typeof options)[]) {
      if (name === 'state' || name === 'json' || form.options.includes(name)) continue;
      throw new UsageError(`--${name} is not an option of "secrets ${verb}"`);
    }
    const control = controlClient(stateFolder(values.state));
    return form.run({ control, key: key ?? '', values });
  },
};
