// Merges the mesh filter, a compiled policy and a guard into one Wasm module that any proxy-wasm host runs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { TABLES_ADDRESS, tablesOf, withoutTables } from '../../wasm/guard/compiler/segments.ts';
import { BundleError } from '../errors.ts';
import { keepCached, readCached, trimCached } from '../modules/cache.ts';
import { moduleBytes } from '../modules/source.ts';
import { catchFailures } from './catch.ts';
import { appendSegment, keepExports, memoryExport } from './sections.ts';

/** Changes whenever the same inputs give other bytes. */
const RECIPE = 'platform/filter/v3';
const HASH_BYTES = 32;
const TIMEOUT_MS = 30_000;
/** Two megabytes each. */
const KEPT_MAX = 24;
/** What the modules use; binaryen would otherwise emit encodings that V8 does not read yet. */
const FEATURES = [
  'multimemory',
  'bulk-memory',
  'simd',
  'sign-ext',
  'mutable-globals',
  'nontrapping-float-to-int',
  'reference-types',
  'exception-handling',
].map((feature) => `--enable-${feature}`);

/** What of each module may fail, as wasm/filter/glue.wat calls it. */
const ENTRIES = {
  policy: ['start', 'begin', 'loadData', 'parse', 'evaluate', 'answerText'],
  arguments: ['reserve', 'register', 'validate'],
  guard: ['reserve', 'scan'],
};
/** The export by which the guard's memory is found; the finished filter has it no more. */
const GUARD_MEMORY = 'guard';

/**
 * All of the filter but the policy and the guard's tables: the filter itself, the modules `arguments` and `guard`,
 * and the glue between their memories. It is made once, when the modules are built.
 */
export async function joinFilter(modules: {
  filter: Uint8Array;
  arguments: Uint8Array;
  guard: Uint8Array;
  glue: Uint8Array;
}): Promise<Uint8Array> {
  const merged = await joined({
    filter: modules.filter,
    arguments: catchFailures(modules.arguments, ENTRIES.arguments),
    guard: catchFailures(withoutTables(modules.guard), ENTRIES.guard),
    bridge: modules.glue,
  });
  return keepExports(merged, (name) => name === GUARD_MEMORY || isOfProxy(name));
}

/**
 * `filter.wasm` of a policy: the built filter (`joinFilter`), `decisions.wasm`, and the tables of the bundle's own
 * guard or of the built one. Equal inputs give equal bytes; the last results are kept in the user's cache folder.
 * @throws BundleError `compiler_failed` when the modules do not fit together, ModuleError
 *   `module_missing` when the filter is not built
 */
export async function mergeFilter(policy: Uint8Array, guard?: Uint8Array): Promise<Uint8Array> {
  const filter = moduleBytes('filter');
  const built = moduleBytes('guard');
  const key = createHash('sha256').update(RECIPE);
  for (const part of [filter, policy, guard ?? built]) key.update(sha256(part));
  const name = `filter-${key.digest('hex')}.wasm`;
  const known = await readCached(name);
  if (
    known !== undefined &&
    sha256(known.subarray(HASH_BYTES)).equals(known.subarray(0, HASH_BYTES))
  )
    return known.subarray(HASH_BYTES);
  const bytes = await merge(filter, policy, guard === undefined ? built : likeBuilt(guard, built));
  await keepCached(name, Buffer.concat([sha256(bytes), bytes]));
  await trimCached('filter-', KEPT_MAX);
  return bytes;
}

async function merge(
  filter: Uint8Array,
  policy: Uint8Array,
  guard: Uint8Array,
): Promise<Uint8Array> {
  const merged = await joined({ filter, policy: catchFailures(policy, ENTRIES.policy) });
  const memory = memoryExport(merged, GUARD_MEMORY);
  const stripped = keepExports(merged, isOfProxy);
  const bytes = appendSegment(stripped, memory, TABLES_ADDRESS, tablesOf(guard));
  if (!WebAssembly.validate(bytes as Uint8Array<ArrayBuffer>)) {
    throw new BundleError('compiler_failed', 'the merged filter is not valid');
  }
  return bytes;
}

/** A bundle's own guard differs from the built one by its tables only: the filter has the built one's code. */
function likeBuilt(guard: Uint8Array, built: Uint8Array): Uint8Array {
  if (Buffer.compare(withoutTables(guard), withoutTables(built)) === 0) return guard;
  throw new BundleError('compiler_failed', 'the guard is not the one that is built, with rules', {
    hint: 'build the policies and the modules from the same checkout',
  });
}

function isOfProxy(name: string): boolean {
  return name === 'memory' || name.startsWith('proxy_');
}

/** Runs binaryen's wasm-merge; each module is known to the others under its name here. */
async function joined(modules: Record<string, Uint8Array>): Promise<Uint8Array> {
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
