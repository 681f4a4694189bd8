// The words that Relevance and TopicBoundary read of a text, by the module's own code.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { ModuleInstance } from '../../runtime/modules/instantiate.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const probe = 'wasm/guard/relevance/probe.ts';

async function compile(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'words-probe-'));
  try {
    const file = join(folder, 'probe.wasm');
    const options = ['--config', 'asconfig.json', '--target', 'guard'];
    const { error, stderr } = await asc.main(
      [probe, ...options, '--outFile', relative(root, file)],
      { baseDir: root } as never,
    );
    if (error) throw new Error(stderr?.toString() ?? error.message);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads texts as hashes of stemmed words without stop words. */
export class WordReader {
  readonly #module: ModuleInstance<'words'>;

  private constructor(module: ModuleInstance<'words'>) {
    this.#module = module;
  }

  /** Compiles wasm/guard/relevance/probe.ts. */
  static async create(): Promise<WordReader> {
    return new WordReader(new ModuleInstance('words-probe', await compile(), ['words']));
  }

  /** The hashes, in the order of the text. */
  words(text: string): Uint32Array {
    const bytes = this.#module.run('words', Buffer.from(text));
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  }
}
