// Frames of the segment file: length, checksum, kind and bytes, so that a torn write shows.
import { crc32 } from 'node:zlib';
import { EvidenceError } from '../errors.ts';

export type FrameKind = 'row' | 'checkpoint';

export interface Frame {
  kind: FrameKind;
  body: Uint8Array;
  /** Where the frame begins and ends in the file, in bytes. */
  start: number;
  end: number;
}

/** What can be read at a position: the segment file, or bytes in memory. */
export interface ByteSource {
  size(): Promise<number>;
  /** At most `length` bytes; fewer at the end. */
  read(position: number, length: number): Promise<Uint8Array>;
}

// u32 length of the body, u32 CRC-32 of the length, the kind and the body, u8 kind. The checksum
// finds torn writes; deliberate change is found by the Merkle tree and its signed checkpoints.
const HEADER_BYTES = 9;
// An opening of the largest text that the guard takes, escaped and encrypted, must fit.
export const FRAME_BODY_BYTES_MAX = 64 * 1024 * 1024;
const kindBytes: Record<FrameKind, number> = { row: 0x52, checkpoint: 0x43 };
const READ_BYTES = 1024 * 1024;

/** The frame's bytes as they go into the file. Throws `input_too_large` over 64 MiB. */
export function encodeFrame(kind: FrameKind, body: Uint8Array): Uint8Array {
  if (body.byteLength > FRAME_BODY_BYTES_MAX) {
    throw new EvidenceError('input_too_large', 'a frame of the evidence log is over 64 MiB');
  }
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.byteLength);
  frame.writeUInt32BE(body.byteLength, 0);
  frame.writeUInt8(kindBytes[kind], 8);
  frame.set(body, HEADER_BYTES);
  frame.writeUInt32BE(checksum(frame, 0, body.byteLength), 4);
  return frame;
}

function checksum(buffer: Buffer, start: number, bodyLength: number): number {
  const seed = crc32(buffer.subarray(start, start + 4));
  return crc32(buffer.subarray(start + 8, start + HEADER_BYTES + bodyLength), seed);
}

/**
 * Reads whole frames from `from` on and ends without error at the first one that is incomplete or
 * whose checksum does not hold: what follows it is for the caller to judge.
 */
export async function* readFrames(source: ByteSource, from = 0): AsyncGenerator<Frame> {
  for await (const frames of readFrameBatches(source, from)) yield* frames;
}

/** As `readFrames`, all frames of one read at a time. */
export async function* readFrameBatches(source: ByteSource, from = 0): AsyncGenerator<Frame[]> {
  let buffer: Buffer = Buffer.alloc(0);
  let position = from;
  for (;;) {
    const frames: Frame[] = [];
    const bufferStart = position;
    let next = frameAt(buffer, 0, position);
    while (typeof next === 'object') {
      frames.push(next);
      position = next.end;
      next = frameAt(buffer, position - bufferStart, position);
    }
    if (frames.length > 0) yield frames;
    if (next === 'broken') return;
    const kept = buffer.subarray(position - bufferStart);
    const needed = kept.byteLength >= 4 ? HEADER_BYTES + kept.readUInt32BE(0) : HEADER_BYTES;
    const more = await source.read(position + kept.byteLength, Math.max(READ_BYTES, needed));
    if (more.byteLength === 0) return;
    buffer = Buffer.concat([kept, more]);
  }
}

function frameAt(buffer: Buffer, at: number, position: number): Frame | 'more' | 'broken' {
  if (buffer.byteLength - at < HEADER_BYTES) return 'more';
  const length = buffer.readUInt32BE(at);
  if (length > FRAME_BODY_BYTES_MAX) return 'broken';
  const kindByte = buffer.readUInt8(at + 8);
  const kind = kindByte === kindBytes.row ? 'row' : 'checkpoint';
  if (kindByte !== kindBytes[kind]) return 'broken';
  const size = HEADER_BYTES + length;
  if (buffer.byteLength - at < size) return 'more';
  if (buffer.readUInt32BE(at + 4) !== checksum(buffer, at, length)) return 'broken';
  const body = buffer.subarray(at + HEADER_BYTES, at + size);
  return { kind, body, start: position, end: position + size };
}
