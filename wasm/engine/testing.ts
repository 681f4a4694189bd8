// The engine for tests: compiled from the sources as they are, its built-ins called with JavaScript values.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { fromMarked, toMarked } from './marked-testing.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = join(root, 'wasm', 'engine');
const cache = join(tmpdir(), 'platform-engine');

/** A call of a built-in that ended the evaluation; `failure` is a number of wasm/engine/failure.ts. */
export class EngineFailure extends Error {
  readonly failure: number;

  constructor(name: string, failure: number, cause: unknown) {
    super(`${name} ends with failure ${failure}`, { cause });
    this.failure = failure;
  }
}

/** Exports of the engine that tests use directly. */
export interface EngineExports {
  readonly memory: WebAssembly.Memory;
  [name: string]: unknown;
}

/** A fresh instance of the engine. */
export class EngineUnderTest {
  readonly exports: EngineExports;

  constructor(module: WebAssembly.Module) {
    this.exports = new WebAssembly.Instance(module).exports as unknown as EngineExports;
  }

  /** The exported function of this name. */
  function(name: string): (...parameters: (number | bigint | boolean)[]) => number {
    const found = this.exports[name];
    if (typeof found !== 'function') throw new Error(`the engine exports no ${name}`);
    return found as (...parameters: unknown[]) => number;
  }

  /** Writes text to the memory of `begin`; returns its place. */
  write(text: string | Uint8Array): { readonly pointer: number; readonly length: number } {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const pointer = this.function('begin')(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, pointer);
    return { pointer, length: bytes.length };
  }

  /** The text of a string value. */
  text(value: number): string {
    const length = new DataView(this.exports.memory.buffer).getUint32(value + 8, true);
    return Buffer.from(this.exports.memory.buffer, value + 12, length).toString();
  }

  /** Makes values of the engine; those of earlier calls are gone. */
  values(values: readonly unknown[]): number[] {
    const { pointer, length } = this.write(toMarked(values));
    const array = this.function('parseMarked')(pointer, length);
    if (array === 0) throw new Error(`cannot parse: ${this.function('jsonError')()}`);
    const view = new DataView(this.exports.memory.buffer);
    const elements = view.getUint32(array + 16, true);
    return values.map((_, i) => view.getUint32(elements + 4 * i, true));
  }

  /** A value of the engine as JavaScript: Set for sets, Map for objects with keys that are no strings. */
  read(value: number): unknown {
    return value === 0 ? undefined : fromMarked(this.text(this.function('dump')(value)));
  }

  /** The text in which a built-in's result is written (`dump`), so that 1.0 differs from 1. */
  callText(name: string, ...parameters: unknown[]): string | undefined {
    const value = this.#run(name, parameters, false);
    return value === 0 ? undefined : this.text(this.function('dump')(value));
  }

  /** Calls the built-in with OPA's name; undefined when it fails or has no result. */
  call(name: string, ...parameters: unknown[]): unknown {
    return this.read(this.#run(name, parameters, false));
  }

  /** As `call`; a failing built-in throws `EngineFailure`. */
  callStrict(name: string, ...parameters: unknown[]): unknown {
    return this.read(this.#run(name, parameters, true));
  }

  #run(name: string, parameters: readonly unknown[], strict: boolean): number {
    const builtin = this.function(`b_${name.replaceAll('.', '_')}`);
    const values = this.values(parameters);
    this.function('setStrict')(strict);
    try {
      return builtin(...values);
    } catch (cause) {
      const failure = this.function('failureOf')();
      if (failure === 0) throw cause;
      throw new EngineFailure(name, failure, cause);
    } finally {
      this.function('setStrict')(false);
    }
  }
}

/** All sources of the engine and of what it imports, by path from the root of the repository. */
function sources(): string[] {
  const list = (path: string): string[] =>
    readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
      const name = `${path}/${entry.name}`;
      if (entry.isDirectory()) return list(name);
      return /\.ts$/.test(name) && !/test(ing)?\.ts$/.test(name) ? [name] : [];
    });
  return ['common', 'crypto', 'engine', 'regex', 'guard', 'arguments', 'record', 'graphql'].flatMap(
    (name) => list(`wasm/${name}`),
  );
}

/** Compiles the core with these topics of wasm/engine/builtins; throws with the compiler's diagnostics. */
async function compile(entry: string): Promise<Uint8Array> {
  const partial = join(cache, `${process.pid}.${Math.random().toString(36).slice(2)}.wasm`);
  const main = 'wasm/engine/under-test.ts';
  const { error, stderr } = await asc.main(
    [main, '--config', 'asconfig.json', '--optimizeLevel', '1', '--outFile', 'out.wasm'],
    {
      baseDir: root,
      readFile: (name: string, base: string) => {
        if (name === main) return entry;
        const path = join(base, name);
        return existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : null;
      },
      writeFile: (_name: string, bytes: Uint8Array) => writeFileSync(partial, bytes),
    } as never,
  );
  if (error) throw new Error(`wasm/engine does not compile:\n${stderr?.toString() ?? error}`);
  const bytes = readFileSync(partial);
  renameSync(partial, join(cache, cacheName(entry)));
  return bytes;
}

function cacheName(entry: string): string {
  const hash = createHash('sha256').update(entry);
  for (const name of sources()) hash.update(`\0${name}\0`).update(readFileSync(join(root, name)));
  return `${hash.digest('hex').slice(0, 32)}.wasm`;
}

/** The whole engine as the build made it, when no source is newer. */
function built(): Uint8Array | undefined {
  const path = join(root, 'wasm', 'build', 'engine.wasm');
  if (!existsSync(path)) return undefined;
  const time = statSync(path).mtimeMs;
  const stale = sources().some((name) => statSync(join(root, name)).mtimeMs > time);
  return stale ? undefined : readFileSync(path);
}

/**
 * A fresh engine: with all built-ins, or with the core and the named topics (files of wasm/engine/builtins)
 * alone, which compiles sooner. Compiled modules are kept in the system's folder for temporary files.
 */
export async function engineUnderTest(...topics: string[]): Promise<EngineUnderTest> {
  return new EngineUnderTest(await engineModule(...topics));
}

/** As `engineUnderTest`, but the compiled module. */
export async function engineModule(...topics: string[]): Promise<WebAssembly.Module> {
  const all = topics.length === 0;
  const ready = all ? built() : undefined;
  if (ready) return new WebAssembly.Module(ready as BufferSource);
  const entry = all
    ? readFileSync(join(folder, 'index.ts'), 'utf8')
    : ['./abi', ...topics.map((name) => `./builtins/${name}`)]
        .map((path) => `export * from '${path}';\n`)
        .join('');
  mkdirSync(cache, { recursive: true });
  const path = join(cache, cacheName(entry));
  const bytes = existsSync(path) ? readFileSync(path) : await compile(entry);
  return new WebAssembly.Module(bytes as BufferSource);
}
