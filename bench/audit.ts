// Decisions of a log audited a second, on one core and in how much memory, beside the least there is to do.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchmarkCase, BenchmarkResult, Figures } from '../runtime/measure.ts';
import { figures } from '../runtime/measure.ts';
import { Guard } from '../runtime/modules/guard.ts';
import { moduleBytes } from '../runtime/modules/source.ts';
import type { Measured } from './audit/measured.ts';
import { guardScan, toolCall, writeLog } from './audit/write.ts';

const CALLS = 100_000;
const TIMES = 4;
const LIMIT_DECISIONS = 40_000;
const SCANS = 3000;
const TEXT_BYTES = 4096;
const LIMIT = 'limit: SHA-256 and execution alone';
const GUARD = 'the guard alone';
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** `npm run bench -- audit`. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  try {
    const small = join(folder, 'small');
    await writeLog(small, CALLS, toolCall);
    const once = measure(small);
    const limit = measure(small, String(LIMIT_DECISIONS));
    const large = join(folder, 'large');
    await writeLog(large, CALLS * TIMES, toolCall);
    const more = measure(large);
    rmSync(large, { recursive: true });
    const guards = join(folder, 'guards');
    await writeLog(guards, SCANS, guardScan(textOf), true);
    const scans = measure(guards);
    return {
      benchmark: 'audit',
      unit: 'µs a row',
      cases: [
        caseOf(`authorization, ${once.decisions} decisions`, once, LIMIT, decisionsOf(limit)),
        caseOf(`authorization, ${more.decisions} decisions`, more, LIMIT, decisionsOf(limit)),
        caseOf(
          `guard, ${scans.decisions} texts of ${TEXT_BYTES} bytes`,
          scans,
          GUARD,
          guardAlone(),
        ),
      ],
      notes: [
        `${isPinned() ? 'Pinned to one core' : 'Not pinned to a core'}; "per second" is decisions a second of processor time. A row more for each intent is its outcome, which has none.`,
        ...[once, more].map(noteOf),
        `guard: ${(scans.textBytes / scans.cpuSeconds / 1e6).toFixed(1)} MB of text a second.`,
        'No two inputs are alike, and every decision is executed: nothing is answered from memory.',
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the audit of a log in a process of its own, on one core where there is a way to say so. */
function measure(...given: string[]): Measured {
  const script = fileURLToPath(new URL('./audit/measured.ts', import.meta.url));
  const command = [process.execPath, script, ...given];
  const [file, ...rest] = isPinned() ? ['taskset', '-c', '0', ...command] : command;
  const printed = execFileSync(file!, rest, { maxBuffer: OUTPUT_BYTES_MAX });
  return JSON.parse(printed.toString()) as Measured;
}

function isPinned(): boolean {
  try {
    execFileSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function caseOf(name: string, measured: Measured, peer: string, of: Figures): BenchmarkCase {
  const ours = decisionsOf(measured);
  const peers = { [peer]: of };
  return { name, ours, peers, ratios: { [peer]: ours.perSecond / of.perSecond } };
}

// Of processor time: on one core that nobody else uses, which a shared machine has not, it is the same.
function decisionsOf({ times, decisions, cpuSeconds }: Measured): Figures {
  return { ...figures(times), perSecond: decisions / cpuSeconds };
}

function noteOf({ rows, decisions, bytes, seconds, cpuSeconds, peakMegabytes }: Measured): string {
  const perSecond = (decisions / seconds).toFixed(0);
  return `${rows} rows, ${(bytes / 1e6).toFixed(0)} MB: ${(bytes / cpuSeconds / 1e6).toFixed(0)} MB/s, ${perSecond} decisions a second by the clock, peak memory ${peakMegabytes.toFixed(0)} MB.`;
}

/** What the module itself does with the same texts. */
function guardAlone(): Figures {
  const guard = Guard.create(moduleBytes('guard'));
  const requests = Array.from({ length: SCANS }, (_, call) =>
    Buffer.from(
      JSON.stringify({
        ...{
          direction: 'input',
          scanners: ['InvisibleText', 'PII', 'Secrets'],
          text: textOf(call),
        },
      }),
    ),
  );
  for (const request of requests.slice(0, 200)) guard.scanBytes(request);
  const began = process.cpuUsage();
  const times = requests.map((request) => {
    const at = performance.now();
    guard.scanBytes(request);
    return (performance.now() - at) * 1000;
  });
  const { user, system } = process.cpuUsage(began);
  return { ...figures(times), perSecond: SCANS / ((user + system) / 1e6) };
}

const WORDS =
  'please send the open orders of last week to the accountant and say when they were paid'.split(
    ' ',
  );

/** Another text for each call. */
function textOf(call: number): string {
  let text = `call ${call}:`;
  for (let at = call; text.length < TEXT_BYTES; at = (at * 31 + 7) % 1_000_003) {
    text += ` ${WORDS[at % WORDS.length]}`;
  }
  return text.slice(0, TEXT_BYTES);
}
