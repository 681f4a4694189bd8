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

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'wasm', 'build');

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
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
  if (imports.length > 0) {
    rmSync(join(root, partial));
    throw new Error(
      `wasm/${name} imports ${imports.map((i) => `${i.module}.${i.name}`).join(', ')}`,
    );
  }
  renameSync(join(root, partial), join(target, `${name}.wasm`));
  return bytes.length;
}

mkdirSync(target, { recursive: true });
writeFileSync(join(target, '.gitignore'), '*\n');
const names = process.argv.length > 2 ? process.argv.slice(2) : moduleNames();
for (const name of names) console.log(`wasm/${name}: ${await buildModule(name)} bytes`);
