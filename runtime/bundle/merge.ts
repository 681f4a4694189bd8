// Merges the mesh filter and a compiled policy into one Wasm module that any proxy-wasm host runs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { BundleError } from '../errors.ts';
import { keepCached, readCached, trimCached } from '../modules/cache.ts';
import { moduleBytes } from '../modules/source.ts';
import { keepExports } from './sections.ts';

/** Changes whenever the same inputs give other bytes. */
const RECIPE = 'platform/filter/v2';
const HASH_BYTES = 32;
const TIMEOUT_MS = 30_000;
/** A fifth of a megabyte each. */
const KEPT_MAX = 64;
/** What the three modules use; binaryen would otherwise emit encodings that V8 does not read yet. */
const FEATURES = [
  'multimemory',
  'bulk-memory',
  'simd',
  'sign-ext',
  'mutable-globals',
  'nontrapping-float-to-int',
].map((feature) => `--enable-${feature}`);

/**
 * `filter.wasm` of a policy: the built filter (wasm/filter), `decisions.wasm` and the glue between their
 * two memories. Equal inputs give equal bytes; the last results are kept in the user's cache folder.
 * @throws BundleError `compiler_failed` when the modules do not fit together, ModuleError
 *   `module_missing` when the filter is not built
 */
export async function mergeFilter(policy: Uint8Array): Promise<Uint8Array> {
  const filter = moduleBytes('filter');
  const glue = moduleBytes('filter-glue');
  const key = createHash('sha256').update(RECIPE);
  for (const part of [filter, glue, policy]) key.update(sha256(part));
  const name = `filter-${key.digest('hex')}.wasm`;
  const known = await readCached(name);
  if (
    known !== undefined &&
    sha256(known.subarray(HASH_BYTES)).equals(known.subarray(0, HASH_BYTES))
  )
    return known.subarray(HASH_BYTES);
  const merged = await merge({ filter, policy, bridge: glue });
  const bytes = keepExports(merged, (name) => name === 'memory' || name.startsWith('proxy_'));
  await keepCached(name, Buffer.concat([sha256(bytes), bytes]));
  await trimCached('filter-', KEPT_MAX);
  return bytes;
}

/** Runs binaryen's wasm-merge; each module is known to the others under its name here. */
async function merge(modules: Record<string, Uint8Array>): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-filter-'));
  try {
    const inputs: string[] = [];
    for (const [name, bytes] of Object.entries(modules)) {
      const file = join(folder, `${name}.wasm`);
      await writeFile(file, bytes);
      inputs.push(file, name);
    }
    const output = join(folder, 'merged.wasm');
    const tool = join(
      dirname(createRequire(import.meta.url).resolve('binaryen')),
      'bin',
      'wasm-merge',
    );
    const options = ['--rename-export-conflicts', '--no-validation', ...FEATURES, '-o', output];
    // One short run: compiling binaryen's own Wasm with care would take most of the time.
    const command = ['--liftoff-only', tool, ...inputs, ...options];
    await promisify(execFile)(process.execPath, command, { timeout: TIMEOUT_MS });
    const merged = await readFile(output);
    if (!WebAssembly.validate(merged)) throw new Error('the merged module is not valid');
    return merged;
  } catch (cause) {
    const { stderr } = cause as { stderr?: string };
    throw new BundleError('compiler_failed', 'the filter and the policy cannot be merged', {
      cause,
      data: stderr ? { stderr: stderr.slice(0, 4096) } : {},
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
