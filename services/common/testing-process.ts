// Starts a service's main.ts as a process of its own, for the tests of each service.
import { type ChildProcess, spawn } from 'node:child_process';

export interface ServiceProcess {
  child: ChildProcess;
  /** All that it has printed. */
  output: { text: string };
  exited: Promise<number | null>;
  /** Resolves when it says that it listens; rejects with its output when it ends before. */
  ready: Promise<void>;
}

/** Starts it with this environment and nothing of ours but the path. */
export function startService(main: string, environment: Record<string, string>): ServiceProcess {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { text: '' };
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output.text += chunk;
        if (output.text.includes('listening')) resolve();
      });
    }
    void exited.then(() => reject(new Error(output.text)));
  });
  // A test of what it says of a bad environment does not wait for this.
  ready.catch(() => {});
  return { child, output, exited, ready };
}
