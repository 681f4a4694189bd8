// The seal as an attacker with write access to the database would try it: nothing opens but in its place.
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import { masterKey, open, type Place, rewrap, type Sealed, seal } from './seal.ts';

const master = masterKey(randomBytes(32));
const other = masterKey(randomBytes(32));

const place: fc.Arbitrary<Place> = fc.record({
  scope: fc.string({ maxLength: 20 }),
  key: fc.string({ maxLength: 20 }),
  version: fc.integer({ min: 1, max: 1000 }),
  createdAt: fc.integer({ min: 0, max: 1e12 }).map((ms) => new Date(ms)),
  expiresAt: fc.option(fc.integer({ min: 0, max: 1e12 }).map((ms) => new Date(ms))),
  writtenBy: fc.string({ maxLength: 20 }),
});
const always = { expiresAt: null, writtenBy: 'w' };
const value = fc.uint8Array({ maxLength: 200 });

function refuses(sealed: Sealed, at: Place, key = master): void {
  let code = 'opened';
  try {
    open(sealed, at, key);
  } catch (error) {
    code = codeOf(error);
  }
  assert.is(code, 'secret_corrupt');
}

test('what is sealed opens in its place, under its key, after a rewrap under the next', () => {
  fc.assert(
    fc.property(value, place, (bytes, at) => {
      const sealed = seal(bytes, at, randomBytes(12), master);
      assert.equal([...open(sealed, at, master)], [...bytes]);
      refuses(sealed, at, other);
      const moved = { ...sealed, wrappedKey: rewrap(sealed.wrappedKey, master, other) };
      assert.equal([...open(moved, at, other)], [...bytes]);
      refuses(moved, at);
    }),
  );
});

test('it opens in no other place, whichever part of the place differs', () => {
  fc.assert(
    fc.property(value, place, place, (bytes, at, elsewhere) => {
      const sealed = seal(bytes, at, randomBytes(12), master);
      for (const name of [
        'scope',
        'key',
        'version',
        'createdAt',
        'expiresAt',
        'writtenBy',
      ] as const) {
        if (String(at[name]) === String(elsewhere[name])) continue;
        if (at[name] instanceof Date && +at[name] === +(elsewhere[name] ?? Number.NaN)) continue;
        refuses(sealed, { ...at, [name]: elsewhere[name] });
      }
    }),
  );
});

test('fields that join to the same text are not the same place', () => {
  const at = { scope: 'ab', key: 'c', version: 1, createdAt: new Date(0), ...always };
  const sealed = seal(randomBytes(8), at, randomBytes(12), master);
  refuses(sealed, { ...at, scope: 'a', key: 'bc' });
  refuses(sealed, { ...at, scope: 'abc', key: '' });
});

test('no bit of any part may change, and none may be cut off or added', () => {
  const at = { scope: 's', key: 'k', version: 1, createdAt: new Date(0), ...always };
  const sealed = seal(Buffer.from('opensesame'), at, randomBytes(12), master);
  for (const part of ['nonce', 'wrappedKey', 'ciphertext'] as const) {
    const bytes = sealed[part];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Uint8Array.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      refuses({ ...sealed, [part]: flipped }, at);
    }
    refuses({ ...sealed, [part]: bytes.subarray(0, -1) }, at);
    refuses({ ...sealed, [part]: Buffer.concat([bytes, Buffer.alloc(1)]) }, at);
    refuses({ ...sealed, [part]: new Uint8Array(0) }, at);
  }
});

test('parts of two secrets do not fit together', () => {
  const at = { scope: 's', key: 'k', version: 1, createdAt: new Date(0), ...always };
  const one = seal(Buffer.from('one'), at, randomBytes(12), master);
  const two = seal(Buffer.from('two'), { ...at, version: 2 }, randomBytes(12), master);
  for (const part of ['nonce', 'wrappedKey', 'ciphertext'] as const) {
    refuses({ ...one, [part]: two[part] }, at);
    refuses({ ...two, [part]: one[part] }, at);
  }
  refuses(two, at);
});

test('the same value twice leaves nothing in common', () => {
  const at = { scope: 's', key: 'k', version: 1, createdAt: new Date(0), ...always };
  const nonce = randomBytes(12);
  const [one, two] = [1, 2].map(() => seal(Buffer.alloc(64), at, nonce, master));
  assert.is.not(
    Buffer.from(one!.ciphertext).toString('hex'),
    Buffer.from(two!.ciphertext).toString('hex'),
  );
  assert.is.not(
    Buffer.from(one!.wrappedKey).toString('hex'),
    Buffer.from(two!.wrappedKey).toString('hex'),
  );
});

test('a master key has 32 bytes, its name is stable, and the bytes given are erased', () => {
  const bytes = randomBytes(32);
  const again = Buffer.from(bytes);
  const { id } = masterKey(bytes);
  assert.ok(bytes.every((byte) => byte === 0));
  assert.is(masterKey(again).id, id);
  assert.is(id.length, 32);
  for (const length of [0, 16, 31, 33]) assert.throws(() => masterKey(randomBytes(length)));
});

test.run();
