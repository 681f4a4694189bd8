// Certificates as others read them: Node's parser and the openssl program.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { certificateSigner, makeCaCertificate, makeSvidCertificate } from './certificate.ts';
import { objectIdentifier, positiveInteger, time } from './der.ts';
import { opensslVerify } from './testing.ts';

const at = new Date('2026-03-01T12:00:00Z');
const validity = { notBefore: at, notAfter: new Date('2026-03-02T12:00:00Z') };

function makeCa(trustDomain = 'platform.local') {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' });
  const keys = { privateKey: pair.privateKey, publicKey };
  const certificate = makeCaCertificate(trustDomain, keys, validity);
  return { certificate, signer: certificateSigner(certificate, pair), publicKey };
}

const ca = makeCa();

test('a CA is one, signs itself, and names only its trust domain', () => {
  const read = new X509Certificate(Buffer.from(ca.certificate));
  assert.ok(read.ca);
  assert.ok(read.verify(read.publicKey));
  assert.is(read.subject, read.issuer);
  assert.is(read.subjectAltName, 'URI:spiffe://platform.local');
  assert.is(read.keyUsage, undefined);
  assert.is(read.validFromDate.getTime(), validity.notBefore.getTime());
  assert.is(read.validToDate.getTime(), validity.notAfter.getTime());
});

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const dnsName = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'));
const segment = fc.stringMatching(/^[A-Za-z0-9_-]{1,63}$/);
const spiffeId = fc
  .array(segment, { minLength: 1, maxLength: 30 })
  .map((segments) => `spiffe://platform.local/${segments.join('/')}`);

test('a leaf holds exactly its names, whatever they are, and only a leaf’s rights', () => {
  fc.assert(
    fc.property(spiffeId, fc.uniqueArray(dnsName, { maxLength: 32 }), (id, dnsNames) => {
      const leaf = makeSvidCertificate(
        ca.signer,
        { spiffeId: id, dnsNames },
        ca.publicKey,
        validity,
      );
      const read = new X509Certificate(Buffer.from(leaf));
      const names = [`URI:${id}`, ...dnsNames.map((name) => `DNS:${name}`)];
      assert.is(read.subjectAltName, names.join(', '));
      assert.not.ok(read.ca);
      assert.equal(read.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
      const issuer = new X509Certificate(Buffer.from(ca.certificate));
      assert.ok(read.checkIssued(issuer) && read.verify(issuer.publicKey));
      assert.is(read.serialNumber.length, 32);
      assert.match(read.serialNumber, /^[4-7]/);
    }),
    { numRuns: 50 },
  );
});

if (needs('openssl')) {
  test('openssl takes a leaf of the CA, and none of another or after its time', () => {
    const names = { spiffeId: `spiffe://platform.local/${'x'.repeat(2000)}`, dnsNames: ['a.b'] };
    const leaf = makeSvidCertificate(ca.signer, names, ca.publicKey, validity);
    opensslVerify(leaf, [makeCa().certificate, ca.certificate], at);
    assert.throws(() => opensslVerify(leaf, [makeCa().certificate], at), /unable to get/);
    const later = new Date('2026-03-02T12:00:01Z');
    assert.throws(() => opensslVerify(leaf, [ca.certificate], later), /expired/);
  });
}

test('integers, identifiers and times are in their shortest form', () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  assert.is(hex(positiveInteger(Uint8Array.of(0, 0, 0x7f))), '02017f');
  assert.is(hex(positiveInteger(Uint8Array.of(0x80))), '02020080');
  assert.is(hex(positiveInteger(Uint8Array.of(0))), '020100');
  assert.is(hex(objectIdentifier('1.2.840.10045.4.3.2')), '06082a8648ce3d040302');
  assert.is(
    hex(time(new Date('2049-12-31T23:59:59.999Z'))),
    `170d${hex(Buffer.from('491231235959Z'))}`,
  );
  assert.is(
    hex(time(new Date('2050-01-01T00:00:00Z'))),
    `180f${hex(Buffer.from('20500101000000Z'))}`,
  );
});

test.run();
