// The real clients of four providers, for tests: installed once a machine, at fixed versions, beside the lock file.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeOnce, toolFolder } from '../../../runtime/testing/tool-cache.ts';

const PACKAGES = [
  'openai@6.49.0',
  '@anthropic-ai/sdk@1.12.0',
  '@google/genai@2.32.0',
  '@mistralai/mistralai@2.7.0',
];
const PATIENCE_MS = 5 * 60_000;

/** Imports one of the packages. */
export async function clientPackage(name: string) {
  const folder = toolFolder('llm-clients', PACKAGES.join('\n'));
  makeOnce(folder, PATIENCE_MS, () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
    execFileSync('npm', ['install', ...options, ...PACKAGES], { cwd: folder, stdio: 'pipe' });
  });
  const require = createRequire(join(folder, 'package.json'));
  try {
    return require(name);
  } catch {
    return import(join(folder, 'node_modules', name, 'esm', 'index.js'));
  }
}

/** The server of sdk/testing, and what it was asked. */
export interface ModelServer {
  url: string;
  /** Says what a model answers: see sdk/testing/llm-server.ts. */
  reply(model: string, reply: object): Promise<void>;
  requests(): Promise<
    { path: string; body: Record<string, unknown>; events: number; ended: string }[]
  >;
  forget(): Promise<void>;
  close(): void;
}

/** Starts the server that speaks the four wires. */
export async function startModelServer(): Promise<ModelServer> {
  const program = fileURLToPath(new URL('../../testing/llm-server.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const url = `http://127.0.0.1:${(JSON.parse(value!) as { port: number }).port}`;
  return {
    url,
    async reply(model, reply) {
      const body = JSON.stringify(reply);
      await fetch(`${url}/replies/${encodeURIComponent(model)}`, { method: 'PUT', body });
    },
    requests: async () => (await fetch(`${url}/requests`)).json(),
    forget: async () => void (await fetch(`${url}/requests`, { method: 'DELETE' })),
    close: () => void child.kill(),
  };
}
