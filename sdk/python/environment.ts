// Python virtual environments outside the repository, made once for each list of requirements.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeVenv } from '../../runtime/testing/python-tools.ts';
import { makeOnce, toolFolder } from '../../runtime/testing/tool-cache.ts';
import type { Interpreter } from './interpreters.ts';

const patienceMs = 5 * 60_000;

/** The SDK's source, which holds the package `platform_sdk`. */
export const pythonSdk = fileURLToPath(new URL('src', import.meta.url));

/** What the SDK needs, at the versions that the tests use. */
export const sdkRequirements: readonly string[] = [
  'wasmtime==50.0.1',
  'pyjwt[crypto]==2.15.1',
  'cryptography==50.0.2',
];

/** What the SDK's tests need beside it. */
export const testRequirements: readonly string[] = ['pytest==9.2.0', 'hypothesis==6.168.5'];

export interface PythonOptions {
  /** The interpreter that the environment is made of, by default `python3`. */
  interpreter?: Interpreter;
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
  const { paths = [], interpreter } = options;
  // The version is part of the name, because what pip installs is made for one.
  const version = interpreter === undefined ? [] : [interpreter.path, interpreter.version];
  const folder = toolFolder(name, [...requirements, ...paths, ...version].join('\n'));
  makeOnce(folder, patienceMs, () => {
    makeVenv(folder, requirements, interpreter?.path);
    for (const version of readdirSync(join(folder, 'lib'))) {
      const file = join(folder, 'lib', version, 'site-packages', 'platform-paths.pth');
      writeFileSync(file, `${paths.join('\n')}\n`);
    }
  });
  return join(folder, 'bin', 'python');
}

/** The interpreter for the SDK's tests and for whoever runs the SDK from its source. */
export async function pythonForTests(): Promise<{ python: string }> {
  const requirements = [...sdkRequirements, ...testRequirements];
  return { python: pythonWith('sdk-tests', requirements, { paths: [pythonSdk] }) };
}
