// Peers in other languages: built once a machine, then asked for batches over standard input.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeOnce, toolFolder } from '../../runtime/testing/tool-cache.ts';
import type { Contestant } from './contestant.ts';

const PATIENCE_MS = 20 * 60_000;

const programs = {
  opa: {
    name: 'OPA in Go, prepared',
    sources: ['go.mod', 'go.sum', 'main.go'],
    build: ['go', 'build', '-mod=readonly', '-buildvcs=false', '-o', 'program', '.'],
    result: 'program',
    batch: 200,
  },
  regorus: {
    name: 'regorus',
    sources: ['Cargo.toml', 'Cargo.lock', 'src/main.rs'],
    build: ['cargo', 'build', '--release', '--locked'],
    result: 'target/release/regorus-bench',
    batch: 200,
  },
  'envoy-opa': {
    name: "OPA's Envoy plugin",
    sources: ['go.mod', 'go.sum', 'main.go'],
    build: ['go', 'build', '-mod=readonly', '-buildvcs=false', '-o', 'program', '.'],
    result: 'program',
  },
} as const;

/** Starts a peer on files; throws when its toolchain is missing or it cannot be built. */
export function startProgram(
  which: 'opa' | 'regorus',
  files: { policy: string; data: string; inputs: string },
  batch?: number,
): Contestant {
  const program = programs[which];
  const child = spawn(built(which), [files.policy, files.data, files.inputs], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<string> => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`${program.name} ended`);
    return value as string;
  };
  return {
    name: program.name,
    batch: batch ?? program.batch,
    verdicts: async () =>
      (JSON.parse(await ask('answers')) as { allow: boolean }[]).map(({ allow }) => allow),
    run: async (count) => Number(await ask(String(count))),
    close: () => void child.kill(),
  };
}

/** The executable of a peer; throws when its toolchain is missing or it cannot be built. */
export function built(which: keyof typeof programs): string {
  const { sources, build, result } = programs[which];
  const from = fileURLToPath(new URL(`./${which}`, import.meta.url));
  const key = sources.map((name) => readFileSync(join(from, name), 'utf8')).join('\n');
  const folder = toolFolder(`bench-${which}`, key);
  makeOnce(folder, PATIENCE_MS, () => {
    mkdirSync(folder, { recursive: true });
    for (const name of sources) cpSync(join(from, name), join(folder, name));
    const [command, ...argv] = build;
    execFileSync(command, argv, {
      cwd: folder,
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  return join(folder, result);
}
