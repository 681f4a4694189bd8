// `platform audit`: proves the evidence, exports it, decides it again, and handles its openings.
import type { Command } from '../command.ts';
import { parseOptions, UsageError } from '../options.ts';
import { stateFolder } from '../state-folder.ts';
import { exportLog } from './audit/export.ts';
import { eraseOpenings, exportStoredOpenings } from './audit/openings.ts';
import { proveRow } from './audit/prove.ts';
import { replayEvidence } from './audit/replay.ts';
import { rotateKey } from './audit/rotate-key.ts';
import { showRows } from './audit/show.ts';
import { count, day, moment, spiffeId } from './audit/values.ts';
import { verifyEvidence } from './audit/verify.ts';
import type { ProgressForm } from './audit/walk-progress.ts';

const help = `Usage
  platform audit --verify [--from-export FILE] [options]
  platform audit --replay --bundle NEW [--data DATA] [options]
  platform audit export --out FILE [selection]
  platform audit show [--limit N] [--json]
  platform audit prove SEQUENCE
  platform audit openings --out FILE
  platform audit openings --erase [--before YYYY-MM-DD]
  platform audit rotate-key

--verify reads the evidence of a platform offline, with no database and no network, beside a running
platform or without one. It checks the encoding, the order and the place of every row in the Merkle
log and the signature of every checkpoint; then it executes every decision again, under the bundles
and with the modules of its time, and compares the outputs byte for byte.

  reproduced     the same output
  diverged       another output: what is expected and what was found is shown
  undetermined   it depends on a committed field without an opening, or on a bundle that is not kept

--replay proves the log as well, but asks another policy: what would have been decided otherwise?

export writes one file (a plain tar) with rows, checkpoints, keys, bundles, modules and schemas, from
which --verify --from-export and --replay --from-export work on any machine with nothing else.

rotate-key, with the platform stopped, lets another key sign the log from here on: a last checkpoint is
signed by both, so that auditors who trust either key can verify all of it.

Options of --verify and --replay
  --state DIR           the platform's state folder
  --from-export FILE    a file that "audit export" wrote, instead of a state folder
  --openings FILE       what opens committed fields, as "audit openings --out" writes it
  --stored-openings     take them from the platform's own encrypted store instead
  --checkpoint FILE     a checkpoint that you kept; the log must contain it (may be repeated)
  --key FILE            the log's public key that you trust; by default the one beside the checkpoints
  --bundle-keys FILE    the bundles' public keys (JWK) that you trust; by default the platform's
  --resume FILE         with --verify: keep in FILE what was found so far, every 10 seconds and at Ctrl-C, and go
                        on from there the next time; with --report, FILE.resume beside the first report
  --progress FORM       with --verify: text, json (a line of JSON every 5 seconds) or none, on standard error
  --report FILE         also write the report to FILE.html or FILE.json (may be repeated)
  --bundle NEW          the policy to decide with: a bundle (folder or .tar.gz) or a folder of policies
  --data DATA           a data.json or data bundle to decide with; by default the data of the time
  --json                one JSON object

Options of export
  --out FILE            the file to make; it must not exist, and only you can read it
  --from, --to TIME     only rows from this time on, and before that one (2026-01-31 or RFC 3339)
  --tenant NAME         only rows of this tenant's agents
  --agent SPIFFE_ID     only rows of this agent
  --with-bundles        take the bundles into a selection; they hold rules and data of all agents
  --with-openings       take the openings of its rows along, in clear

Other options
  --limit N             how many of the last rows to show (20)
  --out FILE            where to write the openings, in clear, readable by you only
  --erase               delete openings for good; committed fields can never be opened again
  --before YYYY-MM-DD   only those of days before

Exit codes
  0 every row reproduced; with --replay, nothing would change
  3 some undetermined, none diverged   4 some diverged   5 tampered with
  6 with --replay, something would change   1 could not be done   2 wrong command line

Examples
  platform audit --verify --stored-openings
  platform audit --verify --stored-openings --report audit.html --report audit.json
  platform audit export --out evidence.tar
  platform audit --verify --from-export evidence.tar --key log.key --bundle-keys bundle.pub
  platform audit export --out acme.tar --tenant acme --from 2026-01-01 --to 2026-02-01
  platform audit --replay --bundle my-policies --stored-openings --report change.json
  platform audit show --limit 50`;

const options = {
  verify: { type: 'boolean' },
  replay: { type: 'boolean' },
  state: { type: 'string' },
  'from-export': { type: 'string' },
  openings: { type: 'string' },
  'stored-openings': { type: 'boolean' },
  checkpoint: { type: 'string', multiple: true },
  key: { type: 'string' },
  'bundle-keys': { type: 'string' },
  report: { type: 'string', multiple: true },
  resume: { type: 'string' },
  progress: { type: 'string' },
  bundle: { type: 'string' },
  data: { type: 'string' },
  limit: { type: 'string' },
  out: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  tenant: { type: 'string' },
  agent: { type: 'string' },
  'with-bundles': { type: 'boolean' },
  'with-openings': { type: 'boolean' },
  erase: { type: 'boolean' },
  before: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>['values'];
type OptionName = keyof typeof options;

/** What `--verify` and `--replay` take alike. */
const ofEvidence: OptionName[] = [
  ...(['from-export', 'openings', 'stored-openings', 'checkpoint', 'key'] as const),
  ...(['bundle-keys', 'report'] as const),
];

/** Each form of the command: what it takes beside `--state` and `--json`, and what it does. */
const forms: Record<string, { takes: OptionName[]; run: (run: Run) => Promise<number> }> = {
  verify: { takes: ['verify', 'resume', 'progress', ...ofEvidence], run: runVerify },
  replay: { takes: ['replay', 'bundle', 'data', ...ofEvidence], run: runReplay },
  export: {
    takes: ['out', 'from', 'to', 'tenant', 'agent', 'with-bundles', 'with-openings'],
    run: runExport,
  },
  show: { takes: ['limit'], run: runShow },
  prove: { takes: [], run: runProve },
  openings: { takes: ['out', 'erase', 'before'], run: runOpenings },
  'rotate-key': { takes: [], run: runRotateKey },
};

interface Run {
  values: Values;
  /** What stands behind the name of the form. */
  argument: string | undefined;
}

export const audit: Command = {
  name: 'audit',
  summary: 'verify, export, show and prove the evidence of every decision, offline',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(argv, options, 2);
    const named = [values.verify && 'verify', values.replay && 'replay', positionals[0]];
    const [name, ...others] = named.filter((each) => typeof each === 'string');
    const isFlag = values.verify || values.replay;
    const form = Object.hasOwn(forms, name ?? '') ? forms[name!] : undefined;
    const isBare = !isFlag && (name === 'verify' || name === 'replay');
    if (form === undefined || others.length > 0 || isBare) {
      throw new UsageError(
        'say what to do: --verify, --replay, export, show, prove, openings or rotate-key, one of them',
      );
    }
    for (const option of Object.keys(values) as OptionName[]) {
      if (option === 'state' || option === 'json' || form.takes.includes(option)) continue;
      throw new UsageError(`--${option} is not an option of "audit ${name}"`);
    }
    if (positionals.length > (name === 'prove' ? 2 : isFlag ? 0 : 1)) {
      throw new UsageError(`unexpected argument "${positionals.at(-1)}"`);
    }
    return form.run({ values, argument: positionals[1] });
  },
};

function runShow({ values }: Run): Promise<number> {
  const limit = count(values.limit ?? '20', '--limit');
  return showRows(stateFolder(values.state), limit, values.json === true);
}

function runProve({ values, argument }: Run): Promise<number> {
  const sequence = count(argument ?? '', 'SEQUENCE');
  return proveRow(stateFolder(values.state), sequence, values.json === true);
}

function runOpenings({ values }: Run): Promise<number> {
  const state = stateFolder(values.state);
  if (values.erase && values.out === undefined) {
    return eraseOpenings(state, values.before === undefined ? undefined : day(values.before));
  }
  if (values.out === undefined || values.erase || values.before !== undefined) {
    throw new UsageError('give either --out FILE or --erase');
  }
  return exportStoredOpenings(state, values.out);
}

function runRotateKey({ values }: Run): Promise<number> {
  return rotateKey(stateFolder(values.state), values.json === true);
}

function runExport({ values }: Run): Promise<number> {
  const { out, from, to, tenant, agent } = values;
  if (out === undefined) throw new UsageError('--out FILE is needed');
  const selection = {
    ...(from === undefined ? {} : { from: moment(from, '--from') }),
    ...(to === undefined ? {} : { to: moment(to, '--to') }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(agent === undefined ? {} : { agent: spiffeId(agent, '--agent') }),
  };
  const isWhole = Object.keys(selection).length === 0;
  if (isWhole && values['with-bundles']) {
    throw new UsageError('--with-bundles is for a selection: the whole log has them anyway');
  }
  return exportLog(stateFolder(values.state), {
    out,
    selection: isWhole ? undefined : selection,
    withBundles: values['with-bundles'] === true,
    withOpenings: values['with-openings'] === true,
    asJson: values.json === true,
  });
}

function runVerify({ values }: Run): Promise<number> {
  return verifyEvidence(stateFolder(values.state), {
    ...evidenceChoices(values),
    resumeFile: values.resume,
    progress: progressForm(values),
  });
}

function progressForm({ progress, json }: Values): ProgressForm {
  if (progress === undefined) return json ? 'none' : 'text';
  if (progress === 'text' || progress === 'json' || progress === 'none') return progress;
  throw new UsageError('--progress is text, json or none');
}

function runReplay({ values }: Run): Promise<number> {
  const { bundle, data } = values;
  if (bundle === undefined) throw new UsageError('--bundle NEW is needed');
  const state = stateFolder(values.state);
  return replayEvidence(state, { ...evidenceChoices(values), bundle, data });
}

/** What to read, whom to trust and where to report. */
function evidenceChoices(values: Values) {
  if (values.openings !== undefined && values['stored-openings']) {
    throw new UsageError('give either --openings or --stored-openings');
  }
  if (values['from-export'] !== undefined && (values.state || values['stored-openings'])) {
    throw new UsageError('an export stands for itself: no --state, no --stored-openings');
  }
  for (const file of values.report ?? []) {
    if (!/\.(html|json)$/.test(file)) throw new UsageError('--report is a .html or .json file');
  }
  return {
    exportFile: values['from-export'],
    openingsFile: values.openings,
    storedOpenings: values['stored-openings'] === true,
    checkpointFiles: values.checkpoint ?? [],
    keyFile: values.key,
    bundleKeysFile: values['bundle-keys'],
    reportFiles: values.report ?? [],
    asJson: values.json === true,
  };
}
