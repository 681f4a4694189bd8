// Compares hashes and authentication codes with those of the host's own library.
import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { engineUnderTest } from '../engine/testing.ts';

const engine = await engineUnderTest('hash', 'hmac', 'jwt');
const hashes = ['md5', 'sha1', 'sha256'];
const codes = ['md5', 'sha1', 'sha256', 'sha512'];

// Lengths about a block's end, where padding takes one block more, and beyond two blocks.
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.integer({ min: 40, max: 300 }).map((length) => 'x'.repeat(length)),
);

test('digests are those of FIPS 180-4 and RFC 1321', () => {
  assert.is(engine.call('crypto.md5', 'abc'), '900150983cd24fb0d6963f7d28e17f72');
  assert.is(engine.call('crypto.sha1', 'abc'), 'a9993e364706816aba3e25717850c26c9cd0d89d');
  fc.assert(
    fc.property(text, (message) => {
      for (const name of hashes) {
        const expected = createHash(name).update(message).digest('hex');
        assert.is(engine.call(`crypto.${name}`, message), expected, name);
      }
    }),
    { numRuns: 400 },
  );
});

test('every length up to three blocks is padded right', () => {
  for (let length = 0; length <= 400; length++) {
    const message = 'a'.repeat(length);
    for (const name of hashes) {
      const expected = createHash(name).update(message).digest('hex');
      assert.is(engine.call(`crypto.${name}`, message), expected, `${name} of ${length}`);
    }
    const expected = createHmac('sha512', 'k').update(message).digest('hex');
    assert.is(engine.call('crypto.hmac.sha512', message, 'k'), expected, `sha512 of ${length}`);
  }
});

test('codes are those of RFC 2104, with keys shorter and longer than a block', () => {
  fc.assert(
    fc.property(text, text, (message, key) => {
      for (const name of codes) {
        const expected = createHmac(name, key).update(message).digest('hex');
        assert.is(engine.call(`crypto.hmac.${name}`, message, key), expected, name);
      }
    }),
    { numRuns: 300 },
  );
});

test('tokens with shared secrets take SHA-256, SHA-384 and SHA-512', () => {
  fc.assert(
    fc.property(text, fc.constantFrom(256, 384, 512), (secret, bits) => {
      const signed = 'e30.e30';
      const code = createHmac(`sha${bits}`, secret).update(signed).digest();
      const verify = `io.jwt.verify_hs${bits}`;
      assert.is(engine.call(verify, `${signed}.${code.toString('base64url')}`, secret), true);
      const cut = code.subarray(0, -1).toString('base64url');
      assert.is(engine.call(verify, `${signed}.${cut}`, secret), false);
      code[bits % 7] = (code[bits % 7] as number) ^ 1;
      assert.is(engine.call(verify, `${signed}.${code.toString('base64url')}`, secret), false);
    }),
    { numRuns: 200 },
  );
});

test('codes are equal when every byte is', () => {
  assert.is(engine.call('crypto.hmac.equal', 'abc', 'abc'), true);
  assert.is(engine.call('crypto.hmac.equal', 'abc', 'abd'), false);
  assert.is(engine.call('crypto.hmac.equal', 'abc', 'abcd'), false);
  assert.is(engine.call('crypto.hmac.equal', '', ''), true);
});

test.run();
