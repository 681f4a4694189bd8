// Private keys, key pairs and certificate requests: OPA's own answers, and the host's reading of the same keys.
import { generateKeyPairSync, type KeyObject, sign, webcrypto } from 'node:crypto';
import 'reflect-metadata'; // the certificate library needs it loaded first
import * as x509 from '@peculiar/x509';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Call, opaBuiltins } from '../opa-testing.ts';
import { engineUnderTest } from '../testing.ts';

x509.cryptoProvider.set(webcrypto as Crypto);
const engine = await engineUnderTest('crypto-keys', 'x509-request', 'jwt', 'jwt-sign');
const parse = 'crypto.parse_private_keys';
const parseJwk = 'crypto.x509.parse_rsa_private_key';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const curves = ['P-256', 'P-384', 'P-521'].map(
  (namedCurve) => generateKeyPairSync('ec', { namedCurve }).privateKey,
);
const ed = generateKeyPairSync('ed25519').privateKey;
const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1') =>
  key.export({ format: 'pem', type }).toString();
const texts = [
  pem(rsa, 'pkcs8'),
  pem(rsa, 'pkcs1'),
  ...curves.flatMap((key) => [pem(key, 'pkcs8'), pem(key, 'sec1')]),
  pem(ed, 'pkcs8'),
];

function agree(calls: readonly Call[]): unknown[] {
  const expected = opaBuiltins(calls);
  calls.forEach(([name, ...operands], i) => {
    assert.equal(engine.call(name, ...operands), expected[i], JSON.stringify([name, ...operands]));
  });
  return expected;
}

test('a key as JWK is the one that the host exports', () => {
  for (const key of [rsa, ...curves, ed]) {
    const jwk = key.export({ format: 'jwk' });
    const text = pem(key, 'pkcs8');
    assert.equal(engine.call(parseJwk, text), jwk);
    assert.equal(engine.call(parseJwk, Buffer.from(text).toString('base64')), jwk);
  }
});

test('a key that was read signs what the host verifies', () => {
  for (const [key, alg, hash] of [
    [rsa, 'RS384', 'sha384'],
    [ed, 'EdDSA', null],
  ] as [KeyObject, string, string | null][]) {
    const jwk = engine.call(parseJwk, pem(key, 'pkcs8'));
    const token = engine.call('io.jwt.encode_sign', { alg }, { a: 1 }, jwk) as string;
    const signed = token.slice(0, token.lastIndexOf('.'));
    const expected = sign(hash, Buffer.from(signed), key).toString('base64url');
    assert.is(token, `${signed}.${expected}`);
  }
});

test('keys in every form, several and between other blocks, are read as OPA reads them', () => {
  if (!needs('go')) return;
  const other = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2Vw\n-----END PUBLIC KEY-----\n';
  const shapes = [
    ...texts,
    texts.join(''),
    `text\n${texts[0]}more\n${texts[3]}`,
    other + texts[2],
    other,
    'nope',
    '-----BEGIN PRIVATE KEY-----\n',
    `${texts[2]}-----BEGIN`,
    (texts[2] as string).replaceAll('\n', '\r\n'),
    (texts[2] as string).replace('\n', '\nProc-Type: x\nDEK-Info: y\n\n'),
    (texts[2] as string).replaceAll('EC PRIVATE', 'PRIVATE'),
    (texts[0] as string).replaceAll('PRIVATE', 'RSA PRIVATE'),
  ];
  const base64 = shapes.map((text) => Buffer.from(text).toString('base64'));
  agree(
    [...shapes, ...base64].flatMap((text): Call[] => [
      [parse, text],
      [parseJwk, text],
    ]),
  );
  assert.is(engine.call(parse, ''), null);
});

/** Where the numbers of a key begin, in a SEQUENCE with a length of two bytes. */
function tagsOf(der: Uint8Array): number[] {
  const tags: number[] = [];
  for (let at = 4; at < der.length; ) {
    tags.push(at);
    const length = der[at + 1] as number;
    if (length < 0x80) at += 2 + length;
    else if (length === 0x81) at += 3 + (der[at + 2] as number);
    else at += 4 + (der[at + 2] as number) * 256 + (der[at + 3] as number);
  }
  return tags;
}

test('a key whose numbers do not belong together is refused', () => {
  if (!needs('go')) return;
  const der = rsa.export({ format: 'der', type: 'pkcs1' });
  const armored = (bytes: Uint8Array) =>
    `-----BEGIN RSA PRIVATE KEY-----\n${Buffer.from(bytes).toString('base64')}\n-----END RSA PRIVATE KEY-----\n`;
  // To Go the last three numbers are optional: one whose head is broken it steps over, and computes all three.
  const heads = tagsOf(der).slice(-3);
  const optional = heads.flatMap((at) => [at, at + 1, at + 2]);
  const edit = fc
    .tuple(fc.nat({ max: der.length - 1 }), fc.nat({ max: 7 }))
    .filter(([at]) => !optional.includes(at));
  const calls = fc.sample(edit, 150).map(([at, bit]): Call => {
    const bytes = Buffer.from(der);
    bytes[at] = (bytes[at] as number) ^ (1 << bit);
    return [parse, armored(bytes)];
  });
  calls.push([parse, armored(der)], [parse, armored(Buffer.concat([der, Buffer.alloc(1)]))]);
  assert.ok(agree(calls).filter((answer) => answer !== undefined).length >= 1);
});

test('a pair is a certificate and its key, and no other', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const pair = async () => {
    const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
      'sign',
      'verify',
    ])) as CryptoKeyPair;
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      name: 'CN=pair',
      keys,
      signingAlgorithm: algorithm,
    });
    const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    const key = `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
    return { certificate: `${certificate.toString('pem')}\n`, key, der };
  };
  const [one, two] = [await pair(), await pair()];
  const name = 'crypto.x509.parse_keypair';
  const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64');
  assert.is(engine.call(name, one.certificate, two.key), undefined);
  assert.is(engine.call(name, one.key, one.certificate), undefined);
  if (!needs('go')) return;
  agree([
    [name, one.certificate, one.key],
    [name, base64(one.certificate), base64(one.key)],
    [name, one.certificate, base64(one.der)],
    [name, one.certificate + two.certificate, one.key],
    [name, two.certificate + one.certificate, one.key],
    [name, one.certificate, one.certificate + one.key],
    [name, '', one.key],
    [name, one.certificate, ''],
  ]);
});

test('certificate requests, whole and broken, are read as OPA reads them', async () => {
  if (!needs('go')) return;
  const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'C=GB, CN=request',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'a.example.com' },
        { type: 'url', value: 'spiffe://platform.local/agent' },
      ]),
    ],
    attributes: [new x509.ChallengePasswordAttribute('secret')],
  });
  const name = 'crypto.x509.parse_certificate_request';
  const der = Buffer.from(request.rawData);
  agree([
    [name, request.toString('pem')],
    [name, der.toString('base64')],
    [name, Buffer.from(request.toString('pem')).toString('base64')],
    [name, `${der.toString('base64')}AA`],
    [name, request.toString('pem').replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE')],
  ]);
  for (let i = 0; i < 400; i++) {
    const cut = Buffer.from(der);
    cut[(i * 7) % cut.length] = i % 256;
    const answer = engine.call(name, cut.toString('base64'));
    assert.ok(answer === undefined || typeof answer === 'object');
  }
});

test.run();
