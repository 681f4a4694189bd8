// The normaliser for tests and training: compiled from its sources, called with strings.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { ModuleInstance } from '../../../runtime/modules/instantiate.ts';
import { compileTables } from '../compiler/index.ts';
import { linkTables } from '../compiler/segments.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

async function compileProbe(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'normalise-probe-'));
  try {
    const file = join(folder, 'probe.wasm');
    const { error, stderr } = await asc.main(
      [
        ...['wasm/guard/normalise/probe.ts', '--config', 'asconfig.json', '--target', 'guard'],
        ...['--outFile', relative(root, file)],
      ],
      { baseDir: root } as never,
    );
    if (error) throw new Error(stderr?.toString() ?? error.message);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the normaliser makes of a text. */
export interface Readings {
  folded: string;
  /** Empty when nothing asks for it. */
  words: string;
  rotated: string;
  reversed: string;
  /** Not folded; empty when nothing is encoded. */
  decoded: string;
}

/** The normaliser. */
export class Normaliser {
  readonly #module: ModuleInstance<'readings' | 'windows'>;

  private constructor(bytes: Uint8Array) {
    this.#module = new ModuleInstance('normalise-probe', bytes, ['readings', 'windows']);
  }

  /** Compiles the sources, with the folding tables. */
  static async create(): Promise<Normaliser> {
    return new Normaliser(linkTables(await compileProbe(), compileTables()));
  }

  /** The readings of a text, of which at most 512 bytes are looked at. */
  readings(text: string): Readings {
    const bytes = this.#module.run('readings', Buffer.from(text));
    const [folded, words, rotated, reversed, decoded] = parts(bytes);
    return { folded, words, rotated, reversed, decoded } as Readings;
  }

  /** The folded windows that a text is judged by. */
  windows(text: string): string[] {
    return parts(this.#module.run('windows', Buffer.from(text)));
  }
}

function parts(bytes: Uint8Array): string[] {
  return Buffer.from(bytes).toString().split('\0').slice(0, -1);
}
