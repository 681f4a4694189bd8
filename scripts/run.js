// Sets the checkout up, then runs a TypeScript file under the pinned Node: run.js FILE [ARG …].
import { spawn } from 'node:child_process';
import { setup } from './setup.js';

/** Runs `args` under the pinned Node, passes signals on and ends with the child's exit code. */
export function runUnderLockedNode(args) {
  const child = spawn(setup(), args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('exit', (code, signal) => process.exit(signal ? 128 : (code ?? 1)));
}

if (process.argv[1]?.endsWith('run.js')) runUnderLockedNode(process.argv.slice(2));
