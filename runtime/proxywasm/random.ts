// Random bytes for filters, taken from the system a page at a time: a call of its own costs more than a decision.
import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;

/** Fills byte arrays at random; no byte of the pool is given twice, or stays in it once given. */
export function createRandom(): (bytes: Uint8Array) => void {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return (bytes) => {
    if (bytes.length > POOL_BYTES) {
      randomFillSync(bytes);
      return;
    }
    if (used + bytes.length > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const end = used + bytes.length;
    bytes.set(pool.subarray(used, end));
    pool.fill(0, used, end);
    used = end;
  };
}
