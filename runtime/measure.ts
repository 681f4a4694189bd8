// Measures alternatives side by side in one run: interleaved batches, so that drift hits all alike.

/** Latency figures of one alternative, in the benchmark's unit, and its rate. */
export interface Figures {
  p50: number;
  p99: number;
  perSecond: number;
}

/** One case: ours beside its peers; a ratio above 1 means ours is faster at p50. */
export interface BenchmarkCase {
  name: string;
  ours: Figures;
  peers: Record<string, Figures>;
  ratios: Record<string, number>;
}

/** What `npm run bench -- NAME --json` prints. */
export interface BenchmarkResult {
  benchmark: string;
  unit: string;
  cases: BenchmarkCase[];
  /** What a reader must know, such as a peer that was not run and why. */
  notes?: string[];
}

export interface Sampling {
  /** Calls per timed sample: more for what is faster than the clock can tell. */
  batch: number;
  samples: number;
  warmup: number;
}

const MICROSECONDS = 1e3;

/**
 * Times each alternative in turn, `samples` rounds of `batch` calls; the first is ours.
 * Figures are microseconds a call.
 */
export function compare(
  name: string,
  alternatives: Record<string, (round: number) => unknown>,
  sampling: Sampling,
): BenchmarkCase {
  const names = Object.keys(alternatives);
  const times = new Map<string, number[]>(names.map((key) => [key, []]));
  for (const key of names) {
    for (let i = 0; i < sampling.warmup; i++) alternatives[key]!(i);
  }
  for (let round = 0; round < sampling.samples; round++) {
    for (const key of names) {
      const call = alternatives[key]!;
      const started = process.hrtime.bigint();
      for (let i = 0; i < sampling.batch; i++) call(round * sampling.batch + i);
      const elapsed = Number(process.hrtime.bigint() - started);
      times.get(key)!.push(elapsed / sampling.batch / MICROSECONDS);
    }
  }
  return toCase(name, names, times);
}

/** The same for asynchronous calls, one at a time. */
export async function compareAsync(
  name: string,
  alternatives: Record<string, (round: number) => Promise<unknown>>,
  sampling: Sampling,
): Promise<BenchmarkCase> {
  const names = Object.keys(alternatives);
  const times = new Map<string, number[]>(names.map((key) => [key, []]));
  for (const key of names) {
    for (let i = 0; i < sampling.warmup; i++) await alternatives[key]!(i);
  }
  for (let round = 0; round < sampling.samples; round++) {
    for (const key of names) {
      const call = alternatives[key]!;
      const started = process.hrtime.bigint();
      for (let i = 0; i < sampling.batch; i++) await call(round * sampling.batch + i);
      const elapsed = Number(process.hrtime.bigint() - started);
      times.get(key)!.push(elapsed / sampling.batch / MICROSECONDS);
    }
  }
  return toCase(name, names, times);
}

function toCase(name: string, names: string[], times: Map<string, number[]>): BenchmarkCase {
  const [first, ...others] = names;
  const ours = figures(times.get(first!)!);
  const peers = Object.fromEntries(others.map((key) => [key, figures(times.get(key)!)]));
  const ratios = Object.fromEntries(
    Object.entries(peers).map(([key, peer]) => [key, peer.p50 / ours.p50]),
  );
  return { name, ours, peers, ratios };
}

/** Median, 99th percentile and rate of a list of times, by default in microseconds: a million of them a second. */
export function figures(times: number[], second = 1e6): Figures {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const mean = sorted.reduce((sum, time) => sum + time, 0) / sorted.length;
  return { p50: at(0.5), p99: at(0.99), perSecond: second / mean };
}
