// A workload in a process of its own that takes one JSON order a line and gives one JSON answer a line.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Answer {
  error?: string;
  svids?: {
    id: string;
    hint?: string;
    serial: string;
    dns?: string[] | null;
    roots?: number;
    chain?: number;
  }[];
  id?: string;
  token?: string;
  text?: string;
  x509?: number;
  jwt?: number;
}

export class OrderProcess {
  readonly pid: number;
  readonly #process;
  readonly #waiting: ((answer: Answer) => void)[] = [];

  constructor(command: string, args: readonly string[] = []) {
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.pid = this.#process.pid ?? -1;
    this.#process.once('exit', () => {
      for (const answer of this.#waiting.splice(0)) answer({ error: 'the process has ended' });
    });
    createInterface({ input: this.#process.stdout }).on('line', (line) =>
      this.#waiting.shift()?.(JSON.parse(line) as Answer),
    );
  }

  ask(order: Record<string, string>): Promise<Answer> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#process.stdin.write(`${JSON.stringify(order)}\n`);
    });
  }

  /** The answer; throws when it is an error. */
  async get(order: Record<string, string>): Promise<Answer> {
    const answer = await this.ask(order);
    if (answer.error !== undefined) throw new Error(`${order.do}: ${answer.error}`);
    return answer;
  }

  /** Ends the process and waits until it has been reaped. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await ended;
  }
}
