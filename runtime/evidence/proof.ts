// Inclusion and consistency proofs of RFC 6962, made and verified.
import { EvidenceError } from '../errors.ts';
import { equalBytes, type RecordHashes } from './hashes.ts';

/** The root over `leaves[start, end)` (RFC 6962 section 2.1). Hashes are 32 bytes each. */
function subtreeRoot(
  record: RecordHashes,
  leaves: readonly Uint8Array[],
  start: number,
  end: number,
): Uint8Array {
  if (end - start === 0) return record.sha256(new Uint8Array(0));
  if (end - start === 1) return leaves[start]!;
  const middle = start + splitPoint(end - start);
  return record.nodeHash(
    subtreeRoot(record, leaves, start, middle),
    subtreeRoot(record, leaves, middle, end),
  );
}

// The largest power of two smaller than the count. Counts stay far below 2^53, so no bit tricks
// that would wrap at 2^31.
function splitPoint(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** The root over all the given leaf hashes. */
export function treeRoot(record: RecordHashes, leaves: readonly Uint8Array[]): Uint8Array {
  return subtreeRoot(record, leaves, 0, leaves.length);
}

/**
 * The audit path of leaf `index` in the tree over `leaves` (RFC 6962 section 2.1.1), from the leaf
 * upwards.
 */
export function inclusionProof(
  record: RecordHashes,
  leaves: readonly Uint8Array[],
  index: number,
): Uint8Array[] {
  if (index < 0 || index >= leaves.length) {
    throw new EvidenceError('input_invalid', `row ${index} is not among ${leaves.length} rows`);
  }
  const path: Uint8Array[] = [];
  let start = 0;
  let end = leaves.length;
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      path.unshift(subtreeRoot(record, leaves, middle, end));
      end = middle;
    } else {
      path.unshift(subtreeRoot(record, leaves, start, middle));
      start = middle;
    }
  }
  return path;
}

/** True when the path leads from the leaf hash to the root (RFC 9162 section 2.1.3.2). */
export function verifyInclusion(
  record: RecordHashes,
  leafHash: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size)) return false;
  if (index < 0 || index >= size) return false;
  let node = index;
  let last = size - 1;
  let hash = leafHash;
  for (const sibling of path) {
    if (sibling.byteLength !== 32 || last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = record.nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = record.nodeHash(hash, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && equalBytes(hash, root);
}

/** Shows that the first `oldSize` leaves are a prefix of all (RFC 6962 section 2.1.2). */
export function consistencyProof(
  record: RecordHashes,
  leaves: readonly Uint8Array[],
  oldSize: number,
): Uint8Array[] {
  if (oldSize < 0 || oldSize > leaves.length) {
    throw new EvidenceError('input_invalid', `${oldSize} rows are not among ${leaves.length}`);
  }
  if (oldSize === 0 || oldSize === leaves.length) return [];
  const path: Uint8Array[] = [];
  let start = 0;
  let end = leaves.length;
  let old = oldSize;
  let whole = true;
  while (old < end - start) {
    const split = splitPoint(end - start);
    if (old <= split) {
      path.unshift(subtreeRoot(record, leaves, start + split, end));
      end = start + split;
    } else {
      path.unshift(subtreeRoot(record, leaves, start, start + split));
      start += split;
      old -= split;
      whole = false;
    }
  }
  if (!whole) path.unshift(subtreeRoot(record, leaves, start, end));
  return path;
}

/** True when the proof leads from both roots to one tree (RFC 9162 section 2.1.4.2). */
export function verifyConsistency(
  record: RecordHashes,
  old: { size: number; root: Uint8Array },
  current: { size: number; root: Uint8Array },
  proof: readonly Uint8Array[],
): boolean {
  if (!Number.isSafeInteger(old.size) || !Number.isSafeInteger(current.size)) return false;
  if (old.size < 0 || old.size > current.size) return false;
  if (proof.some((hash) => hash.byteLength !== 32)) return false;
  if (old.size === current.size) return proof.length === 0 && equalBytes(old.root, current.root);
  if (old.size === 0) {
    return proof.length === 0 && equalBytes(old.root, record.sha256(new Uint8Array(0)));
  }
  const path = isPowerOfTwo(old.size) ? [old.root, ...proof] : [...proof];
  const first = path.shift();
  if (first === undefined) return false;
  let node = old.size - 1;
  let last = current.size - 1;
  while (node % 2 === 1) {
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  let oldHash = first;
  let newHash = first;
  for (const sibling of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      oldHash = record.nodeHash(sibling, oldHash);
      newHash = record.nodeHash(sibling, newHash);
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      newHash = record.nodeHash(newHash, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && equalBytes(oldHash, old.root) && equalBytes(newHash, current.root);
}

function isPowerOfTwo(count: number): boolean {
  while (count % 2 === 0) count /= 2;
  return count === 1;
}
