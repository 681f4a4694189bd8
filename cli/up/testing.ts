// Starts a real `platform up` in a process of its own, for tests of the whole machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type ControlClient, controlClient } from '../control-client.ts';
import { type StateFolder, stateFolder } from '../state-folder.ts';

const printedWithinMs = 120_000;
const entry = fileURLToPath(new URL('../platform.ts', import.meta.url));

/** A process of the command line with all that it has printed. */
export class CliProcess {
  readonly process: ChildProcess;
  readonly exited: Promise<number | string>;
  output = '';
  readonly #watchers = new Set<() => void>();

  constructor(argv: string[], environment: Record<string, string> = {}) {
    this.process = spawn(process.execPath, [entry, ...argv], {
      env: { ...process.env, NO_COLOR: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.output += chunk;
        for (const watcher of this.#watchers) watcher();
      });
    }
    this.exited = new Promise((resolve) => {
      this.process.once('close', (code, signal) => {
        resolve(signal ?? code ?? -1);
        for (const watcher of this.#watchers) watcher();
      });
    });
  }

  /**
   * Resolves when what was printed after `from` characters matches; rejects when it ends first, or
   * has not printed it after two minutes.
   */
  printed(pattern: RegExp, from = 0): Promise<RegExpMatchArray> {
    return new Promise((resolve, reject) => {
      const watcher = () => {
        const found = this.output.slice(from).match(pattern);
        const { exitCode, signalCode } = this.process;
        if (found === null && exitCode === null && signalCode === null) return;
        clearTimeout(timer);
        this.#watchers.delete(watcher);
        if (found !== null) resolve(found);
        else reject(new Error(`ended without printing ${pattern}:\n${this.output}`));
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(watcher);
        reject(new Error(`did not print ${pattern}:\n${this.output.slice(from)}`));
      }, printedWithinMs);
      this.#watchers.add(watcher);
      watcher();
    });
  }

  /** Sends the signal and resolves to the exit code, or the signal's name when it killed it. */
  end(signal: NodeJS.Signals): Promise<number | string> {
    this.process.kill(signal);
    return this.exited;
  }
}

/** A running platform under test. */
export interface TestMachine {
  cli: CliProcess;
  state: StateFolder;
  control: ControlClient;
}

/** Starts a platform on a free port and resolves when it is up. */
export async function startMachine(folder: string, more: string[] = []): Promise<TestMachine> {
  const state = stateFolder(folder);
  const cli = new CliProcess(['up', '--state', folder, '--port', '0', ...more]);
  await cli.printed(/Ctrl-C stops it/);
  return { cli, state, control: controlClient(state) };
}

/** Runs a command of the command line to its end. */
export async function runCli(argv: string[]): Promise<{ code: number | string; output: string }> {
  const cli = new CliProcess(argv);
  const code = await cli.exited;
  return { code, output: cli.output };
}

/** A tool server whose path /slow answers only when told to. */
export interface TestUpstream {
  url: string;
  /** Paths asked for, in order. */
  asked: string[];
  /** Resolves when /slow has been asked for once more. */
  slowAsked(): Promise<void>;
  close(): Promise<void>;
}

/** Starts it on a free port. */
export async function startUpstream(): Promise<TestUpstream> {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url?.startsWith('/slow')) {
      waiting.shift()?.();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"answer":42}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    slowAsked: () => new Promise((resolve) => void waiting.push(resolve)),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The registration of its two tools, `desk_fast` and `desk_slow`, under the service `desk`. */
export function upstreamTools(url: string) {
  const tool = (name: string) => ({
    name,
    description: name,
    action: 'read',
    input_schema: { type: 'object', properties: {}, additionalProperties: false },
    http: { method: 'GET', path: `/${name}` },
  });
  return {
    base_url: url,
    prefix: 'desk',
    service: 'desk',
    tools: [tool('fast'), tool('slow')],
  };
}
