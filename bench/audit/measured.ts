// One audit in a process of its own, so that its memory is its own: prints what it took as JSON.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JWK } from 'jose';
import type { Boundary, DecisionModule } from '../../runtime/decide/boundary.ts';
import { audit } from '../../runtime/evidence/audit/audit.ts';
import { Executors, Unavailable } from '../../runtime/evidence/audit/executors.ts';
import { type RecordedDecision, readRow } from '../../runtime/evidence/audit/recorded.ts';
import { nodeReader } from '../../runtime/evidence/files.ts';
import { readFrames } from '../../runtime/evidence/frame.ts';
import { ObjectReader } from '../../runtime/evidence/objects.ts';
import { OpeningsStore } from '../../runtime/evidence/openings.ts';
import { Record } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

/** What one process measured. */
export interface Measured {
  rows: number;
  decisions: number;
  /** Of the segment, and of the texts that were scanned. */
  bytes: number;
  textBytes: number;
  seconds: number;
  cpuSeconds: number;
  peakMegabytes: number;
  /** Microseconds a row, of each commit group. */
  times: number[];
}

const record = Record.create(moduleBytes('record'));

async function auditOf(folder: string): Promise<Measured> {
  const { keys } = JSON.parse(readFileSync(join(folder, 'bundle.json.pub'), 'utf8'));
  const store = new OpeningsStore({ dir: join(folder, 'openings'), keysDir: join(folder, 'keys') });
  const openings = await store.read();
  const times: number[] = [];
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  let last = { at: began.at, rows: 0 };
  const report = await audit({
    ...{ evidence: join(folder, 'evidence'), checkpoints: join(folder, 'checkpoints') },
    ...{ record, openings, bundleKeys: keys as JWK[] },
    onProgress(rows) {
      const at = performance.now();
      times.push(((at - last.at) * 1000) / (rows - last.rows));
      last = { at, rows };
    },
  });
  const seconds = (performance.now() - began.at) / 1000;
  const { user, system } = process.cpuUsage(began.cpu);
  if (report.tampered || report.rowVerdicts.reproduced !== report.rows) {
    throw new Error(`the audit of the benchmark's own log found ${JSON.stringify(report)}`);
  }
  return {
    ...{ rows: report.rows, decisions: report.decisionVerdicts.reproduced, seconds, times },
    ...{ bytes: await sizeOf(folder), textBytes: textBytesOf(openings.values()) },
    cpuSeconds: (user + system) / 1e6,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

/** The least that an audit must do: hash each row and each decision, and execute. */
async function limitOf(folder: string, decisionsMax: number): Promise<Measured> {
  const { keys } = JSON.parse(readFileSync(join(folder, 'bundle.json.pub'), 'utf8'));
  const executors = new Executors(new ObjectReader(nodeReader, join(folder, 'evidence')), keys);
  const rows: { bytes: Buffer; decisions: RecordedDecision[] }[] = [];
  let decisions = 0;
  await using segment = await nodeReader.open(join(folder, 'evidence', 'segment'));
  for await (const { kind, body } of readFrames(segment)) {
    if (kind !== 'row') continue;
    const bytes = Buffer.from(body);
    const row = { bytes, decisions: readRow(bytes).decisions };
    rows.push(row);
    decisions += row.decisions.length;
    if (decisions >= decisionsMax) break;
  }
  const first = rows.flatMap((row) => row.decisions)[0]!;
  const pair = executors.pair(first.policy_revision, first.data_revision);
  await pair.load();
  const { executor } = pair;
  if (executor === undefined || executor instanceof Unavailable) throw new Error('no executor');
  const once = () => {
    for (const row of rows) {
      record.leafHash(row.bytes);
      for (const { boundary, module, inputBytes, outputBytes } of row.decisions) {
        record.framedHex([inputBytes, outputBytes]);
        const of = { boundary: boundary as Boundary, module: module as DecisionModule };
        executor.execute({ ...of, input: inputBytes });
      }
    }
  };
  once();
  const began = { at: performance.now(), cpu: process.cpuUsage() };
  once();
  const seconds = (performance.now() - began.at) / 1000;
  const { user, system } = process.cpuUsage(began.cpu);
  const bytes = rows.reduce((sum, row) => sum + row.bytes.length, 0);
  return {
    ...{ rows: rows.length, decisions, bytes, textBytes: 0, seconds },
    ...{ cpuSeconds: (user + system) / 1e6, peakMegabytes: 0 },
    times: [(seconds * 1e6) / rows.length],
  };
}

async function sizeOf(folder: string): Promise<number> {
  await using segment = await nodeReader.open(join(folder, 'evidence', 'segment'));
  return segment.size();
}

function textBytesOf(openings: Iterable<{ field: string; value: Uint8Array }>): number {
  let bytes = 0;
  for (const { field, value } of openings) if (field === 'text') bytes += value.length;
  return bytes;
}

const [folder, limit] = process.argv.slice(2);
const measured =
  limit === undefined ? await auditOf(folder!) : await limitOf(folder!, Number(limit));
process.stdout.write(JSON.stringify(measured));
