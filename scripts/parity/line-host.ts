// Hosts that are programs: requests on standard input, a line each, answers on standard output.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonForTests } from '../../sdk/python/environment.ts';
import type { Fault } from './faults.ts';
import type { Answer, HostSetup, ParityHost } from './host.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const PATIENCE_MS = 300_000;
const ERROR_BYTES_MAX = 2000;

/** How a fault gets into a process of Node: a module that runs before the host's own. */
function preload(fault: Fault | undefined): string[] {
  return fault === undefined ? [] : ['--import', here('plant-node.ts')];
}

/** Node's own host, as services and the TypeScript SDK have it. */
export async function startNode({ folder, fault }: HostSetup): Promise<ParityHost> {
  return lineHost(process.execPath, [...preload(fault), here('node-program.ts'), folder], fault);
}

/** `platform decide`. */
export async function startCli({ folder, fault }: HostSetup): Promise<ParityHost> {
  const options = ['--bundles', folder, '--keys', join(folder, 'bundle.jwk.pub')];
  const args = [...preload(fault), 'cli/platform.ts', 'decide', ...options];
  return lineHost(process.execPath, args, fault);
}

/** The Python SDK, with its own host over wasmtime. */
export async function startPython({ folder, fault }: HostSetup): Promise<ParityHost> {
  const { python } = await pythonForTests();
  const program = fault === undefined ? ['-m', 'platform_sdk.parity'] : [here('plant_python.py')];
  const options = ['--bundles', folder, '--keys', join(folder, 'bundle.jwk.pub')];
  return lineHost(python, ['-u', ...program, ...options, '--modules', 'wasm/build'], fault);
}

/** Starts a program, which gets its fault as JSON in the environment. */
async function lineHost(command: string, args: string[], fault?: Fault): Promise<ParityHost> {
  const env = { ...process.env, PLATFORM_PARITY_FAULT: fault && JSON.stringify(fault) };
  const child = spawn(command, args, { cwd: root, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-ERROR_BYTES_MAX);
  });
  const closed = once(child, 'close');
  const answers = linesOf(child.stdout);
  child.stdin.on('error', () => {}); // The program's end is seen where its answers end.
  return {
    async decide(lines) {
      const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      child.stdin.write(`${lines.join('\n')}\n`);
      try {
        const found: Answer[] = [];
        while (found.length < lines.length) {
          const { value, done } = await answers.next();
          if (done) throw new Error(`${command} ended before it answered: ${errors}`);
          found.push(JSON.parse(value) as Answer);
        }
        return found;
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** The lines of a stream as they come. */
async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}
