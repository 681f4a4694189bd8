// A program that connects to Unix sockets, started as a real child process by attestation tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./caller-program.js', import.meta.url));

export interface CallerOptions {
  /** The whole environment of the process; PATH is added. */
  environment?: Record<string, string>;
  /** Further arguments, seen in the process's command line. */
  marks?: string[];
}

/** A child process that does what it is told, one line at a time. */
export class Caller {
  readonly process: ChildProcess;
  #buffer = '';
  #waiting: ((line: string) => void)[] = [];

  constructor(options: CallerOptions = {}) {
    this.process = spawn(process.execPath, [program, ...(options.marks ?? [])], {
      env: { PATH: process.env.PATH, ...options.environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#buffer += chunk;
      for (let end = this.#buffer.indexOf('\n'); end >= 0; end = this.#buffer.indexOf('\n')) {
        this.#waiting.shift()?.(this.#buffer.slice(0, end));
        this.#buffer = this.#buffer.slice(end + 1);
      }
    });
  }

  get pid(): number {
    return this.process.pid ?? -1;
  }

  /**
   * Sends a raw request over a Unix socket, as the child or as a child of the child, and resolves
   * to all that came back until the other side closed.
   */
  send(socketPath: string, raw: string, as: SendAs = {}): Promise<string> {
    return this.#ask({ do: 'send', socketPath, raw, ...as });
  }

  /** Opens a connection and keeps it. */
  hold(socketPath: string): Promise<string> {
    return this.#ask({ do: 'hold', socketPath });
  }

  /** Takes the mark of agents, as `platform run` has an agent's process do. */
  async mark(): Promise<void> {
    if ((await this.#ask({ do: 'mark' })) !== 'marked') throw new Error('it cannot be marked');
  }

  /** Ends the process and waits until it has been reaped. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await ended;
  }

  #ask(order: object): Promise<string> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error('the caller process ended'));
      this.process.once('exit', ended);
      this.#waiting.push((line) => {
        this.process.off('exit', ended);
        resolve(JSON.parse(line) as string);
      });
      this.process.stdin?.write(`${JSON.stringify(order)}\n`);
    });
  }
}

export interface SendAs {
  /** Environment of a child of the child, which then is the one that connects. */
  childEnvironment?: Record<string, string>;
  /** The child of the child first loses its parent, as a daemon does. */
  orphan?: boolean;
  /** Sent over the same connection when something has come back. */
  next?: string;
}
