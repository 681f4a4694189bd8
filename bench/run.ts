// `npm run bench -- NAME [--json]`: runs one benchmark, prints a table for people or one JSON object.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import type { BenchmarkResult, Figures } from '../runtime/measure.ts';

const folder = dirname(fileURLToPath(import.meta.url));
const notBenchmarks = ['run.ts'];

/** The benchmarks there are: every other file of this folder that exports `run`. */
function names(): string[] {
  return readdirSync(folder)
    .filter((file) => /^[a-z]+\.ts$/.test(file) && !notBenchmarks.includes(file))
    .map((file) => file.replace('.ts', ''));
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function print(result: BenchmarkResult): void {
  const table = new Table({
    head: ['case', 'who', `p50 ${result.unit}`, `p99 ${result.unit}`, 'per second', 'ours is'],
    style: { head: [], border: [] },
  });
  const row = (name: string, who: string, of: Figures, ratio: string) =>
    table.push([name, who, number(of.p50), number(of.p99), of.perSecond.toFixed(0), ratio]);
  for (const entry of result.cases) {
    row(entry.name, 'ours', entry.ours, '');
    for (const [peer, of] of Object.entries(entry.peers)) {
      const times = `${number(entry.ratios[peer]!)} ×`;
      // A variant of ours is nothing to be faster than: it says what its difference costs.
      const isOurs = peer.startsWith('ours');
      row('', peer, of, isOurs ? `this variant takes ${times} as long` : `${times} as fast`);
    }
  }
  console.log(table.toString());
  for (const note of result.notes ?? []) console.log(note);
}

const json = process.argv.includes('--json');
const name = process.argv.slice(2).find((argument) => !argument.startsWith('-'));
if (name === undefined || !names().includes(name)) {
  console.error(
    `usage: npm run bench -- NAME [--json]\nNAME is one of: ${names().join(', ')}` +
      '\nexample: npm run bench -- policy --json',
  );
  process.exit(name === undefined && process.argv.includes('--help') ? 0 : 2);
}
const { run } = (await import(join(folder, `${name}.ts`))) as {
  run(): Promise<BenchmarkResult>;
};
const result = await run();
if (json) console.log(JSON.stringify(result));
else print(result);
process.exit(0);
