// The guard beside other scanners on the same texts in one run, and beside the native ceiling of its own rules.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  type BenchmarkCase,
  type BenchmarkResult,
  compare,
  type Figures,
  figures,
} from '../runtime/measure.ts';
import { Guard, type ScannerName, scanners } from '../runtime/modules/guard.ts';
import { moduleBytes } from '../runtime/modules/source.ts';
import { type ScannerProgram, startScanner } from './peers/scanner.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE_BYTES = 256 * 1024;
const ROUNDS = 12;
/** Slow peers are asked that often, and scan the beginning of the text. */
const SLOW_ROUNDS = 3;
const SLOW_BYTES = 32 * 1024;
const PATTERNS: readonly ScannerName[] = ['InvisibleText', 'PII', 'Secrets'];

/** `npm run bench -- guard` */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-guard-'));
  const notes: string[] = [];
  try {
    const guard = ready(notes);
    const text = sourceText();
    const bench = new Bench(folder, guard, text, notes);
    const rules = join(folder, 'rules.json');
    writeFileSync(rules, JSON.stringify(ruleSources()));
    const cases = [
      await bench.beside(
        `Secrets, ${text.length >> 10} KB of source`,
        ['Secrets'],
        [
          { name: 'aho-corasick and regex in Rust', argv: [rules] },
          { name: 'gitleaks 8.30.1' },
          { name: 'secretlint 13' },
          { name: 'detect-secrets 1.5', isSlow: true },
        ],
      ),
      await bench.beside(
        `PII, ${text.length >> 10} KB of source`,
        ['PII'],
        [{ name: 'Presidio, patterns', isSlow: true }],
      ),
      await bench.beside(`all pattern scanners, ${text.length >> 10} KB of source`, PATTERNS, [
        { name: 'aho-corasick and regex in Rust', argv: [rules] },
      ]),
      prompt(guard),
    ];
    return { benchmark: 'guard', unit: 'µs', cases, notes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Peer {
  name: string;
  argv?: readonly string[];
  isSlow?: boolean;
}

class Bench {
  readonly #folder: string;
  readonly #guard: Guard;
  readonly #text: string;
  readonly #notes: string[];

  constructor(folder: string, guard: Guard, text: string, notes: string[]) {
    this.#folder = folder;
    this.#guard = guard;
    this.#text = text;
    this.#notes = notes;
  }

  /** Ours and each peer in turn; a slow peer's times are those of the whole text at its rate. */
  async beside(
    name: string,
    wanted: readonly ScannerName[],
    peers: Peer[],
  ): Promise<BenchmarkCase> {
    const whole = this.#file('whole.txt', this.#text);
    const part = this.#file('part.txt', this.#text.slice(0, SLOW_BYTES));
    const times = new Map<string, number[]>([['ours', []]]);
    const programs: (Peer & { program: ScannerProgram })[] = [];
    for (const peer of peers) {
      try {
        programs.push({ ...peer, program: startScanner(peer.name, peer.argv) });
        times.set(peer.name, []);
      } catch (error) {
        this.#notes.push(`${peer.name} was not run: ${(error as Error).message}`);
      }
    }
    for (let round = -2; round < ROUNDS; round++) {
      const ours = this.#once(wanted);
      if (round >= 0) times.get('ours')!.push(ours);
      for (const { name: peer, isSlow, program } of programs) {
        if (isSlow && round >= SLOW_ROUNDS) continue;
        const { micros } = await program.scan(isSlow ? part : whole);
        if (round >= 0)
          times.get(peer)!.push(isSlow ? micros * (this.#text.length / SLOW_BYTES) : micros);
      }
    }
    for (const { program } of programs) program.close();
    return this.#figures(name, times);
  }

  #file(name: string, text: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text);
    return path;
  }

  #once(wanted: readonly ScannerName[]): number {
    const started = process.hrtime.bigint();
    this.#guard.scan({ direction: 'input', scanners: wanted, text: this.#text });
    return Number(process.hrtime.bigint() - started) / 1000;
  }

  #figures(name: string, times: Map<string, number[]>): BenchmarkCase {
    const [ours, ...peers] = [...times].map(([who, all]): [string, Figures] => [who, figures(all)]);
    const rates = [ours!, ...peers].map(
      ([who, of]) => `${who} ${(this.#text.length / of.p50).toFixed(2)} MB/s`,
    );
    this.#notes.push(`${name}: ${rates.join(', ')}`);
    return {
      name,
      ours: ours![1],
      peers: Object.fromEntries(peers),
      ratios: Object.fromEntries(peers.map(([who, of]) => [who, of.p50 / ours![1].p50])),
    };
  }
}

/** A guard, and how large it is and how long it took to be ready. */
function ready(notes: string[]): Guard {
  const bytes = moduleBytes('guard');
  const took: number[] = [];
  let guard: Guard | undefined;
  for (let round = 0; round < 10; round++) {
    const started = performance.now();
    guard = Guard.create(bytes);
    guard.scan({ direction: 'input', scanners: PATTERNS, text: 'ready' });
    took.push(performance.now() - started);
  }
  const { p50 } = figures(took);
  notes.push(`the module: ${(bytes.length / 1024).toFixed(0)} KB, ready in ${p50.toFixed(1)} ms`);
  return guard!;
}

/** Two kilobytes of ordinary request through every scanner that is built and needs nothing from outside. */
function prompt(guard: Guard): BenchmarkCase {
  const text = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8').slice(0, 2048);
  const names = scanners.map(({ name }) => name);
  const all = names.filter((name) => name !== 'TokenLimit');
  const request = {
    ...{ direction: 'output' as const, text, prompt: text.slice(0, 300) },
    topics: { forbidden: ['medicine', 'politics and elections'] },
  };
  return compare(
    'all scanners but exact counting, 2 KB of prose',
    {
      ours: () => guard.scan({ ...request, scanners: all }),
      'ours: patterns alone': () => guard.scan({ ...request, scanners: PATTERNS }),
    },
    { batch: 20, samples: 100, warmup: 300 },
  );
}

/** TypeScript, Python and JSON as people write them: this repository's own. */
function sourceText(): string {
  const files = globSync(
    ['runtime/**/*.ts', 'services/**/*.ts', 'sdk/python/src/**/*.py', 'package-lock.json'],
    { cwd: ROOT, exclude: (path) => path.includes('node_modules') },
  ).toSorted();
  let text = '';
  // Every third file, so that all folders are in it.
  for (let index = 0; text.length < SOURCE_BYTES; index += 3) {
    const file = files[index % files.length]!;
    text += readFileSync(join(ROOT, file), 'utf8').slice(0, 8192);
  }
  return text.slice(0, SOURCE_BYTES);
}

/** The rules' keywords and patterns, for the native ceiling. */
function ruleSources(): { keywords: string[]; pattern: string }[] {
  const files = globSync('wasm/guard/rules/secrets/*.yaml', { cwd: ROOT }).toSorted();
  return files.flatMap((file) => {
    const { rules } = parse(readFileSync(join(ROOT, file), 'utf8')) as {
      rules: { keywords?: string[]; pattern: string }[];
    };
    return rules.map(({ keywords = [], pattern }) => ({ keywords, pattern }));
  });
}
