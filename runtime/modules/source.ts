// Where the bytes of the built modules come from, and the digest that names them.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModuleError } from '../errors.ts';

/** The modules that are built from wasm/. */
export type ModuleName =
  | 'record'
  | 'scope'
  | 'arguments'
  | 'guard'
  | 'tokens-cl100k'
  | 'tokens-o200k'
  | 'engine'
  | 'filter';

const built = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'wasm', 'build');

/** Reads a built module; throws `module_missing` when it was not built. */
export function moduleBytes(name: ModuleName): Uint8Array {
  try {
    return readFileSync(join(built, `${name}.wasm`));
  } catch (cause) {
    throw new ModuleError('module_missing', `the module ${name} is not built`, {
      cause,
      hint: 'run npm run build',
    });
  }
}

/** `sha256:` and 64 hexadecimal digits: how bundles and evidence name a module. */
export function moduleDigest(bytes: Uint8Array): `sha256:${string}` {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
