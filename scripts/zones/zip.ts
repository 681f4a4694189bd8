// Reads a zip archive whose files are stored as they are, such as Go's zoneinfo.zip.

/** The files of an archive by name; throws when one is compressed. */
export function readZip(zip: Buffer): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const end = zip.length - 22;
  let entry = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameBytes = zip.readUInt16LE(entry + 28);
    const name = zip.toString('latin1', entry + 46, entry + 46 + nameBytes);
    if (zip.readUInt16LE(entry + 10) !== 0) throw new Error(`${name} is compressed`);
    const local = zip.readUInt32LE(entry + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const size = zip.readUInt32LE(entry + 24);
    if (!name.endsWith('/')) files.set(name, zip.subarray(start, start + size));
    entry += 46 + nameBytes + zip.readUInt16LE(entry + 30) + zip.readUInt16LE(entry + 32);
  }
  return files;
}
