// Builds the AssemblyScript modules of wasm/ to wasm/build/: no imports, bounded memory, reproducible bytes.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import binaryen from 'binaryen';
import { MODULE_LIMITS } from '../runtime/metering/limits.ts';
import { meter } from '../runtime/metering/meter.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'wasm', 'build');

/** From where a module may import; the filter's proxy and policy are joined to it later. */
const allowedImports: Record<string, readonly string[]> = {
  filter: ['env', 'wasi_snapshot_preview1', 'policy', 'bridge'],
};

/** The modules there are: every folder of wasm/ with an index.ts. */
function moduleNames(): string[] {
  const wasm = join(root, 'wasm');
  return readdirSync(wasm).filter((name) => existsSync(join(wasm, name, 'index.ts')));
}

/** Compiles one module; throws with the compiler's diagnostics, or when the result imports anything. */
async function buildModule(name: string): Promise<number> {
  const partial = `wasm/build/.${name}.partial.wasm`;
  const { error, stderr } = await asc.main(
    [`wasm/${name}/index.ts`, '--config', 'asconfig.json', '--outFile', partial],
    { stdout: process.stdout, baseDir: root } as never,
  );
  if (error)
    throw new Error(`wasm/${name} does not compile:\n${stderr?.toString() ?? error.message}`);
  const bytes = readFileSync(join(root, partial));
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(
    ({ module }) => !allowedImports[name]?.includes(module),
  );
  if (imports.length > 0) {
    rmSync(join(root, partial));
    throw new Error(
      `wasm/${name} imports ${imports.map((i) => `${i.module}.${i.name}`).join(', ')}`,
    );
  }
  renameSync(join(root, partial), join(target, `${name}.wasm`));
  return MODULE_LIMITS[name] === undefined ? bytes.length : meterModule(name, bytes);
}

/** Puts the step counter in, and keeps the module without it for `npm run bench -- limits`. */
function meterModule(name: string, bytes: Uint8Array): number {
  const metered = meter(bytes, MODULE_LIMITS[name]!);
  mkdirSync(join(target, 'unmetered'), { recursive: true });
  renameSync(join(target, `${name}.wasm`), join(target, 'unmetered', `${name}.wasm`));
  writeFileSync(join(target, `.${name}.partial.wasm`), metered);
  renameSync(join(target, `.${name}.partial.wasm`), join(target, `${name}.wasm`));
  return metered.length;
}

/** Assembles what joins the filter with a policy (runtime/bundle/merge.ts). */
function buildGlue(): number {
  const module = binaryen.parseText(readFileSync(join(root, 'wasm', 'filter', 'glue.wat'), 'utf8'));
  try {
    const { BulkMemory, BulkMemoryOpt, MultiMemory } = binaryen.Features;
    module.setFeatures(BulkMemory | BulkMemoryOpt | MultiMemory);
    if (!module.validate()) throw new Error('wasm/filter/glue.wat is not valid');
    const bytes = module.emitBinary();
    writeFileSync(join(target, 'filter-glue.wasm'), bytes);
    return bytes.length;
  } finally {
    module.dispose();
  }
}

mkdirSync(target, { recursive: true });
writeFileSync(join(target, '.gitignore'), '*\n');
const names = process.argv.length > 2 ? process.argv.slice(2) : moduleNames();
for (const name of names) console.log(`wasm/${name}: ${await buildModule(name)} bytes`);
if (names.includes('filter')) console.log(`wasm/filter/glue.wat: ${buildGlue()} bytes`);
