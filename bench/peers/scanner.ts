// Peers of the guard: other scanners as programs that read the path of a text and say how long they took over it.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeVenv } from '../../runtime/testing/python-tools.ts';
import { makeOnce, toolFolder } from '../../runtime/testing/tool-cache.ts';

const PATIENCE_MS = 20 * 60_000;

/** A scanner in another process. */
export interface ScannerProgram {
  name: string;
  /** Microseconds that one scan of the file took, and what was found. */
  scan(path: string): Promise<{ micros: number; findings: number }>;
  close(): void;
}

type Prepared = { command: string; argv: string[] };

const python = fileURLToPath(new URL('./scanners/python.py', import.meta.url));

/** Makes the tool once a machine and returns how it is started. */
const programs: Record<string, () => Prepared> = {
  'aho-corasick and regex in Rust': () => ({
    command: built('ceiling', ['Cargo.toml', 'Cargo.lock', 'src/main.rs'], {
      build: ['cargo', 'build', '--release', '--locked'],
      result: 'target/release/ceiling',
    }),
    argv: [],
  }),
  'gitleaks 8.30.1': () => ({
    command: built('gitleaks', ['go.mod', 'go.sum', 'main.go'], {
      build: ['go', 'build', '-mod=readonly', '-buildvcs=false', '-o', 'program', '.'],
      result: 'program',
    }),
    argv: [],
  }),
  'secretlint 13': () => ({ command: process.execPath, argv: [secretlint()] }),
  'detect-secrets 1.5': () => pythonProgram('detect-secrets', 'detect-secrets==1.5.0'),
  'Presidio, patterns': () => pythonProgram('presidio', 'presidio-analyzer==2.2.366'),
};

/** Starts a peer; throws when its toolchain is missing or it cannot be installed. */
export function startScanner(
  name: keyof typeof programs,
  more: readonly string[] = [],
): ScannerProgram {
  const { command, argv } = programs[name]!();
  const child = spawn(command, [...argv, ...more], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    name,
    async scan(path) {
      child.stdin.write(`${path}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`${name} ended`);
      const { ns, findings } = JSON.parse(value) as { ns: number; findings: number };
      return { micros: ns / 1000, findings };
    },
    close: () => void child.kill(),
  };
}

function built(
  which: string,
  sources: readonly string[],
  { build, result }: { build: readonly string[]; result: string },
): string {
  const from = fileURLToPath(new URL(`./${which}`, import.meta.url));
  const folder = toolFolder(`bench-${which}`, sources.map((name) => read(from, name)).join('\n'));
  makeOnce(folder, PATIENCE_MS, () => {
    for (const name of sources) cpSync(join(from, name), join(folder, name));
    const [command, ...argv] = build;
    const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
    const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit'];
    execFileSync(command!, argv, { cwd: folder, env, stdio });
  });
  return join(folder, result);
}

function read(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

function pythonProgram(which: string, requirement: string): Prepared {
  const folder = toolFolder(`bench-${which}`, requirement);
  makeOnce(folder, PATIENCE_MS, () => makeVenv(folder, [requirement]));
  return { command: join(folder, 'bin', 'python'), argv: [python, which] };
}

/** secretlint needs its packages beside the program that imports them. */
function secretlint(): string {
  const source = fileURLToPath(new URL('./scanners/secretlint.js', import.meta.url));
  const packages = [
    '@secretlint/core@13.0.7',
    '@secretlint/secretlint-rule-preset-recommend@12.0.0',
  ];
  const folder = toolFolder('bench-secretlint', [...packages, readFileSync(source)].join('\n'));
  makeOnce(folder, PATIENCE_MS, () => {
    mkdirSync(folder, { recursive: true });
    const argv = ['install', '--ignore-scripts', '--no-audit', '--prefix', folder, ...packages];
    execFileSync('npm', argv, { stdio: ['ignore', 'ignore', 'inherit'] });
    cpSync(source, join(folder, 'secretlint.mjs'));
  });
  return join(folder, 'secretlint.mjs');
}
