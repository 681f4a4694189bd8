// Builds SPIRE's server from its Go module, once a machine, for tests that compare ours with it.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMade, makeOnce, toolFolder } from './tool-cache.ts';

const version = 'v1.13.3';
/** The checksum of the module's sources, as go.sum has it; its own go.sum pins all others. */
const checksum = 'h1:wDTK8tj8ShO5izjue/OFanVaehmjUxSxHtSWxBY+FJQ=';
const folder = toolFolder('spire-server', `${version} ${checksum}`);
const patienceMs = 18 * 60_000;
const outputBytesMax = 16 * 1024 * 1024;

/**
 * The path of `spire-server`. The first call on a machine takes minutes and gigabytes: it downloads
 * and compiles some 2000 packages. It needs a C compiler, for SQLite. Throws with Go's last words.
 */
export function spireServer(): string {
  const program = join(folder, 'spire-server');
  makeOnce(folder, patienceMs, () => build(program));
  return program;
}

/** Whether it has been built already. */
export function isSpireBuilt(): boolean {
  return isMade(folder);
}

function build(program: string): void {
  mkdirSync(folder, { recursive: true });
  const module = `github.com/spiffe/spire@${version}`;
  const said = go(['mod', 'download', '-json', module], folder);
  const { Dir: sources = '', Sum: sum } = JSON.parse(said) as { Dir?: string; Sum?: string };
  if (sum !== checksum)
    throw new Error(`the sources of ${module} are others than expected: ${sum}`);
  // Built as the main module, as SPIRE's own releases are: its go.mod and go.sum are in force.
  go(['build', '-p=2', '-buildvcs=false', '-o', program, './cmd/spire-server'], sources);
}

function go(args: string[], cwd: string): string {
  try {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const env = { ...process.env, CGO_ENABLED: '1', GOWORK: 'off' };
    const options = { cwd, env, stdio, encoding: 'utf8', maxBuffer: outputBytesMax } as const;
    return execFileSync('go', args, options);
  } catch (cause) {
    const words = String((cause as { stderr?: string }).stderr ?? '').trim();
    throw new Error(`go ${args[0]} failed: ${words.slice(-2000)}`, { cause });
  }
}
