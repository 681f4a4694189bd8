// The encrypted, erasable store of openings: what opens the commitments of rows, and nothing else.
import { isUtf8 } from 'node:buffer';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { join } from 'node:path';
import { commitmentOf, type FramedHash } from '../decide/commitment.ts';
import type { Opening } from '../decide/decision.ts';
import { EvidenceError } from '../errors.ts';
import { type EvidenceFiles, nodeFiles, type SegmentFile } from './files.ts';
import { encodeFrame, readFrames } from './frame.ts';

/** Where a log puts the openings of its rows. */
export interface OpeningsSink {
  keep(openings: readonly Opening[]): Promise<void>;
}

/** Openings by the commitment they open (`sha256:<hex>`). */
export type Openings = ReadonlyMap<string, Opening>;

/** What an audit asks of openings, however many there are. */
export type OpeningsSource = Pick<Openings, 'get' | 'keys'>;

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
  key: KeyObject;
  file: SegmentFile;
  end: number;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const FILE_NAME = /^(\d{4}-\d{2}-\d{2})(?:\.(\d{1,9}))?\.openings$/;
const KEY_NAME = /^(\d{4}-\d{2}-\d{2})\.key$/;

/** The record module's framed hash, computed apart from it: what is filed here checks what it said. */
const framedHash: FramedHash = {
  framedHex(fields) {
    const hash = createHash('sha256');
    for (const field of fields) {
      const bytes = Buffer.from(field as Uint8Array);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      hash.update(length).update(bytes);
    }
    return hash.digest('hex');
  },
};

/** The commitment that an opening really opens, `sha256:<hex>`, whatever it was filed under. */
function opened(opening: Opening): string {
  const salt = Buffer.from(opening.salt, 'hex');
  const commitment = commitmentOf(framedHash, salt, opening.field, opening.value);
  const { $commitment } = JSON.parse(Buffer.from(commitment).toString('utf8'));
  return $commitment as string;
}

/**
 * One random key and one file of AES-256-GCM records for each day (UTC). To erase a day is to
 * delete its key: no copy of the ciphertext can be read after that. Where a key is lost, the day
 * goes on under a new one in a file of its own (`2026-01-31.1.openings`), so that what is under the
 * lost key can still be read should it be found.
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
  keep(openings: readonly Opening[]): Promise<void> {
    const kept = this.#queue.then(() => this.#write(openings));
    this.#queue = kept.catch(() => {});
    return kept;
  }

  /**
   * Everything that has not been erased, by commitment. What the day's key does not decrypt is
   * passed over; `onUnreadable` is told how many openings of which day that are.
   */
  async read(onUnreadable: (day: string, openings: number) => void = () => {}): Promise<Openings> {
    await this.#queue;
    const found = new Map<string, Opening>();
    for (const day of await this.days()) {
      const key = await this.#files.read(this.#keyPath(day));
      let unreadable = 0;
      for (const { path } of await this.#filesOf(day)) {
        const file = await this.#files.openSegment(path);
        try {
          for await (const frame of readFrames(file)) {
            const opening = key && decrypt(frame.body, key, day);
            if (opening) found.set(opened(opening), opening);
            else unreadable++;
          }
        } finally {
          await file.close();
        }
      }
      if (unreadable > 0) onUnreadable(day, unreadable);
    }
    return found;
  }

  /** The days (`2026-01-31`) that have openings or a key, oldest first. */
  async days(): Promise<string[]> {
    const names = await this.#files.list(this.#dir);
    const keys = await this.#files.list(this.#keysDir);
    const days = [
      ...names.map((name) => FILE_NAME.exec(name)?.[1]),
      ...keys.map((name) => KEY_NAME.exec(name)?.[1]),
    ];
    return [...new Set(days)].filter((day) => day !== undefined).sort();
  }

  /** Erases every day before `before` (`2026-01-31`), or all; returns the days erased. */
  async erase(before?: string): Promise<string[]> {
    await this.#queue;
    await this.close();
    const erased = (await this.days()).filter((day) => before === undefined || day < before);
    for (const day of erased) {
      // The key goes last: a store that misses it begins a new file, which must not be erased too.
      for (const { path } of await this.#filesOf(day)) await this.#files.remove(path);
      await this.#files.remove(this.#keyPath(day));
    }
    return erased;
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#closeToday();
  }

  async #closeToday(): Promise<void> {
    await this.#today?.file.close();
    this.#today = undefined;
  }

  async #write(openings: readonly Opening[]): Promise<void> {
    let today = await this.#openToday();
    // Another process may have erased today: then a new key begins, and the old one is forgotten.
    if (!this.#files.exists(this.#keyPath(today.day))) {
      await this.#closeToday();
      today = await this.#openToday();
    }
    const nonces = randomBytes(NONCE_BYTES * openings.length);
    const frames = openings.map((opening, at) => {
      const nonce = nonces.subarray(at * NONCE_BYTES, (at + 1) * NONCE_BYTES);
      return encodeFrame('row', encrypt(opening, nonce, today));
    });
    const bytes = Buffer.concat(frames);
    await today.file.write(bytes, today.end);
    today.end += bytes.byteLength;
  }

  async #openToday(): Promise<OpenDay> {
    const day = this.#clock().toISOString().slice(0, 10);
    if (this.#today?.day === day) return this.#today;
    await this.#closeToday();
    await this.#files.makeFolder(this.#dir);
    await this.#files.makeFolder(this.#keysDir);
    const known = await this.#files.read(this.#keyPath(day));
    const isWhole = known?.byteLength === KEY_BYTES;
    const key = isWhole ? known : randomBytes(KEY_BYTES);
    // Durable before the first ciphertext; one that a crash left unwritten gives way.
    if (!isWhole) await this.#files.replace(this.#keyPath(day), key);
    const last = (await this.#filesOf(day)).at(-1);
    const number = last === undefined ? 0 : last.number + (isWhole ? 0 : 1);
    const file = await this.#files.openSegment(this.#filePath(day, number));
    let end = 0;
    for await (const frame of readFrames(file)) end = frame.end;
    await file.truncate(end);
    this.#today = { day, key: createSecretKey(key), file, end };
    return this.#today;
  }

  /** The day's files, the one that is being written last. */
  async #filesOf(day: string): Promise<{ path: string; number: number }[]> {
    const names = (await this.#files.list(this.#dir)).map((name) => FILE_NAME.exec(name));
    return names
      .filter((name) => name?.[1] === day)
      .map((name) => Number(name?.[2] ?? 0))
      .sort((a, b) => a - b)
      .map((number) => ({ path: this.#filePath(day, number), number }));
  }

  #keyPath(day: string): string {
    return join(this.#keysDir, `${day}.key`);
  }

  #filePath(day: string, number: number): string {
    return join(this.#dir, number === 0 ? `${day}.openings` : `${day}.${number}.openings`);
  }
}

function encrypt(opening: Opening, nonce: Uint8Array, { key, day }: OpenDay): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(day));
  const text = Buffer.from(formatOpening(opening), 'utf8');
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([nonce, body, cipher.getAuthTag()]);
}

function decrypt(body: Uint8Array, key: Uint8Array, day: string): Opening | undefined {
  try {
    const nonce = body.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(day));
    decipher.setAuthTag(body.subarray(-TAG_BYTES));
    const text = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES));
    return parseOpening(Buffer.concat([text, decipher.final()]).toString('utf8'));
  } catch {
    return undefined;
  }
}

// The bytes of an input that could not be read need not be UTF-8: those go as base64.
function formatOpening({ field, salt, value }: Opening): string {
  const bytes = Buffer.from(value);
  if (isUtf8(bytes)) return JSON.stringify({ field, salt, value: bytes.toString('utf8') });
  return JSON.stringify({ field, salt, base64: bytes.toString('base64') });
}

function parseOpening(text: string): Opening {
  const parsed = JSON.parse(text) as Record<string, unknown> | null;
  const { field, salt, value, base64 } = parsed ?? {};
  if (typeof salt !== 'string' || !/^[0-9a-f]{64}$/.test(salt)) {
    throw new EvidenceError('openings_invalid', 'the salt of an opening is not 32 bytes of hex');
  }
  if (typeof field === 'string' && typeof value === 'string') {
    return { field, salt, value: Buffer.from(value, 'utf8') };
  }
  if (typeof field === 'string' && typeof base64 === 'string') {
    return { field, salt, value: Buffer.from(base64, 'base64') };
  }
  throw new EvidenceError('openings_invalid', 'an opening lacks field or value');
}

/** The file that `platform audit --verify --openings FILE` reads: one opening a line, in clear. */
export function exportOpenings(openings: Openings): string {
  return [...openings.values()].map((opening) => `${formatOpening(opening)}\n`).join('');
}

/** Reads such a file. Each opening is filed under the commitment it really opens. */
export function importOpenings(text: string): Openings {
  const found = new Map<string, Opening>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line === '') continue;
    try {
      const opening = parseOpening(line);
      found.set(opened(opening), opening);
    } catch (cause) {
      throw new EvidenceError('openings_invalid', `line ${at + 1} is not an opening`, { cause });
    }
  }
  return found;
}
