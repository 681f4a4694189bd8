// `platform policy diff`: every request that two policies answer differently, by the rules responsible.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BundleError } from '../../../runtime/errors.ts';
import type { Command } from '../../command.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { ACCEPTED_FILE, acceptance, readAccepted } from '../../policy/diff/accepted.ts';
import { type DiffOptions, diff } from '../../policy/diff/diff.ts';
import { isAcceptable, reportJson, reportText } from '../../policy/diff/report.ts';
import { readSide, withSomeData } from '../../policy/diff/side.ts';
import { type StateFolder, stateFolder } from '../../state-folder.ts';
import { print, printJson } from './sources.ts';

const COUNT_DEFAULT = 10_000;
const COUNT_MAX = 1_000_000;

const help = `Usage
  platform policy diff OLD NEW [options]

Asks both policies the same questions and shows every answer that differs: recorded decisions of
this machine's evidence, and generated requests next to every constant of both policies and of the
data. Flips are grouped by boundary and by the rules that answered; each has a name that stays.

OLD and NEW are each a folder of operators' policies (beside the platform's own), a bundle (a folder
or a .tar.gz, signed or not), or a folder with the two bundles policy and data.

It fails where something is let through that was held before (a deny that became an allow, or that a
person may now allow, or an obligation that was lost), unless a file that is part of the change
accepts that flip by name; and where the file accepts what is no flip of this change.

Options
  --data FILE        the data.json, or data bundle, that both decide with; by default that of the
                     pair or folder, else what is in force on this machine, else made-up agents
  --old-data FILE    the same for OLD alone
  --new-data FILE    the same for NEW alone
  --evidence FOLDER  a platform's state folder; by default the one here, where there is one
  --no-evidence      generated requests only
  --openings FILE    what opens committed fields, as "platform audit openings --out" writes it
  --stored-openings  take them from the platform's own encrypted store instead
  --show-opened      show the opened fields of recorded requests, which may be secrets
  --accept FILE      the accepted flips; by default ${ACCEPTED_FILE} in NEW, where there is one
  --boundary B       only this boundary; may be given again
  --count N          generated requests a boundary (default ${COUNT_DEFAULT})
  --seed S           another choice of generated requests; the same seed gives the same ones
  --json             print one JSON document

Exit codes
  0 nothing widens that is not accepted; 1 something does; 2 wrong command line

Examples
  platform policy diff main-policies my-policies
  platform policy diff released.tar.gz my-policies --data data.json
  platform policy diff .platform-state/bundles my-policies --stored-openings --boundary tool`;

/** Compares two policies. */
export const diffVerb: Command = {
  name: 'diff',
  summary: 'what two policies answer differently, and which rules do',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      {
        data: { type: 'string' },
        'old-data': { type: 'string' },
        'new-data': { type: 'string' },
        evidence: { type: 'string' },
        'no-evidence': { type: 'boolean', default: false },
        openings: { type: 'string' },
        'stored-openings': { type: 'boolean', default: false },
        'show-opened': { type: 'boolean', default: false },
        accept: { type: 'string' },
        boundary: { type: 'string', multiple: true },
        count: { type: 'string', default: String(COUNT_DEFAULT) },
        seed: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
      },
      2,
    );
    const [oldPath, newPath] = positionals;
    if (oldPath === undefined || newPath === undefined) throw new UsageError('name OLD and NEW');
    const count = countOf(values.count);
    const state = evidenceOf(values.evidence, values['no-evidence'] === true);
    const old = await withSomeData(
      await readSide(oldPath, values['old-data'] ?? values.data),
      tell,
    );
    const now = await withSomeData(
      await readSide(newPath, values['new-data'] ?? values.data),
      tell,
    );
    const acceptFile = values.accept ?? ownAccepted(newPath);
    const entries = acceptFile === undefined ? [] : await readAccepted(acceptFile);
    const seed = values.seed ?? '1';
    const options: DiffOptions = {
      ...{ count, seed, boundaries: values.boundary },
      evidence: state && {
        state,
        storedOpenings: values['stored-openings'] === true,
        openings: values.openings === undefined ? undefined : await textOf(values.openings),
      },
      onProgress: tell,
    };
    const result = await diff(old, now, options);
    const today = new Date().toISOString().slice(0, 10);
    const judged = acceptance(result.flips, entries, today);
    const showOpened = values['show-opened'] === true;
    const report = { old, now, count, seed, result, acceptance: judged, showOpened };
    if (values.json) printJson(reportJson(report));
    else print(reportText(report));
    return isAcceptable(judged) ? 0 : EXIT_FAILED;
  },
};

/** The named state folder, or its evidence folder; without a name this machine's, where there is one. */
function evidenceOf(named: string | undefined, isOff: boolean): StateFolder | undefined {
  if (isOff) return undefined;
  const state = stateFolder(named);
  if (existsSync(join(state.evidence, 'segment'))) return state;
  if (named === undefined) return undefined;
  const evidence = resolve(named);
  if (existsSync(join(evidence, 'segment'))) return { ...state, evidence };
  throw new BundleError('object_missing', `there is no evidence in ${named}`, {
    hint: "name a platform's state folder",
  });
}

function ownAccepted(path: string): string | undefined {
  const file = join(path, ACCEPTED_FILE);
  return existsSync(file) ? file : undefined;
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown) => {
    throw new BundleError('object_missing', `the file ${path} cannot be read`, { cause });
  });
}

function countOf(text: string | undefined): number {
  const count = Number(text);
  if (/^\d{1,7}$/.test(text ?? '') && count >= 1 && count <= COUNT_MAX) return count;
  throw new UsageError(`--count is a whole number from 1 to ${COUNT_MAX}`);
}

/** Progress and notes: standard output is for what was found. */
function tell(what: string): void {
  process.stderr.write(`${what}\n`);
}
