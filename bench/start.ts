// From nothing to the first decision: a process that loads a pair of bundles and decides once.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import { type BenchmarkResult, figures } from '../runtime/measure.ts';
import { sampleAgent, sampleData } from '../runtime/testing/sample-data.ts';

const AGENTS = 200;
const ROUNDS = 15;
const WARMUP = 2;
/** In milliseconds. */
const SECOND = 1000;
const program = fileURLToPath(new URL('./programs/decide-once.ts', import.meta.url));
const cache = new URL('../cli/bin/compile-cache.js', import.meta.url).href;

/** What the program prints: milliseconds of its parts. */
interface Parts {
  import: number;
  pair: number;
  first: number;
}

/** `npm run bench -- start`: beside a process that does nothing, which is what Node itself takes. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const { trusted } = await writeSamplePair(folder, { data: sampleData(AGENTS) });
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, JSON.stringify(trusted));
  const input = JSON.stringify({ action: 'call', identity: { spiffe_id: sampleAgent(1) } });
  const decide = [program, folder, keys, input];
  const alternatives = {
    ours: ['--import', cache, ...decide],
    'ours without the cache of compiled sources': decide,
    'limit: node -e 0': ['-e', '0'],
  };
  const times = new Map<string, number[]>(Object.keys(alternatives).map((name) => [name, []]));
  const parts: Parts[] = [];
  for (let round = -WARMUP; round < ROUNDS; round++) {
    for (const [name, options] of Object.entries(alternatives)) {
      const { elapsed, output } = timed(options);
      if (round < 0) continue;
      times.get(name)!.push(elapsed);
      if (name === 'ours') parts.push(JSON.parse(output) as Parts);
    }
  }
  rmSync(folder, { recursive: true });
  const [ours, ...peers] = [...times].map(([name, list]) => ({
    name,
    figures: figures(list, SECOND),
  }));
  const median = (part: keyof Parts) => figures(parts.map((each) => each[part])).p50.toFixed(1);
  return {
    benchmark: 'start',
    unit: 'ms',
    cases: [
      {
        name: `start to first decision, ${AGENTS} agents`,
        ours: ours!.figures,
        peers: Object.fromEntries(peers.map((peer) => [peer.name, peer.figures])),
        ratios: Object.fromEntries(
          peers.map((peer) => [peer.name, peer.figures.p50 / ours!.figures.p50]),
        ),
      },
    ],
    notes: [
      `Of ours, in the process: import ${median('import')} ms, pair ${median('pair')} ms, first decision ${median('first')} ms.`,
    ],
  };
}

/** Runs Node to its end; milliseconds. */
function timed(options: string[]): { elapsed: number; output: string } {
  const started = process.hrtime.bigint();
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8' });
  const elapsed = Number(process.hrtime.bigint() - started) / 1e6;
  if (status !== 0) throw new Error(`the program failed: ${stderr}`);
  return { elapsed, output: stdout };
}
