// `platform audit --verify`: runs the audit and prints what it found.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { EvidenceError } from '../../../runtime/errors.ts';
import { type AuditReport, audit, readNoteKey } from '../../../runtime/evidence/audit.ts';
import { importOpenings, type Openings } from '../../../runtime/evidence/openings.ts';
import { Record } from '../../../runtime/modules/record.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { StateFolder } from '../../state-folder.ts';
import { readStoredOpenings } from './openings.ts';
import { reportJson, reportText } from './report.ts';

export interface VerifyChoices {
  openingsFile: string | undefined;
  storedOpenings: boolean;
  checkpointFiles: string[];
  keyFile: string | undefined;
  bundleKeysFile: string | undefined;
  asJson: boolean;
}

export const EXIT_UNDETERMINED = 3;
export const EXIT_DIVERGED = 4;
export const EXIT_TAMPERED = 5;

/** Audits the state folder's evidence, prints the report, and returns the exit code. */
export async function verifyEvidence(state: StateFolder, choices: VerifyChoices): Promise<number> {
  const { keyFile, bundleKeysFile } = choices;
  const started = performance.now();
  const report = await audit({
    evidence: state.evidence,
    checkpoints: state.checkpoints,
    record: Record.create(moduleBytes('record')),
    openings: await openingsOf(state, choices),
    key: keyFile === undefined ? undefined : await readable(keyFile, readNoteKey),
    keptCheckpoints: await Promise.all(
      choices.checkpointFiles.map((path) => readable(path, (name) => readFile(name))),
    ),
    bundleKeys: await bundleKeysOf(state, bundleKeysFile),
    onProgress: choices.asJson ? undefined : showProgress,
  });
  if (process.stderr.isTTY && !choices.asJson) process.stderr.write('\r\u001b[K');
  const seconds = (performance.now() - started) / 1000;
  const text = choices.asJson ? reportJson(report) : reportText(report, seconds);
  process.stdout.write(`${text}\n`);
  return exitCode(report);
}

function exitCode(report: AuditReport): number {
  if (report.tampered) return EXIT_TAMPERED;
  if (report.rowVerdicts.diverged > 0) return EXIT_DIVERGED;
  const isWhole = report.rowVerdicts.undetermined === 0 && report.checkpointDamage === undefined;
  return isWhole ? 0 : EXIT_UNDETERMINED;
}

async function openingsOf(state: StateFolder, choices: VerifyChoices): Promise<Openings> {
  if (choices.storedOpenings) return readStoredOpenings(state);
  if (choices.openingsFile === undefined) return new Map();
  const text = await readable(choices.openingsFile, (path) => readFile(path, 'utf8'));
  return importOpenings(text);
}

async function bundleKeysOf(state: StateFolder, path: string | undefined): Promise<JWK[]> {
  if (path !== undefined) return readBundleKeys(path);
  const own = join(state.keys, 'bundle.json.pub');
  return existsSync(own) ? readBundleKeys(own) : [];
}

async function readable<Result>(
  path: string,
  read: (path: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(path);
  } catch (cause) {
    if (cause instanceof EvidenceError) throw cause;
    throw new EvidenceError('object_missing', `the file ${path} cannot be read`, { cause });
  }
}

function showProgress(rows: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${rows} rows …`);
}
