// Bytes as people and protocols write them down.

/** Lower-case hexadecimal of the bytes, without copying them. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
