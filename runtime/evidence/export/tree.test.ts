import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inclusionProof, treeRoot, verifyInclusion } from '../proof.ts';
import { record } from '../testing/drafts.ts';
import { ProofTree } from './tree.ts';

function memoryFile() {
  let bytes = Buffer.alloc(0);
  return {
    size: async () => bytes.byteLength,
    read: async (at: number, length: number) => Uint8Array.from(bytes.subarray(at, at + length)),
    async write(more: Uint8Array, at: number) {
      bytes = Buffer.concat([bytes.subarray(0, at), more]);
    },
  };
}

const leafOf = (at: number) => record.leafHash(Buffer.from(String(at)));

test('roots and proofs are those that hold every leaf in memory', async () => {
  for (let size = 0; size <= 70; size++) {
    const leaves = Array.from({ length: size }, (_, at) => leafOf(at));
    const tree = new ProofTree(record, memoryFile());
    for (const leaf of leaves) await tree.push(leaf);
    assert.equal(Buffer.from(await tree.close()), Buffer.from(treeRoot(record, leaves)));
    for (let at = 0; at < size; at++) {
      assert.equal(
        (await tree.inclusionProof(at)).map((hash) => Buffer.from(hash)),
        inclusionProof(record, leaves, at).map((hash) => Buffer.from(hash)),
        `${at} of ${size}`,
      );
    }
  }
});

test('every proof of a larger tree leads to its root, and no other leaf has it', async () => {
  const sizes = fc.integer({ min: 2, max: 9000 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), async (size, pick) => {
      const tree = new ProofTree(record, memoryFile());
      for (let at = 0; at < size; at++) await tree.push(leafOf(at));
      const root = await tree.close();
      const index = pick % size;
      const path = await tree.inclusionProof(index);
      assert.ok(verifyInclusion(record, leafOf(index), index, size, path, root));
      assert.not(verifyInclusion(record, leafOf(index + 1), index, size, path, root));
      assert.not(verifyInclusion(record, leafOf(index), (index + 1) % size, size, path, root));
    }),
    { numRuns: 25 },
  );
});

test('a row beyond the log has no proof', async () => {
  const tree = new ProofTree(record, memoryFile());
  await tree.push(leafOf(0));
  await tree.close();
  for (const index of [-1, 1]) {
    const error = await tree.inclusionProof(index).catch((thrown) => thrown);
    assert.is(error.code, 'input_invalid');
  }
});

test.run();
