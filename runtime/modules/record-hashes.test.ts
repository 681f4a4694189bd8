// Tests of the record module's hashes and decision ids, against node:crypto.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { hostileText } from '../testing/json-arbitraries.ts';
import { Record } from './record.ts';
import { moduleBytes } from './source.ts';

const record = Record.create(moduleBytes('record'));

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return codeOf(error);
  }
  return 'accepted';
}

const sha256 = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};

test('hashes as node:crypto does, at every length around the block size', () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 37) & 255));
  for (let length = 0; length <= bytes.length; length++) {
    const data = bytes.subarray(0, length);
    assert.equal(record.sha256(data), sha256(data));
    assert.equal(record.leafHash(data), sha256('\0', data));
  }
  const large = Buffer.alloc(3_000_001, 'large');
  assert.equal(record.sha256(large), sha256(large));
  const left = sha256('left');
  const right = sha256('right');
  assert.equal(record.nodeHash(left, right), sha256('\x01', left, right));
  assert.is(
    refusal(() => record.nodeHash(left, right.subarray(1))),
    'input_invalid',
  );
});

const frame = (fields: readonly (string | Uint8Array)[]) =>
  Buffer.concat(
    fields.flatMap((field) => {
      const bytes = Buffer.from(field as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );

test('names a decision by the hash of its seven framed fields', () => {
  const field = fc.oneof(
    hostileText().filter((value) => value.isWellFormed()),
    fc.uint8Array({ maxLength: 200 }),
  );
  fc.assert(
    fc.property(fc.array(field, { minLength: 6, maxLength: 6 }), (rest) => {
      const fields = ['platform/decision/v1', ...rest];
      assert.equal(record.decisionId(fields), sha256(frame(fields)));
    }),
  );
});

test('refuses decisions that are not framed as seven fields with the tag first', () => {
  const fields = ['platform/decision/v1', 'tool', 'guard', 'p', 'd', '{}', '{}'];
  for (const wrong of [
    [],
    fields.slice(0, 6),
    [...fields, ''],
    ['platform/decision/v2', ...fields.slice(1)],
    ['platform/decision/v', ...fields.slice(1)],
  ]) {
    assert.is(
      refusal(() => record.decisionId(wrong)),
      'input_invalid',
    );
  }
  assert.is(
    refusal(() => record.decisionId([...fields.slice(0, 6), '\ud800'])),
    'input_lone_surrogate',
  );
  const moved = record.decisionId(['platform/decision/v1', 'to', 'olguard', 'p', 'd', '{}', '{}']);
  const joined = record.decisionId(['platform/decision/v1', 'tool', 'guard', 'p', 'd', '{}', '{}']);
  assert.not.equal(moved, joined);
});

test.run();
