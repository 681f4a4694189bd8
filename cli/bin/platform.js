#!/usr/bin/env node
// The `platform` command: plain JavaScript that runs the entry point under the Node of the lock file.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { lockedNode } from './locked-node.js';

const entry = fileURLToPath(new URL('../platform.ts', import.meta.url));
const cache = new URL('./compile-cache.js', import.meta.url).href;
const options = ['--import', cache, entry, ...process.argv.slice(2)];
const child = spawn(lockedNode(), options, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };
child.on('exit', (code, signal) => process.exit(code ?? 128 + (signalNumbers[signal] ?? 0)));
