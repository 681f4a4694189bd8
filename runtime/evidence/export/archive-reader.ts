// Reads archives from untrusted hands by offsets: bounded, one spelling only, nothing is unpacked.
import { EvidenceError } from '../../errors.ts';
import type { ByteSource } from '../frame.ts';
import { equalBytes } from '../hashes.ts';
import { BLOCK_BYTES, ENTRIES_MAX, headerOf, isEntryName, paddingOf } from './archive.ts';

/** Where an entry's content lies in the file, in bytes. */
export interface ArchiveEntry {
  name: string;
  start: number;
  bytes: number;
}

const zeros = new Uint8Array(2 * BLOCK_BYTES);

/**
 * The entries of an archive that `ArchiveWriter` wrote, by name, in their order. Throws
 * `export_invalid`, which says at which byte, for anything else: links, folders, owners, a name twice,
 * a size beyond the end of the file, bytes between the entries or after the last.
 */
export async function readEntries(source: ByteSource): Promise<Map<string, ArchiveEntry>> {
  const size = await source.size();
  const entries = new Map<string, ArchiveEntry>();
  let at = 0;
  for (;;) {
    const header = await source.read(at, BLOCK_BYTES);
    if (header.byteLength !== BLOCK_BYTES) throw refuse(at, 'it is cut off');
    if (equalBytes(header, zeros.subarray(0, BLOCK_BYTES))) break;
    const { name, bytes } = readHeader(header, at);
    const start = at + BLOCK_BYTES;
    const padding = paddingOf(bytes);
    if (bytes > size - start - padding) throw refuse(at, `${name} goes beyond the end of the file`);
    if (entries.has(name)) throw refuse(at, `it has two entries named ${name}`);
    if (entries.size >= ENTRIES_MAX) throw refuse(at, `it has over ${ENTRIES_MAX} entries`);
    const rest = await source.read(start + bytes, padding);
    if (!equalBytes(rest, zeros.subarray(0, padding))) {
      throw refuse(start + bytes, `there are bytes after ${name} that belong to no entry`);
    }
    entries.set(name, { name, start, bytes });
    at = start + bytes + padding;
  }
  const end = await source.read(at, zeros.byteLength);
  if (!equalBytes(end, zeros) || at + zeros.byteLength !== size) {
    throw refuse(at, 'it goes on after its end, or is cut off there');
  }
  return entries;
}

/** Name and size, and nothing else: every other field must be what the writer puts there. */
function readHeader(header: Uint8Array, at: number): { name: string; bytes: number } {
  const block = Buffer.from(header);
  const name = block.toString('latin1', 0, Math.max(0, block.subarray(0, 101).indexOf(0)));
  const bytes = readSize(block.subarray(124, 136));
  if (!isEntryName(name) || bytes === undefined) throw refuse(at, 'there is no entry of an export');
  if (!equalBytes(headerOf(name, bytes), header)) {
    throw refuse(at, `${name} is no plain file as an export has it`);
  }
  return { name, bytes };
}

function readSize(field: Buffer): number | undefined {
  if (field[0] === 0x80) {
    const bytes = field.readBigUInt64BE(4);
    return bytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bytes) : undefined;
  }
  const digits = field.toString('latin1', 0, 11);
  for (const digit of digits) if (digit < '0' || digit > '7') return undefined;
  return Number.parseInt(digits, 8);
}

function refuse(at: number, why: string): EvidenceError {
  const message = `the file is not an export as it was written: at byte ${at}, ${why}`;
  return new EvidenceError('export_invalid', message, { data: { at } });
}
