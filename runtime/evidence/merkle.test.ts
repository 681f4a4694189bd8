import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hex } from '../hex.ts';
import { Frontier } from './merkle.ts';
import {
  consistencyProof,
  inclusionProof,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from './proof.ts';
import { record } from './testing/drafts.ts';

// The test vectors of certificate-transparency's own tree tests.
const inputs = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const vectorLeaves = inputs.map((input) => record.leafHash(Buffer.from(input, 'hex')));

test('roots are those of the Certificate Transparency test vectors', () => {
  const frontier = new Frontier(record);
  assert.is(hex(frontier.root()), createHash('sha256').digest('hex'));
  for (const [at, leaf] of vectorLeaves.entries()) {
    frontier.push(leaf);
    assert.is(hex(frontier.root()), roots[at]);
    assert.is(hex(treeRoot(record, vectorLeaves.slice(0, at + 1))), roots[at]);
  }
});

test('a copy of a frontier grows alone', () => {
  const frontier = new Frontier(record);
  for (const leaf of vectorLeaves.slice(0, 5)) frontier.push(leaf);
  const copy = frontier.copy();
  for (const leaf of vectorLeaves.slice(5)) copy.push(leaf);
  assert.is(hex(frontier.root()), roots[4]);
  assert.is(hex(copy.root()), roots[7]);
});

const leaves = Array.from({ length: 70 }, (_, at) => record.leafHash(Uint8Array.of(at)));
const rootOf = (size: number) => treeRoot(record, leaves.slice(0, size));

test('every inclusion proof leads to the root, and to no other leaf, place, size or root', () => {
  for (let size = 1; size <= 33; size++) {
    const root = rootOf(size);
    for (let index = 0; index < size; index++) {
      const path = inclusionProof(record, leaves.slice(0, size), index);
      const verify = (over: { leaf?: Uint8Array; index?: number; size?: number } = {}) =>
        verifyInclusion(
          record,
          over.leaf ?? leaves[index]!,
          over.index ?? index,
          over.size ?? size,
          path,
          root,
        );
      assert.ok(verify());
      assert.not(verify({ leaf: leaves[69]! }));
      for (let other = 0; other < size; other++) {
        assert.is(verify({ index: other }), other === index, `${index} as ${other} of ${size}`);
      }
      for (const wrong of [-1, size, size + 1, 0.5, Number.NaN])
        assert.not(verify({ index: wrong }));
      if (path.length > 0) {
        const short = path.slice(1);
        assert.not(verifyInclusion(record, leaves[index]!, index, size, short, root));
      }
      const long = [...path, leaves[0]!];
      assert.not(verifyInclusion(record, leaves[index]!, index, size, long, root));
    }
  }
});

test('every consistency proof holds, and for no other pair of sizes or roots', () => {
  for (let size = 0; size <= 33; size++) {
    for (let old = 0; old <= size; old++) {
      const proof = consistencyProof(record, leaves.slice(0, size), old);
      const oldTree = { size: old, root: rootOf(old) };
      const tree = { size, root: rootOf(size) };
      assert.ok(verifyConsistency(record, oldTree, tree, proof), `${old} to ${size}`);
      assert.not(verifyConsistency(record, { size: old, root: leaves[60]! }, tree, proof));
      if (old > 0)
        assert.not(verifyConsistency(record, oldTree, { size, root: leaves[60]! }, proof));
      assert.not(verifyConsistency(record, oldTree, tree, [...proof, leaves[0]!]));
      if (proof.length > 0) {
        assert.not(verifyConsistency(record, oldTree, tree, proof.slice(1)));
        assert.not(verifyConsistency(record, oldTree, tree, proof.slice(0, -1)));
      }
    }
  }
});

test('a forged history has no consistency proof', () => {
  const forged = [...leaves];
  forged[3] = leaves[50]!;
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 32 }), fc.integer({ min: 33, max: 70 }), (old, size) => {
      const proof = consistencyProof(record, forged.slice(0, size), old);
      const tree = { size, root: treeRoot(record, forged.slice(0, size)) };
      assert.not(verifyConsistency(record, { size: old, root: rootOf(old) }, tree, proof));
    }),
  );
});

test.run();
