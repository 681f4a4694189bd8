// `platform identity`: signing keys and registration entries of this machine's trust domain, and rotation.
import Table from 'cli-table3';
import pc from 'picocolors';
import type { JsonObject } from '../../runtime/json.ts';
import type { Command } from '../command.ts';
import { controlClient } from '../control-client.ts';
import { parseOptions, UsageError } from '../options.ts';
import { stateFolder } from '../state-folder.ts';

const help = `Usage
  platform identity [options]
  platform identity entries [options]
  platform identity rotate x509|jwt [options]

Shows what signs identities here and until when, and which process gets which SPIFFE ID. Rotation makes
the next key sign; what the old one signed stays valid until it expires, and nobody has to do anything.

Options
  --json        print JSON
  --state DIR   the platform's state folder

Examples
  platform identity
  platform identity entries
  platform identity rotate x509`;

export const identity: Command = {
  name: 'identity',
  summary: 'show signing keys and registration entries, or rotate the keys',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      { json: { type: 'boolean' }, state: { type: 'string' } },
      2,
    );
    const control = controlClient(stateFolder(values.state));
    const [verb = 'show', which] = positionals;
    const print = (answer: JsonObject, text: (of: JsonObject) => string): number => {
      process.stdout.write(`${values.json ? JSON.stringify(answer) : text(answer)}\n`);
      return 0;
    };
    if (verb === 'rotate') {
      if (which !== 'x509' && which !== 'jwt') throw new UsageError('rotate what: x509 or jwt?');
      const path = '/api/v1/identity/rotate';
      return print(await control.call('POST', path, { keys: which }), keysText);
    }
    if (which !== undefined) throw new UsageError(`"${which}" is one word too many`);
    if (verb === 'entries') {
      return print(await control.call('GET', '/api/v1/identity/entries'), entriesText);
    }
    if (verb !== 'show') throw new UsageError(`"${verb}" is none of show, entries and rotate`);
    return print(await control.call('GET', '/api/v1/identity'), keysText);
  },
};

interface KeyRow {
  id: string;
  active: boolean;
  activates_at: string;
  expires_at: string;
}

function keysText(facts: JsonObject): string {
  const table = new Table({
    head: ['key', 'id', 'signs from', 'until', 'now'],
    style: { head: [], border: [], compact: true },
  });
  const { keys, denied } = facts as unknown as {
    keys: Record<string, KeyRow[]>;
    denied: { entries: number; sequence: number };
  };
  for (const [kind, rows] of Object.entries(keys)) {
    for (const { id, active, activates_at, expires_at } of rows) {
      const what = active ? pc.green('signs') : 'published';
      table.push([kind, id.slice(0, 16), activates_at, expires_at, what]);
    }
  }
  const refused = `${denied.entries} identities on the deny-list, number ${denied.sequence}`;
  return `trust domain ${facts.trust_domain}\n${table.toString()}\n${refused}`;
}

function entriesText({ entries }: JsonObject): string {
  const table = new Table({
    head: ['SPIFFE ID', 'for whoever is all of', 'DNS names'],
    style: { head: [], border: [], compact: true },
  });
  for (const { spiffe_id, selectors, dns_names } of entries as JsonObject[]) {
    const lines = (of: unknown) => (of as string[]).join('\n');
    table.push([String(spiffe_id), lines(selectors), lines(dns_names)]);
  }
  return table.toString();
}
