// Content-addressed objects beside the log: schemas, modules and bundles, each under its digest.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { EvidenceError } from '../errors.ts';
import { type EvidenceFiles, type EvidenceReader, nodeFiles } from './files.ts';

/** What reads objects; the audit needs no more. */
export interface ObjectSource {
  /** The bytes of a digest, checked against it; undefined where they are not kept. */
  get(digest: string): Promise<Uint8Array | undefined>;
  /** The files of a bundle revision by their path; undefined where it is not kept. */
  getBundle(revision: string): Promise<Map<string, Uint8Array> | undefined>;
}

/** A bundle's paths, each with the digest of its file. */
type Listing = [path: string, digest: string][];

const REMEMBERED_MAX = 4096;

/** Reads what an `ObjectStore` keeps: objects in `<dir>/objects/`, bundle listings in `<dir>/bundles/`. */
export class ObjectReader implements ObjectSource {
  readonly #files: Pick<EvidenceReader, 'read'>;
  readonly #dir: string;

  constructor(files: Pick<EvidenceReader, 'read'>, dir: string) {
    this.#files = files;
    this.#dir = dir;
  }

  async get(digest: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#files.read(objectPlace(this.#dir, digest).path);
    if (bytes && digestOf(bytes) !== digest) {
      throw new EvidenceError('object_corrupt', `the object ${digest} is not what its name says`);
    }
    return bytes;
  }

  async getBundle(revision: string): Promise<Map<string, Uint8Array> | undefined> {
    const listing = await this.#files.read(bundlePlace(this.#dir, revision));
    if (listing === undefined) return undefined;
    const contents = new Map<string, Uint8Array>();
    for (const [path, digest] of parseJson<Listing>(listing, `the listing of ${revision}`)) {
      const bytes = await this.get(digest);
      if (bytes === undefined) {
        throw new EvidenceError('object_missing', `${path} of bundle ${revision} is not kept`);
      }
      contents.set(path, bytes);
    }
    return contents;
  }
}

/** Keeps objects and bundles, each once. */
export class ObjectStore extends ObjectReader {
  readonly #files: EvidenceFiles;
  readonly #dir: string;
  /** Digests known to be on the disk, so that the hot path does not look again. */
  readonly #known = new Set<string>();
  /** What is being written, so that the same bytes are not written twice at once. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(files: EvidenceFiles, dir: string) {
    super(files, dir);
    this.#files = files;
    this.#dir = dir;
  }

  /** Keeps the bytes durably and returns `sha256:<hex>`. Throws `evidence_unavailable`. */
  async put(bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes);
    if (this.#known.has(digest)) return digest;
    let writing = this.#writing.get(digest);
    if (writing === undefined) {
      writing = this.#write(digest, bytes).finally(() => this.#writing.delete(digest));
      this.#writing.set(digest, writing);
    }
    await writing;
    return digest;
  }

  async #write(digest: string, bytes: Uint8Array): Promise<void> {
    const { folder, path } = objectPlace(this.#dir, digest);
    try {
      if ((await this.#files.read(path)) === undefined) {
        await this.#files.makeFolder(folder);
        await this.#files.replace(path, bytes);
      }
    } catch (cause) {
      throw new EvidenceError('evidence_unavailable', `the object ${digest} cannot be kept`, {
        cause,
      });
    }
    if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
    this.#known.add(digest);
  }

  /**
   * Keeps a bundle's files, so that the revision can be loaded again offline. The revision is
   * proved by whoever loads it: it is a digest over the files.
   */
  async putBundle(revision: string, contents: Iterable<[string, Uint8Array]>): Promise<void> {
    const place = bundlePlace(this.#dir, revision);
    if ((await this.#files.read(place)) !== undefined) return;
    const listing: Listing = [];
    for (const [path, bytes] of contents) listing.push([path, await this.put(bytes)]);
    await this.#files.makeFolder(join(this.#dir, 'bundles'));
    await this.#files.replace(place, Buffer.from(JSON.stringify(listing)));
  }
}

/** The objects of the log in `dir` on the real file system. */
export function openObjects(dir: string, files: EvidenceFiles = nodeFiles): ObjectStore {
  return new ObjectStore(files, dir);
}

/** `sha256:<hex>` of the bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function parseJson<Value>(bytes: Uint8Array, what: string): Value {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as Value;
  } catch (cause) {
    throw new EvidenceError('object_corrupt', `${what} is damaged`, { cause });
  }
}

function objectPlace(dir: string, digest: string): { folder: string; path: string } {
  const name = hexOf(digest);
  const folder = join(dir, 'objects', name.slice(0, 2));
  return { folder, path: join(folder, name.slice(2)) };
}

function bundlePlace(dir: string, revision: string): string {
  return join(dir, 'bundles', `${hexOf(revision)}.json`);
}

// The digest becomes a file name, so nothing but 64 hexadecimal digits may pass.
function hexOf(digest: string): string {
  const name = digest.startsWith('sha256:') ? digest.slice(7) : '';
  for (const digit of name) {
    if (!'0123456789abcdef'.includes(digit)) {
      throw new EvidenceError('input_invalid', 'a digest is sha256: and 64 hexadecimal digits');
    }
  }
  if (name.length !== 64) {
    throw new EvidenceError('input_invalid', 'a digest is sha256: and 64 hexadecimal digits');
  }
  return name;
}
