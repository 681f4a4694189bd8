// The features of the shipped models, computed by a build of wasm/guard/model that exports them.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

interface Exports {
  memory: WebAssembly.Memory;
  textPointer(): number;
  bucketPointer(): number;
  windowFeatures(offset: number, length: number): number;
}

/** Computes the buckets of windows. */
export class Features {
  readonly #exports: Exports;

  private constructor(exports: Exports) {
    this.#exports = exports;
  }

  /** Compiles wasm/guard/model/training.ts. */
  static async create(): Promise<Features> {
    const folder = mkdtempSync(join(tmpdir(), 'guard-features-'));
    try {
      const file = join(folder, 'features.wasm');
      const { error, stderr } = await asc.main(
        [
          ...['wasm/guard/model/training.ts', '--config', 'asconfig.json'],
          ...['--outFile', relative(root, file)],
        ],
        { baseDir: root } as never,
      );
      if (error) throw new Error(stderr?.toString() ?? error.message);
      const { instance } = await WebAssembly.instantiate(readFileSync(file));
      return new Features(instance.exports as unknown as Exports);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** The buckets of a window of normalised text, in its order. */
  of(window: string): Uint16Array {
    const bytes = Buffer.from(window);
    const { memory, textPointer, bucketPointer, windowFeatures } = this.#exports;
    const pointer = textPointer();
    new Uint8Array(memory.buffer, pointer, bytes.length).set(bytes);
    const count = windowFeatures(0, bytes.length);
    return new Uint16Array(memory.buffer, bucketPointer(), count).slice();
  }
}
