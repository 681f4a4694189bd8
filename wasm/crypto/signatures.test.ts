// Signatures that the host's own library makes and ours verifies, and the wrong ones that nobody may accept.
import {
  constants,
  createHash,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { engineUnderTest } from '../engine/testing.ts';

const engine = await engineUnderTest('jwt', 'jwt-sign');
const text = 'eyJ4IjoxfQ.e30';
const message = Buffer.from(text);

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function accepts(algorithm: string, signature: Uint8Array, key: KeyObject | JsonWebKey): unknown {
  const token = `${text}.${Buffer.from(signature).toString('base64url')}`;
  const keys =
    'type' in key
      ? (key as KeyObject).export({ format: 'pem', type: 'spki' }).toString()
      : JSON.stringify(key);
  return engine.call(`io.jwt.verify_${algorithm}`, token, keys);
}

function padded(number: bigint, bytes: number): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * bytes, '0'), 'hex');
}

/** What must not pass, whatever the algorithm: bits changed, bytes cut off or added, zeros, nothing. */
function refusesSpoiled(algorithm: string, right: Buffer, key: KeyObject): void {
  for (let i = 0; i < right.length; i += Math.ceil(right.length / 9)) {
    const spoiled = Buffer.from(right);
    spoiled[i] = (spoiled[i] as number) ^ (1 << (i % 8));
    assert.is(accepts(algorithm, spoiled, key), false, `byte ${i} of ${algorithm}`);
  }
  const shapes = [
    right.subarray(1),
    right.subarray(0, -1),
    Buffer.concat([right, Buffer.from([0])]),
    Buffer.alloc(right.length),
    Buffer.alloc(right.length, 0xff),
    Buffer.alloc(0),
  ];
  for (const shape of shapes) assert.is(accepts(algorithm, shape, key), false, algorithm);
}

const rsaKeys = [1024, 2048, 3072, 1031, 2047].map((modulusLength) =>
  generateKeyPairSync('rsa', { modulusLength }),
) as Pair[];

test('RSA signatures with PKCS #1 v1.5 verify, and no others', () => {
  for (const [i, { publicKey, privateKey }] of rsaKeys.entries()) {
    const other = (rsaKeys[(i + 1) % rsaKeys.length] as Pair).publicKey;
    for (const bits of [256, 384, 512]) {
      const signature = sign(`sha${bits}`, message, privateKey);
      assert.is(accepts(`rs${bits}`, signature, publicKey), true);
      assert.is(accepts(`rs${bits}`, signature, publicKey.export({ format: 'jwk' })), true);
      assert.is(accepts(`rs${bits}`, signature, other), false);
      assert.is(accepts(`ps${bits}`, signature, publicKey), false);
      assert.is(accepts(bits === 256 ? 'rs512' : 'rs256', signature, publicKey), false);
      refusesSpoiled(`rs${bits}`, signature, publicKey);
    }
  }
});

test('a signature that is not below the modulus does not verify', () => {
  const { publicKey, privateKey } = rsaKeys[3] as Pair;
  const modulus = Buffer.from(publicKey.export({ format: 'jwk' }).n as string, 'base64url');
  const n = BigInt(`0x${modulus.toString('hex')}`);
  const signature = sign('sha256', message, privateKey);
  const more = BigInt(`0x${signature.toString('hex')}`) + n;
  // 1031 bits leave room in the last byte for a number that is the same modulo n.
  assert.is(accepts('rs256', padded(more, modulus.length), publicKey), false);
});

test('RSA signatures with PSS verify with any salt, and no others', () => {
  for (const { publicKey, privateKey } of rsaKeys) {
    for (const [bits, saltLength] of [
      ...[
        [256, 0],
        [256, 32],
        [256, 77],
      ],
      ...[
        [384, 48],
        [512, 10],
      ],
    ] as [number, number][]) {
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      const signature = sign(`sha${bits}`, message, { key: privateKey, padding, saltLength });
      assert.is(accepts(`ps${bits}`, signature, publicKey), true);
      assert.is(accepts(`rs${bits}`, signature, publicKey), false);
      refusesSpoiled(`ps${bits}`, signature, publicKey);
    }
  }
});

test('an RSA key that nobody should trust verifies nothing', () => {
  const { publicKey, privateKey } = rsaKeys[1] as Pair;
  const signature = sign('sha256', message, privateKey);
  const jwk = publicKey.export({ format: 'jwk' });
  const modulus = Buffer.from(jwk.n as string, 'base64url');
  for (const e of ['AA', 'AQ', 'AgAAAAE', 'gAAAAAAAAAE', '']) {
    assert.is.not(accepts('rs256', signature, { ...jwk, e }), true, e);
  }
  // e = 1 would make every padded digest its own signature.
  const hash = createHash('sha256').update(message).digest();
  const head = Buffer.from('3031300d060960864801650304020105000420', 'hex');
  const fill = Buffer.alloc(modulus.length - 3 - head.length - hash.length, 0xff);
  const forged = Buffer.concat([Buffer.from([0, 1]), fill, Buffer.from([0]), head, hash]);
  assert.is.not(accepts('rs256', forged, { ...jwk, e: 'AQ' }), true);
  modulus[modulus.length - 1] = (modulus.at(-1) as number) & 0xfe;
  assert.is(accepts('rs256', signature, { ...jwk, n: modulus.toString('base64url') }), false);
  const small = generateKeyPairSync('rsa', { modulusLength: 768 });
  assert.is(accepts('rs256', sign('sha256', message, small.privateKey), small.publicKey), false);
});

const curves = [
  { name: 'P-256', bits: 256, bytes: 32 },
  { name: 'P-384', bits: 384, bytes: 48 },
  { name: 'P-521', bits: 512, bytes: 66 },
];
const orders: Record<string, bigint> = {
  'P-256': 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  'P-384':
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  'P-521':
    2n ** 521n - 2n ** 260n + 0xa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
};

test('ECDSA signatures verify on every curve with every hash, and no others', () => {
  for (const { name, bytes } of curves) {
    for (let round = 0; round < 6; round++) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: name });
      const other = generateKeyPairSync('ec', { namedCurve: name });
      for (const bits of [256, 384, 512]) {
        const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
        const signature = sign(`sha${bits}`, message, key);
        assert.is(accepts(`es${bits}`, signature, publicKey), true, name);
        assert.is(accepts(`es${bits}`, signature, publicKey.export({ format: 'jwk' })), true);
        assert.is(accepts(`es${bits}`, signature, other.publicKey), false);
        if (round > 0) continue;
        for (let i = 0; i < signature.length; i += 11) {
          const spoiled = Buffer.from(signature);
          spoiled[i] = (spoiled[i] as number) ^ 4;
          assert.is(accepts(`es${bits}`, spoiled, publicKey), false);
        }
        // The halves may have zeros in front, as numbers do.
        const wide = [signature.subarray(0, bytes), signature.subarray(bytes)].flatMap((half) => [
          Buffer.alloc(1),
          half,
        ]);
        assert.is(accepts(`es${bits}`, Buffer.concat(wide), publicKey), true);
      }
    }
  }
});

test('r and s from 1 to the order less 1 are taken, and no other numbers', () => {
  for (const { name, bits, bytes } of curves) {
    const n = orders[name] as bigint;
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: name });
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
    const signature = sign(`sha${bits}`, message, key);
    const r = BigInt(`0x${signature.subarray(0, bytes).toString('hex')}`);
    const s = BigInt(`0x${signature.subarray(bytes).toString('hex')}`);
    const verifies = (a: bigint, b: bigint) =>
      accepts(`es${bits}`, Buffer.concat([padded(a, bytes + 1), padded(b, bytes + 1)]), publicKey);
    assert.is(verifies(r, s), true);
    // ECDSA allows it, and so does Go.
    assert.is(verifies(r, n - s), true);
    const wrong = [0n, 1n, n - 1n, n, n + 1n];
    for (const value of wrong) {
      assert.is(verifies(value, s), false, `r = ${value}`);
      assert.is(verifies(r, value), false, `s = ${value}`);
      assert.is(verifies(value, value), false);
    }
    assert.is(verifies(r + n, s), false);
    assert.is(verifies(r, s + n), false);
  }
});

test('a point that is not on its curve is no key', () => {
  for (const { name, bits } of curves) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: name });
    const jwk = publicKey.export({ format: 'jwk' });
    const signature = sign(`sha${bits}`, message, {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    assert.is(accepts(`es${bits}`, signature, { ...jwk, y: jwk.x as string }), undefined);
    assert.is(accepts(`es${bits}`, signature, { ...jwk, x: 'AA', y: 'AA' }), undefined);
    const crv = name === 'P-256' ? 'P-384' : 'P-256';
    assert.is(accepts(`es${bits}`, signature, { ...jwk, crv }), undefined);
  }
});

test('Ed25519 signatures verify, and no others', () => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  for (let round = 0; round < 20; round++) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const other = generateKeyPairSync('ed25519').publicKey;
    const signature = sign(null, message, privateKey);
    assert.is(accepts('eddsa', signature, publicKey), true);
    assert.is(accepts('eddsa', signature, publicKey.export({ format: 'jwk' })), true);
    assert.is(accepts('eddsa', signature, other), false);
    refusesSpoiled('eddsa', signature, publicKey);
    // The same s modulo the order is another signature, which RFC 8032 refuses.
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`);
    const more = Buffer.concat([signature.subarray(0, 32), padded(s + order, 32).reverse()]);
    assert.is(accepts('eddsa', more, publicKey), false);
  }
});

test('a key of another kind verifies nothing', () => {
  const rsa = rsaKeys[1] as Pair;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ed = generateKeyPairSync('ed25519');
  const x = generateKeyPairSync('x25519');
  const signature = sign('sha256', message, rsa.privateKey);
  for (const { publicKey } of [ec, ed, x]) {
    assert.is(accepts('rs256', signature, publicKey), false);
    assert.is(accepts('ps256', signature, publicKey), false);
  }
  for (const { publicKey } of [rsa, ed, x]) {
    assert.is(accepts('es256', signature.subarray(0, 64), publicKey), false);
  }
  for (const { publicKey } of [rsa, ec, x]) {
    assert.is(accepts('eddsa', signature.subarray(0, 64), publicKey), false);
  }
});

test('what is signed here is what the host signs', () => {
  const header = fc.sample(fc.string({ maxLength: 200 }), 8);
  const ed = generateKeyPairSync('ed25519').privateKey;
  for (const payload of header) {
    for (const [alg, key, hash] of [
      ['RS256', (rsaKeys[1] as Pair).privateKey, 'sha256'],
      ['RS512', (rsaKeys[4] as Pair).privateKey, 'sha512'],
      ['EdDSA', ed, null],
    ] as [string, KeyObject, string | null][]) {
      const raw = JSON.stringify({ alg, typ: 'text' });
      const jwk = JSON.stringify(key.export({ format: 'jwk' }));
      const signed = [raw, payload].map((part) => Buffer.from(part).toString('base64url'));
      const expected = sign(hash, Buffer.from(signed.join('.')), key).toString('base64url');
      const token = engine.call('io.jwt.encode_sign_raw', raw, payload, jwk);
      assert.is(token, [...signed, expected].join('.'), alg);
    }
  }
});

test.run();
