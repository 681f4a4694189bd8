// `platform audit`: proves the evidence, shows it, and handles the openings of what it commits to.
import type { Command } from '../command.ts';
import { parseOptions, UsageError } from '../options.ts';
import { stateFolder } from '../state-folder.ts';
import { eraseOpenings, exportStoredOpenings } from './audit/openings.ts';
import { proveRow } from './audit/prove.ts';
import { showRows } from './audit/show.ts';
import { verifyEvidence } from './audit/verify.ts';

const help = `Usage
  platform audit --verify [options]
  platform audit show [--limit N] [--json]
  platform audit prove SEQUENCE
  platform audit openings --out FILE
  platform audit openings --erase [--before YYYY-MM-DD]

--verify reads the evidence of a platform offline, with no database and no network, beside a running
platform or without one. It checks the encoding, the order and the place of every row in the Merkle
log and the signature of every checkpoint; then it executes every decision again, under the bundles
and with the modules of its time, and compares the outputs byte for byte.

  reproduced     the same output
  diverged       another output: what is expected and what was found is shown
  undetermined   it depends on a committed field without an opening, or on a bundle that is not kept

Options
  --state DIR           the platform's state folder
  --openings FILE       what opens committed fields, as "audit openings --out" writes it
  --stored-openings     take them from the platform's own encrypted store instead
  --checkpoint FILE     a checkpoint that you kept; the log must contain it (may be repeated)
  --key FILE            the log's public key that you trust; by default the one beside the checkpoints
  --bundle-keys FILE    the bundles' public keys (JWK) that you trust; by default the platform's
  --limit N             how many of the last rows to show (20)
  --out FILE            where to write the openings, in clear, readable by you only
  --erase               delete openings for good; committed fields can never be opened again
  --before YYYY-MM-DD   only those of days before
  --json                one JSON object

Exit codes
  0 every row reproduced, 3 some undetermined and none diverged, 4 some diverged, 5 tampered with,
  1 could not be done, 2 wrong command line

Examples
  platform audit --verify --stored-openings
  platform audit --verify --openings openings.jsonl --json
  platform audit show --limit 50`;

const options = {
  verify: { type: 'boolean' },
  state: { type: 'string' },
  openings: { type: 'string' },
  'stored-openings': { type: 'boolean' },
  checkpoint: { type: 'string', multiple: true },
  key: { type: 'string' },
  'bundle-keys': { type: 'string' },
  limit: { type: 'string' },
  out: { type: 'string' },
  erase: { type: 'boolean' },
  before: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** What each form of the command takes beside `--state` and `--json`. */
const forms: Record<string, (keyof typeof options)[]> = {
  verify: ['verify', 'openings', 'stored-openings', 'checkpoint', 'key', 'bundle-keys'],
  show: ['limit'],
  prove: [],
  openings: ['out', 'erase', 'before'],
};

export const audit: Command = {
  name: 'audit',
  summary: 'verify, show and prove the evidence of every decision, offline',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(argv, options, 2);
    const form = values.verify && positionals.length === 0 ? 'verify' : positionals[0];
    const allowed = forms[form ?? ''];
    if (
      form === undefined ||
      allowed === undefined ||
      values.verify !== (form === 'verify' || undefined)
    ) {
      throw new UsageError('say what to audit: --verify, show, prove or openings');
    }
    for (const name of Object.keys(values) as (keyof typeof options)[]) {
      if (name === 'state' || name === 'json' || allowed.includes(name)) continue;
      throw new UsageError(`--${name} is not an option of "audit ${form}"`);
    }
    if (positionals.length > (form === 'prove' ? 2 : 1)) {
      throw new UsageError(`unexpected argument "${positionals.at(-1)}"`);
    }
    const state = stateFolder(values.state);
    const asJson = values.json === true;
    if (form === 'show') return showRows(state, count(values.limit ?? '20', '--limit'), asJson);
    if (form === 'prove') return proveRow(state, count(positionals[1] ?? '', 'SEQUENCE'), asJson);
    if (form === 'openings') {
      if (values.erase && values.out === undefined) return eraseOpenings(state, day(values.before));
      if (values.out === undefined || values.erase || values.before !== undefined) {
        throw new UsageError('give either --out FILE or --erase');
      }
      return exportStoredOpenings(state, values.out);
    }
    if (values.openings !== undefined && values['stored-openings']) {
      throw new UsageError('give either --openings or --stored-openings');
    }
    return verifyEvidence(state, {
      openingsFile: values.openings,
      storedOpenings: values['stored-openings'] === true,
      checkpointFiles: values.checkpoint ?? [],
      keyFile: values.key,
      bundleKeysFile: values['bundle-keys'],
      asJson,
    });
  },
};

function count(text: string, name: string): number {
  const number = Number(text);
  if (/^\d{1,15}$/.test(text)) return number;
  throw new UsageError(`${name} is a whole number from 0 on, not "${text}"`);
}

function day(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(`${text}T00:00:00.000Z`);
  if (!Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) && text.length === 10) {
    return text;
  }
  throw new UsageError(`--before is a day such as 2026-01-31, not "${text}"`);
}
