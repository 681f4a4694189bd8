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
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import asc from 'assemblyscript/asc';
import binaryen from 'binaryen';
import { joinFilter } from '../runtime/bundle/merge.ts';
import { MODULE_LIMITS } from '../runtime/metering/limits.ts';
import { meter } from '../runtime/metering/meter.ts';
import { linkTables } from '../wasm/guard/compiler/segments.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** `--to FOLDER` builds elsewhere: what is tried does not get into the way of what is used. */
const { values, positionals } = parseArgs({
  options: { to: { type: 'string', default: join(root, 'wasm', 'build') } },
  allowPositionals: true,
});
const target = resolve(values.to);

/** The modules that leave room for tables below their own data (`memoryBase`). */
const { targets }: { targets: object } = JSON.parse(
  readFileSync(join(root, 'asconfig.json'), 'utf8'),
);

/** From where a module may import; the filter's proxy and policy are joined to it later. */
const allowedImports: Record<string, readonly string[]> = {
  filter: ['env', 'wasi_snapshot_preview1', 'bridge'],
};

/** The modules that carry tables made at build time: what is built from one folder, and with which tables. */
const linked: Record<string, () => Promise<{ name: string; tables: Uint8Array }[]>> = {
  guard: async () => {
    const { compileTables } = await import('../wasm/guard/compiler/index.ts');
    return [{ name: 'guard', tables: compileTables() }];
  },
  tokens: async () => (await import('../wasm/tokens/compiler/index.ts')).tokenModules(),
};

/** The modules there are: every folder of wasm/ with an index.ts. */
function moduleNames(): string[] {
  const wasm = join(root, 'wasm');
  return readdirSync(wasm).filter((name) => existsSync(join(wasm, name, 'index.ts')));
}

/** Builds what comes from one folder; returns the size of each module. */
async function buildModule(name: string): Promise<string> {
  const bytes = await compileModule(name);
  const variants = (await linked[name]?.()) ?? [{ name, tables: undefined }];
  return variants
    .map((variant) => {
      const { tables } = variant;
      const whole = tables === undefined ? bytes : linkTables(bytes, tables);
      return `wasm/${variant.name}: ${writeModule(variant.name, whole)} bytes`;
    })
    .join('\n');
}

/** Compiles one module; throws with the compiler's diagnostics, or when the result imports anything. */
async function compileModule(name: string): Promise<Uint8Array> {
  const partial = `wasm/build/.${name}.${process.pid}.wasm`;
  const target = name in targets ? ['--target', name] : [];
  const { error, stderr } = await asc.main(
    [`wasm/${name}/index.ts`, '--config', 'asconfig.json', ...target, '--outFile', partial],
    { stdout: process.stdout, baseDir: root } as never,
  );
  if (error)
    throw new Error(`wasm/${name} does not compile:\n${stderr?.toString() ?? error.message}`);
  const bytes = readFileSync(join(root, partial));
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(
    ({ module }) => !allowedImports[name]?.includes(module),
  );
  rmSync(join(root, partial));
  if (imports.length > 0) {
    throw new Error(
      `wasm/${name} imports ${imports.map((i) => `${i.module}.${i.name}`).join(', ')}`,
    );
  }
  return bytes;
}

/** Writes a module, with a step counter if it has limits; then the one without is kept for `npm run bench -- limits`. */
function writeModule(name: string, bytes: Uint8Array): number {
  const limits = MODULE_LIMITS[name];
  if (limits === undefined) return place(target, name, bytes);
  place(join(target, 'unmetered'), name, bytes);
  return place(target, name, meter(bytes, limits));
}

/** Puts a file in its place at once, so that no reader sees half of it. */
function place(folder: string, name: string, bytes: Uint8Array): number {
  mkdirSync(folder, { recursive: true });
  const partial = join(folder, `.${name}.${process.pid}.wasm`);
  writeFileSync(partial, bytes);
  renameSync(partial, join(folder, `${name}.wasm`));
  return bytes.length;
}

/** The filter is whole with the modules that it calls, and what joins their memories. */
async function buildFilter(): Promise<string> {
  const built = (name: string): Uint8Array => {
    const own = join(target, `${name}.wasm`);
    return readFileSync(existsSync(own) ? own : join(root, 'wasm', 'build', `${name}.wasm`));
  };
  const joined = await joinFilter({
    ...{ filter: await compileModule('filter'), glue: assembleGlue() },
    ...{ arguments: built('arguments'), guard: built('guard') },
  });
  return `wasm/filter: ${place(target, 'filter', joined)} bytes`;
}

function assembleGlue(): Uint8Array {
  const module = binaryen.parseText(readFileSync(join(root, 'wasm', 'filter', 'glue.wat'), 'utf8'));
  try {
    const { BulkMemory, BulkMemoryOpt, MultiMemory } = binaryen.Features;
    module.setFeatures(BulkMemory | BulkMemoryOpt | MultiMemory);
    if (!module.validate()) throw new Error('wasm/filter/glue.wat is not valid');
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

mkdirSync(target, { recursive: true });
writeFileSync(join(target, '.gitignore'), '*\n');
const names = positionals.length > 0 ? positionals : moduleNames();
for (const name of names) if (name !== 'filter') console.log(await buildModule(name));
// Last, since it holds others.
if (['filter', 'arguments', 'guard'].some((name) => names.includes(name))) {
  console.log(await buildFilter());
}
