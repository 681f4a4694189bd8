// Selections and manifests as an attacker would write them: read as they were written, or refused with a code.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../json.ts';
import { seedSigner } from '../note.ts';
import type { RowContent } from '../row.ts';
import { bytesSource } from '../testing/walk.ts';
import {
  type ExportManifest,
  encodeManifest,
  parseManifest,
  signManifest,
  verifyManifest,
} from './manifest.ts';
import { encodeProved, isSelected, type ProvedRow, readProved } from './selection.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
const provedRows = fc.uniqueArray(fc.nat(1e9), { maxLength: 6 }).chain((indexes) =>
  fc.tuple(
    ...indexes
      .sort((a, b) => a - b)
      .map((index) =>
        fc.record({
          row: fc.json().map((text) => Buffer.from(text)),
          index: fc.constant(index),
          path: fc.array(hash, { maxLength: 53 }),
        }),
      ),
  ),
);

async function readAll(bytes: Uint8Array): Promise<ProvedRow[] | string> {
  const rows: ProvedRow[] = [];
  try {
    for await (const row of readProved(bytesSource(bytes))) rows.push(row);
    return rows;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

const plain = (rows: readonly ProvedRow[]) =>
  rows.map(({ row, index, path }) => ({
    row: Buffer.from(row).toString('hex'),
    index,
    path: path.map((each) => Buffer.from(each).toString('hex')),
  }));

test('what was written is read', async () => {
  await fc.assert(
    fc.asyncProperty(provedRows, async (rows) => {
      const read = await readAll(Buffer.concat(rows.map(encodeProved)));
      assert.equal(plain(read as ProvedRow[]), plain(rows));
    }),
  );
});

test('cut or noisy, it is refused as corrupt, or has whole rows only', async () => {
  const row = { row: Buffer.from('{"a":1}'), index: 7, path: [new Uint8Array(32)] };
  const whole = encodeProved(row);
  for (let length = 1; length < whole.byteLength; length++) {
    assert.is(await readAll(whole.subarray(0, length)), 'evidence_corrupt', `${length} bytes`);
  }
  const noise = fc.oneof(
    fc.uint8Array({ minLength: 1 }),
    fc.string({ minLength: 1 }).map((text) => Buffer.from(`{}\nindex ${text}\n\n`)),
    fc
      .constantFrom('01', '-1', '1e3', '9007199254740993', '٣', ' 1', '1 ')
      .map((index) => Buffer.from(`{}\nindex ${index}\n\n`)),
    fc.string({ minLength: 1 }).map((text) => Buffer.from(`{}\nindex 1\n${text}\n\n`)),
  );
  await fc.assert(
    fc.asyncProperty(noise, async (bytes) => {
      const read = await readAll(bytes);
      if (read === 'evidence_corrupt') return;
      const again = Buffer.concat((read as ProvedRow[]).map(encodeProved));
      assert.equal(again, Buffer.from(bytes), 'one spelling only');
    }),
    { numRuns: 300 },
  );
});

test('a row twice, rows out of order, and more hashes than any log has are refused', async () => {
  const at = (index: number, hashes = 1) =>
    encodeProved({ row: Buffer.from('{}'), index, path: Array(hashes).fill(new Uint8Array(32)) });
  for (const parts of [[at(3), at(3)], [at(3), at(2)], [at(1, 54)]]) {
    assert.is(await readAll(Buffer.concat(parts)), 'evidence_corrupt');
  }
  const long = Buffer.alloc((1 << 20) + 2, 0x20);
  assert.is(await readAll(long), 'evidence_corrupt', 'a line without an end');
});

test('a tenant is one segment of an agent, never a part of one or of a service', () => {
  const by = (spiffe_id: string) => ({ spiffe_id, time: '2026-01-31T12:00:00.000Z' }) as RowContent;
  const acme = { tenant: 'acme' };
  assert.ok(isSelected(by('spiffe://platform.local/agent/acme/bot/main'), acme));
  for (const id of [
    ...[
      'spiffe://platform.local/agent/acmex/bot/main',
      'spiffe://platform.local/agent/x/acme/main',
    ],
    ...['spiffe://platform.local/service/acme/x', 'spiffe://acme/agent/x/bot/main', '', 'acme'],
    'spiffe://platform.local/agent/ACME/bot/main',
  ]) {
    assert.not.ok(isSelected(by(id), acme), id);
  }
  const row = by('spiffe://platform.local/agent/acme/bot/main');
  assert.ok(isSelected(row, { from: row.time }));
  assert.not.ok(isSelected(row, { to: row.time }), 'the end is not in it');
});

const manifest: ExportManifest = {
  ...{ schema: 'platform/evidence-export/v1', log: 'l', origin: 'o', exported: 'now' },
  ...{ content: 'selection', selection: { tenant: 'acme' }, rows: 1, size: 2, root: 'r' },
  ...{ bundles: false, openings: false, files: [{ path: 'a', bytes: 1, sha256: 'x' }] },
};

test('a manifest is read back, and none that lacks or changes a member in kind', () => {
  assert.equal(parseManifest(encodeManifest(manifest)), manifest);
  const refusal = (value: unknown) => {
    try {
      parseManifest(Buffer.from(JSON.stringify(value) ?? ''));
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const others = fc.constantFrom<unknown>(
    null,
    -1,
    1.5,
    [],
    {},
    [1],
    true,
    { tenant: 1 },
    { x: 'y' },
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(manifest)), others, (name, other) => {
      const { [name]: own, ...without } = manifest as unknown as JsonObject;
      assert.is(refusal(without), 'export_invalid', `without ${name}`);
      if (typeof own === typeof other && Array.isArray(own) === Array.isArray(other)) return;
      if (name === 'selection' && other === null) return;
      assert.is(refusal({ ...without, [name]: other }), 'export_invalid', `${name} ${other}`);
    }),
  );
  fc.assert(
    fc.property(fc.anything(), (noise) => {
      assert.is(refusal(noise), 'export_invalid');
    }),
  );
});

test("a manifest's signature is of its bytes, under its log's key, and is no checkpoint", () => {
  const signer = seedSigner(new Uint8Array(32).fill(5));
  const key = { name: 'platform.local/evidence/x', publicKey: signer.publicKey };
  const bytes = encodeManifest(manifest);
  const note = signManifest(bytes, key.name, signer);
  verifyManifest(bytes, note, key);
  const other = { ...key, publicKey: seedSigner(new Uint8Array(32).fill(6)).publicKey };
  assert.throws(() => verifyManifest(bytes, note, other), /signature by .* does not hold/);
  const changed = encodeManifest({ ...manifest, rows: 2 });
  assert.throws(() => verifyManifest(changed, note, key), /signature is of another export/);
  assert.is(note.toString().split('\n')[0], 'platform/evidence-export/v1');
});

test.run();
