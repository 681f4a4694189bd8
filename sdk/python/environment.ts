// Python virtual environments outside the repository, made once for each list of requirements.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The SDK's source, which holds the package `platform_sdk`. */
export const pythonSdk = fileURLToPath(new URL('src', import.meta.url));

/** What the SDK needs, at the versions that the tests use. */
export const sdkRequirements: readonly string[] = ['wasmtime==50.0.1'];

export interface PythonOptions {
  /** Folders whose packages the interpreter finds, such as the SDK's source. */
  paths?: readonly string[];
}

/**
 * Returns the path of a Python interpreter whose environment holds `requirements` (pip's syntax).
 * The environment is kept in the user's cache folder, named after what it holds, and is used only
 * when its installation came to its end. Throws when Python or pip fails, with pip's last words.
 */
export function pythonWith(
  name: string,
  requirements: readonly string[],
  options: PythonOptions = {},
): string {
  const wanted = [...requirements, ...(options.paths ?? [])].join('\n');
  const digest = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'agent-runtime-platform', `${name}-${digest}`);
  if (!existsSync(join(folder, 'complete'))) install(folder, requirements, options.paths ?? []);
  return join(folder, 'bin', 'python');
}

/** The interpreter for the SDK's tests and for whoever runs the SDK from its source. */
export async function pythonForTests(): Promise<{ python: string }> {
  const requirements = [...sdkRequirements, 'pytest==9.2.0'];
  return { python: pythonWith('sdk-tests', requirements, { paths: [pythonSdk] }) };
}

function install(folder: string, requirements: readonly string[], paths: readonly string[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run('python3', ['-m', 'venv', folder]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  if (requirements.length > 0) run(join(folder, 'bin', 'python'), [...pip, ...requirements]);
  for (const version of readdirSync(join(folder, 'lib'))) {
    const file = join(folder, 'lib', version, 'site-packages', 'platform-paths.pth');
    writeFileSync(file, `${paths.join('\n')}\n`);
  }
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
