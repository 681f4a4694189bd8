// Writes an uncompressed tar of one form only: the same entries give the same bytes, and any tar reads it.
import { EvidenceError } from '../../errors.ts';

export const BLOCK_BYTES = 512;
export const ENTRIES_MAX = 1 << 18;
/** No entry that is read whole is larger: a file of a bundle has at most 32 MiB. */
export const WHOLE_BYTES_MAX = 64 << 20;
const NAME_BYTES_MAX = 100;
/** What eleven octal digits hold; above it the size is binary, as GNU and star write it. */
const OCTAL_MAX = 8 ** 11 - 1;

/** Takes the archive's bytes in order; a header is put right once its entry's size is known. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
  /** Writes over what is there at a position, in bytes. */
  patch(bytes: Uint8Array, position: number): Promise<void>;
}

/**
 * The header of a plain file (POSIX.1-1988 ustar), 512 bytes: mode 0600, no owner, no time. A reader
 * holds every header to what this gives for its name and size, so there is no second spelling.
 */
export function headerOf(name: string, bytes: number): Uint8Array {
  if (!isEntryName(name) || !Number.isSafeInteger(bytes) || bytes < 0) {
    throw new EvidenceError('export_invalid', `no name of an entry: ${JSON.stringify(name)}`);
  }
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name, 0, 'latin1');
  header.write('0000600\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  if (bytes <= OCTAL_MAX) header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  header.write('00000000000\0', 136, 'latin1');
  header.write('        ', 148, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/**
 * True for relative names of letters, digits, dots, dashes and underscores in at most 100
 * bytes, none of whose segments is empty or begins with a dot.
 */
export function isEntryName(name: string): boolean {
  if (name.length === 0 || name.length > NAME_BYTES_MAX) return false;
  let begins = true;
  for (const character of name) {
    if (character === '/' ? begins : !isNameCharacter(character, begins)) return false;
    begins = character === '/';
  }
  return !begins;
}

function isNameCharacter(character: string, begins: boolean): boolean {
  if (character >= 'a' && character <= 'z') return true;
  if (character >= 'A' && character <= 'Z') return true;
  if (character >= '0' && character <= '9') return true;
  return character === '-' || character === '_' || (character === '.' && !begins);
}

/** Zeros that fill the last block of an entry of so many bytes. */
export function paddingOf(bytes: number): number {
  return (BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** Writes entries one after the other; each name once. */
export class ArchiveWriter {
  readonly #sink: ByteSink;
  readonly #names = new Set<string>();
  #position = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Adds an entry that comes in pieces and returns its bytes. Throws `export_invalid`. */
  async add(
    name: string,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<number> {
    if (this.#names.has(name) || this.#names.size >= ENTRIES_MAX) {
      const why = this.#names.has(name) ? 'it has this entry already' : 'too many entries';
      throw new EvidenceError('export_invalid', `${name} cannot be added: ${why}`);
    }
    this.#names.add(name);
    const start = this.#position;
    await this.#write(headerOf(name, 0));
    let bytes = 0;
    for await (const piece of pieces) {
      bytes += piece.byteLength;
      await this.#write(piece);
    }
    await this.#write(new Uint8Array(paddingOf(bytes)));
    if (bytes > 0) await this.#sink.patch(headerOf(name, bytes), start);
    return bytes;
  }

  /** Writes the two blocks of zeros that end an archive. */
  async end(): Promise<void> {
    await this.#write(new Uint8Array(2 * BLOCK_BYTES));
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#sink.write(bytes);
    this.#position += bytes.byteLength;
  }
}
