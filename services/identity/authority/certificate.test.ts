// Certificates as others read them: Node's parser and the openssl program.
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import { certificateSigner, makeCaCertificate, makeSvidCertificate } from './certificate.ts';
import { opensslVerify } from './testing.ts';

const at = new Date('2026-03-01T12:00:00Z');
const validity = { notBefore: at, notAfter: new Date('2026-03-02T12:00:00Z') };

async function makeCa(trustDomain = 'platform.local') {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' });
  const keys = { privateKey: pair.privateKey, publicKey };
  const certificate = await makeCaCertificate(trustDomain, keys, validity);
  return { certificate, signer: certificateSigner(certificate, pair.privateKey), publicKey };
}

const ca = await makeCa();

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

test('a leaf holds exactly its names, whatever they are, and only a leaf’s rights', async () => {
  await fc.assert(
    fc.asyncProperty(spiffeId, fc.uniqueArray(dnsName, { maxLength: 32 }), async (id, dnsNames) => {
      const leaf = await makeSvidCertificate(
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
  test('openssl takes a leaf of the CA, and none of another or after its time', async () => {
    const names = { spiffeId: `spiffe://platform.local/${'x'.repeat(2000)}`, dnsNames: ['a.b'] };
    const leaf = await makeSvidCertificate(ca.signer, names, ca.publicKey, validity);
    const stranger = (await makeCa()).certificate;
    opensslVerify(leaf, [stranger, ca.certificate], at);
    assert.throws(() => opensslVerify(leaf, [stranger], at), /unable to get/);
    const later = new Date('2026-03-02T12:00:01Z');
    assert.throws(() => opensslVerify(leaf, [ca.certificate], later), /expired/);
  });
}

test('a time is written in its short form to 2049, and in its long one after, in whole seconds', async () => {
  const times = {
    '2049-12-31T23:59:59.999Z': `170d${Buffer.from('491231235959Z').toString('hex')}`,
    '2050-01-01T00:00:00.000Z': `180f${Buffer.from('20500101000000Z').toString('hex')}`,
  };
  for (const [time, der] of Object.entries(times)) {
    const names = { spiffeId: 'spiffe://platform.local/a', dnsNames: [] };
    const until = { notBefore: at, notAfter: new Date(time) };
    const leaf = await makeSvidCertificate(ca.signer, names, ca.publicKey, until);
    assert.ok(Buffer.from(leaf).toString('hex').includes(der), time);
  }
});

test.run();
