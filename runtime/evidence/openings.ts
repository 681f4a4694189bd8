// The encrypted, erasable store of openings: what opens the commitments of rows, and nothing else.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { EvidenceError } from '../errors.ts';
import { type EvidenceFiles, nodeFiles, type SegmentFile } from './files.ts';
import { encodeFrame, readFrames } from './frame.ts';
import { frameFields } from './hashes.ts';
import type { FieldOpening } from './row.ts';

/** Where a log puts the openings of its rows. */
export interface OpeningsSink {
  keep(openings: readonly FieldOpening[]): Promise<void>;
}

/** Openings by the commitment they open (`sha256:<hex>`). */
export type Openings = ReadonlyMap<string, FieldOpening>;

export interface OpeningsStoreOptions {
  /** Folder of the ciphertext. */
  dir: string;
  /** Folder of the keys, one a day; kept apart so that a thief of one has nothing. */
  keysDir: string;
  clock?: () => Date;
  fs?: EvidenceFiles;
}

/** The file that takes the openings of one day. */
interface OpenDay {
  day: string;
  key: Uint8Array;
  file: SegmentFile;
  end: number;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The commitment that this opening opens: `sha256:<hex>` over the tag, salt, field and value. */
export function commitmentOf(opening: FieldOpening): string {
  const salt = Buffer.from(opening.salt, 'hex');
  const framed = frameFields(['platform/commitment/v1', salt, opening.field, opening.value]);
  return `sha256:${createHash('sha256').update(framed).digest('hex')}`;
}

/**
 * One file of AES-256-GCM records and one random key for each day (UTC). To erase a day is to
 * delete its key: no copy of the ciphertext can be read after that.
 */
export class OpeningsStore implements OpeningsSink {
  readonly #dir: string;
  readonly #keysDir: string;
  readonly #clock: () => Date;
  readonly #files: EvidenceFiles;
  #today: OpenDay | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: OpeningsStoreOptions) {
    this.#dir = options.dir;
    this.#keysDir = options.keysDir;
    this.#clock = options.clock ?? (() => new Date());
    this.#files = options.fs ?? nodeFiles;
  }

  /** Adds openings to today's file. Written, not synced: the row does not depend on them. */
  keep(openings: readonly FieldOpening[]): Promise<void> {
    const kept = this.#queue.then(() => this.#write(openings));
    this.#queue = kept.catch(() => {});
    return kept;
  }

  /** Everything that has not been erased, by commitment. */
  async read(): Promise<Openings> {
    await this.#queue;
    const found = new Map<string, FieldOpening>();
    for (const day of await this.days()) {
      const key = await this.#files.read(this.#keyPath(day));
      if (key === undefined) continue;
      const file = await this.#files.openSegment(this.#filePath(day));
      try {
        for await (const frame of readFrames(file)) {
          const opening = decrypt(frame.body, key, day);
          found.set(commitmentOf(opening), opening);
        }
      } finally {
        await file.close();
      }
    }
    return found;
  }

  /** The days (`2026-01-31`) that have openings, oldest first. */
  async days(): Promise<string[]> {
    const names = await this.#files.list(this.#dir);
    const days = names.map((name) => name.replace(/\.openings$/, ''));
    return days.filter((day) => DAY.test(day));
  }

  /** Erases every day before `before` (`2026-01-31`), or all; returns the days erased. */
  async erase(before?: string): Promise<string[]> {
    await this.#queue;
    await this.close();
    const erased = (await this.days()).filter((day) => before === undefined || day < before);
    for (const day of erased) {
      await this.#files.remove(this.#keyPath(day));
      await this.#files.remove(this.#filePath(day));
    }
    return erased;
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#today?.file.close();
    this.#today = undefined;
  }

  async #write(openings: readonly FieldOpening[]): Promise<void> {
    const today = await this.#openToday();
    const frames = openings.map((opening) =>
      encodeFrame('row', encrypt(opening, today.key, today.day)),
    );
    const bytes = Buffer.concat(frames);
    await today.file.write(bytes, today.end);
    today.end += bytes.byteLength;
  }

  async #openToday(): Promise<OpenDay> {
    const day = this.#clock().toISOString().slice(0, 10);
    if (this.#today?.day === day) return this.#today;
    await this.#today?.file.close();
    this.#today = undefined;
    await this.#files.makeFolder(this.#dir);
    await this.#files.makeFolder(this.#keysDir);
    await this.#files.create(this.#keyPath(day), randomBytes(32));
    const key = await this.#files.read(this.#keyPath(day));
    if (key?.byteLength !== 32) {
      throw new EvidenceError('openings_invalid', `the key of openings of ${day} is damaged`);
    }
    const file = await this.#files.openSegment(this.#filePath(day));
    let end = 0;
    for await (const frame of readFrames(file)) end = frame.end;
    await file.truncate(end);
    this.#today = { day, key, file, end };
    return this.#today;
  }

  #keyPath(day: string): string {
    return join(this.#keysDir, `${day}.key`);
  }

  #filePath(day: string): string {
    return join(this.#dir, `${day}.openings`);
  }
}

function encrypt(opening: FieldOpening, key: Uint8Array, day: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(day));
  const text = Buffer.from(formatOpening(opening), 'utf8');
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]);
}

function decrypt(body: Uint8Array, key: Uint8Array, day: string): FieldOpening {
  try {
    const nonce = body.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(day));
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    const text = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES));
    return parseOpening(Buffer.concat([text, decipher.final()]).toString('utf8'));
  } catch (cause) {
    throw new EvidenceError('openings_invalid', `the openings of ${day} cannot be decrypted`, {
      cause,
    });
  }
}

function formatOpening({ field, salt, value }: FieldOpening): string {
  return JSON.stringify({ field, salt, value: Buffer.from(value).toString('utf8') });
}

function parseOpening(text: string): FieldOpening {
  const parsed = JSON.parse(text) as Record<string, unknown> | null;
  const { field, salt, value } = parsed ?? {};
  if (typeof field !== 'string' || typeof value !== 'string' || typeof salt !== 'string') {
    throw new EvidenceError('openings_invalid', 'an opening lacks field, salt or value');
  }
  if (!/^[0-9a-f]{64}$/.test(salt)) {
    throw new EvidenceError('openings_invalid', 'the salt of an opening is not 32 bytes of hex');
  }
  return { field, salt, value: Buffer.from(value, 'utf8') };
}

/** The file that `platform audit --verify --openings FILE` reads: one opening a line, in clear. */
export function exportOpenings(openings: Openings): string {
  return [...openings.values()].map((opening) => `${formatOpening(opening)}\n`).join('');
}

/** Reads such a file. Each opening is filed under the commitment it really opens. */
export function importOpenings(text: string): Openings {
  const found = new Map<string, FieldOpening>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '') continue;
    try {
      const opening = parseOpening(line);
      found.set(commitmentOf(opening), opening);
    } catch (cause) {
      throw new EvidenceError('openings_invalid', `line ${at + 1} is not an opening`, { cause });
    }
  }
  return found;
}
