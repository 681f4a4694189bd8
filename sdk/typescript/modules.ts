// Loads the decision modules that the SDK runs in process; the packed ones are checked against their digests.

import { readFileSync } from 'node:fs';
import { ModuleError } from '../../runtime/errors.ts';
import type { ModuleName } from '../../runtime/modules/source.ts';
import { moduleBytes, moduleDigest } from '../../runtime/modules/source.ts';

/** The list that packing writes beside the modules: name to `sha256:<hex>`. */
const digestList = new URL('../../wasm/build/digests.json', import.meta.url);

/**
 * The bytes of a module. In the packed SDK, which is JavaScript, throws `module_digest_mismatch` when
 * they are not the ones that were packed; in the repository they come from the last build.
 */
export function sdkModule(name: ModuleName): Uint8Array {
  const bytes = moduleBytes(name);
  if (import.meta.url.endsWith('.js')) checkDigest(name, bytes);
  return bytes;
}

function checkDigest(name: ModuleName, bytes: Uint8Array): void {
  let digests: Record<string, string>;
  try {
    digests = JSON.parse(readFileSync(digestList, 'utf8'));
  } catch (cause) {
    throw new ModuleError('module_missing', 'the list of module digests cannot be read', { cause });
  }
  const digest = moduleDigest(bytes);
  if (digests[name] !== digest) {
    throw new ModuleError('module_digest_mismatch', `the module ${name} is not the packed one`, {
      data: { expected: digests[name] ?? null, found: digest },
    });
  }
}
