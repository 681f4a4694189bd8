// Schemas of tool arguments by their digest, as they were kept with the evidence.
import { codeOf } from '../../errors.ts';
import type { ObjectSource } from '../objects.ts';

const KEPT_MAX = 256;

/** Reads schemas; the last ones are remembered, those that are not kept as well. */
export class Schemas {
  readonly #objects: Pick<ObjectSource, 'get'>;
  readonly #known = new Map<string, { bytes: Uint8Array | undefined }>();

  constructor(objects: Pick<ObjectSource, 'get'>) {
    this.#objects = objects;
  }

  /** What is known of the digest without reading; its `bytes` are undefined where it is not kept. */
  find(digest: string): { bytes: Uint8Array | undefined } | undefined {
    return this.#known.get(digest);
  }

  /** Reads the schema; throws `object_corrupt` where it is another than its name says. */
  async load(digest: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#read(digest);
    if (this.#known.size >= KEPT_MAX) this.#known.clear();
    this.#known.set(digest, { bytes });
    return bytes;
  }

  // An input may name anything as its schema: what is no digest is kept nowhere.
  async #read(digest: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#objects.get(digest);
    } catch (error) {
      if (codeOf(error) === 'input_invalid') return undefined;
      throw error;
    }
  }
}
