// Compares random policies until so many inputs have been answered, on all processors.
import { readFile } from 'node:fs/promises';
import { RegoCompiler } from '../../runtime/modules/rego.ts';
import { builtEngine } from '../conformance/engine.ts';
import { runTasks, serveTasks } from '../conformance/pool.ts';
import { type Comparison, comparePolicy, type Difference } from './compare.ts';

export interface RandomOptions {
  /** At least so many inputs. */
  inputs: number;
  /** So many for each policy: 100 if not set. */
  each?: number;
  seed: number;
  /** Another build of the engine than wasm/build/engine.wasm. */
  engine?: string;
  progress?: (inputs: number) => void;
}

export interface RandomReport {
  policies: number;
  /** Policies that OPA's type checker refused; not among `policies`. */
  refused: number;
  /** Policies whose decision was also compared as OPA's optimiser leaves it. */
  optimised: number;
  /** Policies that our compiler did not take, with what it did not take. */
  unsupported: string[][];
  inputs: number;
  allowed: number;
  denied: number;
  /** How often each statement was compiled. */
  cover: Record<string, number>;
  differences: Difference[];
}

interface Settings {
  engine?: string;
  seed: number;
  each: number;
}

/** Compares policies from `seed` on. */
export async function compareRandom(options: RandomOptions): Promise<RandomReport> {
  const { inputs, each = 100, seed, engine, progress } = options;
  const report: RandomReport = {
    policies: 0,
    refused: 0,
    optimised: 0,
    unsupported: [],
    inputs: 0,
    allowed: 0,
    denied: 0,
    cover: {},
    differences: [],
  };
  const settings: Settings = { engine, seed, each };
  await runTasks<Settings, Comparison>({
    worker: import.meta.url,
    settings,
    more: () => report.inputs < inputs && report.differences.length < 20,
    done: (_index, comparison) => {
      add(report, comparison);
      progress?.(report.inputs);
    },
  });
  return report;
}

function add(report: RandomReport, comparison: Comparison): void {
  if (comparison.refused !== undefined) {
    report.refused += 1;
    return;
  }
  report.policies += 1;
  if (comparison.unsupported !== undefined) report.unsupported.push(comparison.unsupported);
  if (comparison.optimised) report.optimised += 1;
  report.inputs += comparison.inputs;
  report.allowed += comparison.allowed;
  report.denied += comparison.denied;
  for (const [name, count] of Object.entries(comparison.cover)) {
    report.cover[name] = (report.cover[name] ?? 0) + count;
  }
  if (comparison.difference !== undefined) report.differences.push(comparison.difference);
}

serveTasks<Settings, Comparison>(import.meta.url, async ({ engine: path, seed, each }) => {
  const compiler = await RegoCompiler.load();
  const engine = await readFile(path ?? builtEngine);
  return (index) => comparePolicy(seed + index, each, { compiler, engine });
});
