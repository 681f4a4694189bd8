// Runs OPA's own server on bundles, for tests and a benchmark that compare ours with it.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeOnce, toolFolder } from './tool-cache.ts';

const sources = fileURLToPath(new URL('./go-opa', import.meta.url));
const patienceMs = 10 * 60_000;
const startMs = 20_000;

export interface OpaServer {
  url: string;
  close(): void;
}

/**
 * Serves bundles of `folder` by their names in it, unverified, once it answers. Builds the server at
 * its first use: a minute.
 */
export async function startOpaServer(
  folder: string,
  bundles: readonly string[],
): Promise<OpaServer> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
  const server = spawn(program(), [address, ...bundles], { cwd: folder, stdio });
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4096);
  });
  const url = `http://${address}`;
  const close = () => void server.kill('SIGKILL');
  for (const deadline = Date.now() + startMs; ; ) {
    if (await fetch(`${url}/health`).then((answer) => answer.ok, never)) return { url, close };
    if (server.exitCode !== null || Date.now() > deadline) {
      close();
      throw new Error(`OPA's server did not start: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const never = () => false;

function program(): string {
  const key = ['go.mod', 'go.sum', 'main.go'].map((name) =>
    readFileSync(join(sources, name), 'utf8'),
  );
  const folder = toolFolder('opa-server', key.join('\n'));
  const built = join(folder, 'opa-server');
  makeOnce(folder, patienceMs, () => {
    mkdirSync(folder, { recursive: true });
    execFileSync('go', ['build', '-mod=readonly', '-buildvcs=false', '-o', built, '.'], {
      cwd: sources,
      env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  return built;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
