// Builds the SDK's wheel as it is released, and installs it where nothing of the repository is.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonWith, sdkRequirements, testRequirements } from './environment.ts';
import type { Interpreter } from './interpreters.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const prices = fileURLToPath(new URL('../prices.json', import.meta.url));
const wasm = fileURLToPath(new URL('../../wasm/build', import.meta.url));
const OF_THE_SOURCE = ['src', 'pyproject.toml', 'setup.py', 'README.md'];

/** Runs Python in a folder, without what the environment says of its path; returns what it printed. */
export function runPython(
  python: string,
  args: readonly string[],
  cwd: string,
  variables: Record<string, string> = {},
): string {
  const { PYTHONPATH: _, ...env } = process.env;
  const options = { cwd, encoding: 'utf8', env: { ...env, ...variables }, stdio: 'pipe' } as const;
  try {
    return execFileSync(python, ['-B', ...args], { ...options, maxBuffer: 64 << 20 });
  } catch (cause) {
    const { stdout, stderr } = cause as { stdout?: string; stderr?: string };
    throw new Error(`${python} failed: ${stdout ?? ''}\n${stderr ?? ''}`, { cause });
  }
}

/** Builds the wheel from a copy of the source, which is removed; returns the wheel's path. */
export function buildWheel(folder: string): string {
  const copy = join(folder, 'copy');
  const source = join(copy, 'sdk', 'python');
  for (const name of OF_THE_SOURCE) {
    cpSync(join(here, name), join(source, name), { recursive: true });
  }
  cpSync(prices, join(copy, 'sdk', 'prices.json'));
  mkdirSync(join(copy, 'wasm'));
  cpSync(wasm, join(copy, 'wasm', 'build'), { recursive: true });
  const builder = pythonWith('sdk-build', ['setuptools==84.2.1', 'wheel==0.48.0']);
  const args = ['wheel', '.', '--no-deps', '--no-build-isolation', '-w', folder];
  runPython(builder, ['-m', 'pip', '--quiet', ...args], source);
  rmSync(copy, { recursive: true });
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.whl'))!);
}

/**
 * A fresh environment of an interpreter with the wheel in it; what the SDK and its tests need comes from one that
 * is kept. Returns the environment's interpreter and where the package is.
 */
export function installWheel(
  wheel: string,
  interpreter: Interpreter,
  folder: string,
): { python: string; site: string } {
  const requirements = [...sdkRequirements, ...testRequirements];
  const kept = pythonWith('sdk-wheel', requirements, { interpreter });
  runPython(interpreter.path, ['-m', 'venv', '--without-pip', folder], '/');
  const python = join(folder, 'bin', 'python');
  const where = ['-c', 'import sysconfig; print(sysconfig.get_paths()["purelib"])'];
  const site = runPython(python, where, folder).trim();
  const args = ['-m', 'pip', '-q', '--disable-pip-version-check', 'install', '--no-index'];
  runPython(kept, [...args, '--no-deps', '-t', site, wheel], folder);
  writeFileSync(join(site, 'kept.pth'), runPython(kept, where, folder));
  return { python, site };
}
