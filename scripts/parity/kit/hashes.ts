// The kit's layers of hashes: SHA-256 and the Merkle tree of evidence, commitments, decision ids.
import { commit, commitmentOf } from '../../../runtime/decide/commitment.ts';
import { DECISION_TAG } from '../../../runtime/decide/decide.ts';
import { inclusionProof, treeRoot, verifyInclusion } from '../../../runtime/evidence/proof.ts';
import { hex } from '../../../runtime/hex.ts';
import type { KitContext } from './context.ts';
import { base64, bytesOf, hexOf, type Layer, type Vector } from './layer.ts';

/** Bytes that look random, the same in each version. */
function bytes({ record }: KitContext, name: string, length: number): Buffer {
  const parts: Uint8Array[] = [];
  for (let part = 0; part * 32 < length; part++) {
    parts.push(record.sha256(Buffer.from(`${name} ${part}`)));
  }
  return Buffer.concat(parts).subarray(0, length);
}

export const hashLayer: Layer = {
  name: 'hashes',
  inputs(kit) {
    const { record } = kit;
    const lengths = [0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 128, 1000];
    const data = lengths.map((length) => bytes(kit, 'data', length));
    const plain = data.flatMap((of): Vector[] => [
      { kind: 'sha256', data: base64(of) },
      { kind: 'leaf', data: base64(of) },
    ]);
    const leaves = Array.from({ length: 21 }, (_, n) => record.leafHash(Buffer.from(`row ${n}`)));
    const nodes: Vector = { kind: 'node', left: hex(leaves[0]!), right: hex(leaves[1]!) };
    const roots = [0, 1, 2, 3, 4, 5, 7, 8, 9, 21].map(
      (size): Vector => ({ kind: 'root', leaves: leaves.slice(0, size).map(hex) }),
    );
    const proofs = [
      ...[1, 2, 3, 8, 13, 21].flatMap((size) =>
        [0, size >> 1, size - 1].map((index) => ({ size, index })),
      ),
    ].flatMap(({ size, index }): Vector[] => {
      const tree = leaves.slice(0, size);
      const proof = inclusionProof(record, tree, index).map(hex);
      const right: Vector = {
        ...{ kind: 'inclusion', leaf: hex(leaves[index]!), index, size, proof },
        root: hex(treeRoot(record, tree)),
      };
      const wrong = { ...right, leaf: hex(leaves[(index + 1) % leaves.length]!) };
      const longer = { ...right, proof: [...proof, hex(leaves[0]!)] };
      return [right, wrong, longer, { ...right, index: index + 1 }, { ...right, size: size + 1 }];
    });
    return [...plain, nodes, ...roots, ...proofs];
  },
  expect({ record }, vector): Vector {
    const { kind } = vector;
    if (kind === 'sha256') return { hash: hex(record.sha256(bytesOf(vector.data))) };
    if (kind === 'leaf') return { hash: hex(record.leafHash(bytesOf(vector.data))) };
    if (kind === 'node') {
      return { hash: hex(record.nodeHash(hexOf(vector.left), hexOf(vector.right))) };
    }
    if (kind === 'root') {
      return { hash: hex(treeRoot(record, (vector.leaves as string[]).map(hexOf))) };
    }
    const { index, size } = vector as { index: number; size: number };
    const proof = (vector.proof as string[]).map(hexOf);
    const root = hexOf(vector.root);
    return { valid: verifyInclusion(record, hexOf(vector.leaf), index, size, proof, root) };
  },
};

export const commitmentLayer: Layer = {
  name: 'commitments',
  inputs(kit) {
    const values = ['{}', '[]', 'null', '""', '{"a":1}', '"é"', '"\u2028"', '0', '{"text":"x"}'];
    const fields = ['arguments', 'provenance', 'text', 'prompt', 'canaries', 'topics', ''];
    const raw = [[0xff, 0xfe], [0x7b], []].map((of) => Buffer.from(of));
    const given = [...values.map((value) => Buffer.from(value)), ...raw];
    return given.map((value, index): Vector => {
      const isRaw = index >= values.length;
      const field = isRaw ? '' : fields[index % fields.length]!;
      return { salt: hex(bytes(kit, `salt ${index}`, 32)), field, value: base64(value) };
    });
  },
  expect({ record }, vector): Vector {
    const { commitment, opening } = commit(
      record,
      hexOf(vector.salt),
      String(vector.field),
      bytesOf(vector.value),
    );
    const again = commitmentOf(record, hexOf(opening.salt), opening.field, opening.value);
    if (!again.equals(commitment)) throw new Error('an opening does not open its commitment');
    return { field_salt: opening.salt, commitment: commitment.toString() };
  },
};

export const idLayer: Layer = {
  name: 'decision-ids',
  inputs(kit) {
    const revision = (of: string) => `sha256:${hex(bytes(kit, of, 32))}`;
    const inputs = [
      '{}',
      '{"a":"é"}',
      '',
      '{"arguments":{"$commitment":"sha256:00"}}',
      'x'.repeat(300),
    ];
    const outputs = ['{"allow":true}', '{"allow":false,"reason":{"code":"input_not_json"}}', ''];
    return inputs.flatMap((input, i) =>
      outputs.map(
        (output, o): Vector => ({
          boundary: ['tool', 'mesh', 'scan', 'secret', 'é'][i]!,
          module: ['authorization', 'guard', 'scope'][o]!,
          policy_revision: o === 2 ? '' : revision(`policy ${i}`),
          data_revision: o === 2 ? '' : revision(`data ${i}`),
          ...{ committed_input: base64(Buffer.from(input)), output: base64(Buffer.from(output)) },
        }),
      ),
    );
  },
  expect({ record }, vector): Vector {
    const { boundary, module, policy_revision: policy, data_revision: data } = vector;
    const fields = [boundary, module, policy, data].map(String);
    const rest = [bytesOf(vector.committed_input), bytesOf(vector.output)];
    return { id: record.framedHex([DECISION_TAG, ...fields, ...rest]) };
  },
};
