// The Python interpreters of this machine that the SDK is for.
import { execFileSync } from 'node:child_process';
import { readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const MINORS = [10, 11, 12, 13, 14];
const PROBE =
  'import sys, venv, ensurepip, ssl; print(sys.executable, "%d.%d.%d" % sys.version_info[:3])';

export interface Interpreter {
  path: string;
  /** Such as `3.12.1`. */
  version: string;
}

/**
 * Every Python from 3.10 on that can make virtual environments, one of each minor version: `python3` first, then
 * `python3.10` and so on on the PATH, and what pyenv has installed.
 */
export function pythonInterpreters(): Interpreter[] {
  const names = MINORS.map((minor) => `python3.${minor}`);
  const found = new Map<string, Interpreter>();
  for (const path of ['python3', ...names, ...fromPyenv()]) {
    const interpreter = probed(path);
    const minor = interpreter?.version.split('.').slice(0, 2).join('.');
    const isNew = minor !== undefined && !found.has(minor);
    if (interpreter && isNew && MINORS.includes(Number(minor.slice(2)))) {
      found.set(minor, interpreter);
    }
  }
  return [...found.values()];
}

function fromPyenv(): string[] {
  const folder = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  try {
    return readdirSync(folder)
      .sort()
      .map((version) => join(folder, version, 'bin', 'python3'));
  } catch {
    return [];
  }
}

function probed(path: string): Interpreter | undefined {
  try {
    const printed = execFileSync(path, ['-c', PROBE], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [executable = '', version = ''] = printed.toString().trim().split(' ');
    return { path: realpathSync(executable), version };
  } catch {
    // A name without an interpreter behind it, or one that cannot make environments.
    return undefined;
  }
}
