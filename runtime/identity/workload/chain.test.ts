// Chains that hold and chains that only look so, beside what OpenSSL says of them.
import 'reflect-metadata'; // the certificate library needs it loaded first
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BasicConstraintsExtension, KeyUsageFlags } from '@peculiar/x509';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../errors.ts';
import { type TestCa, testCa } from '../../testing/certificates.ts';
import { needs } from '../../testing/needs.ts';
import { verifyChain } from './chain.ts';
import { certificatesFromPem, certificatesPem, splitCertificates } from './pem.ts';

const id = 'spiffe://platform.local/agent/acme/bot/main';
const folder = mkdtempSync(join(tmpdir(), 'chain-'));
let ca: TestCa;

function judge(chain: readonly Uint8Array[], bundle: readonly Uint8Array[], now = new Date()) {
  try {
    verifyChain(chain, bundle, now);
    return 'holds';
  } catch (error) {
    return codeOf(error);
  }
}

const hasOpenssl = needs('openssl');

/** Whether OpenSSL's command says the same of a chain; where there is none, it contradicts nothing. */
function opensslAgrees(
  holds: boolean,
  certificates: readonly Uint8Array[],
  bundle: readonly Uint8Array[],
): boolean {
  return !hasOpenssl || openssl(certificates, bundle) === holds;
}

function openssl([leaf, ...intermediates]: readonly Uint8Array[], bundle: readonly Uint8Array[]) {
  const write = (name: string, certificates: readonly Uint8Array[]) => {
    writeFileSync(join(folder, name), certificatesPem(certificates));
    return join(folder, name);
  };
  const trust = ['-partial_chain', '-CAfile', write('bundle.pem', bundle)];
  const below = intermediates.length === 0 ? [] : ['-untrusted', write('below.pem', intermediates)];
  const leafFile = write('leaf.pem', leaf === undefined ? [] : [leaf]);
  try {
    execFileSync('openssl', ['verify', '-no-CApath', ...trust, ...below, leafFile], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

const test = suite('chain');
test.before(async () => {
  ca = await testCa();
});
test.after(() => rmSync(folder, { recursive: true }));

test('a leaf of the CA, of an intermediate and of two holds, in whatever order', async () => {
  const one = await ca.intermediate();
  const two = await one.intermediate({ subject: 'CN=second' });
  for (const issuer of [ca, one, two]) {
    const { certificates } = await issuer.issue(id);
    assert.is(judge(certificates, [ca.certificate]), 'holds');
    assert.ok(opensslAgrees(true, certificates, [ca.certificate]));
    const [leaf = new Uint8Array(), ...rest] = certificates;
    assert.is(judge([leaf, ...rest.reverse()], [ca.certificate]), 'holds');
  }
});

test('every certificate of the bundle is an anchor, also one that is not self-signed', async () => {
  const intermediate = await ca.intermediate();
  const [leaf = new Uint8Array()] = (await intermediate.issue(id)).certificates;
  assert.is(judge([leaf], [intermediate.certificate]), 'holds');
  assert.is(judge([leaf], [ca.certificate]), 'svid_invalid');
});

test('CAs that follow each other, of one name, are told apart by key', async () => {
  const next = await testCa();
  for (const issuer of [ca, next]) {
    const { certificates } = await issuer.issue(id);
    assert.is(judge(certificates, [ca.certificate, next.certificate]), 'holds');
    assert.is(judge(certificates, [next.certificate, ca.certificate]), 'holds');
  }
});

test('what no CA of the bundle has signed is refused', async () => {
  const { certificates } = await ca.issue(id);
  const [leaf = new Uint8Array()] = certificates;
  const stranger = await testCa();
  const other = (await stranger.issue(id)).certificates;
  assert.is(judge(other, [ca.certificate]), 'svid_invalid');
  assert.is(judge(certificates, []), 'svid_invalid');
  assert.is(judge([], [ca.certificate]), 'svid_invalid');
  assert.is(judge([leaf, stranger.certificate], [ca.certificate]), 'holds');
  assert.is(judge([...other, ca.certificate], [ca.certificate]), 'svid_invalid');
  assert.is(
    judge(
      Array.from({ length: 9 }, () => leaf),
      [ca.certificate],
    ),
    'svid_invalid',
  );
});

test('what may not sign has signed nothing', async () => {
  const shapes = {
    'no CA': { basicConstraints: new BasicConstraintsExtension(false, undefined, true) },
    'no keyCertSign': { keyUsage: KeyUsageFlags.digitalSignature },
    'no key usage': { keyUsage: undefined },
  };
  for (const [what, shape] of Object.entries(shapes)) {
    const intermediate = await ca.intermediate(shape);
    const { certificates } = await intermediate.issue(id);
    assert.is(judge(certificates, [ca.certificate]), 'svid_invalid', what);
  }
});

test('a path length counts the CAs below, as OpenSSL counts them', async () => {
  const pathLength = (length: number) => ({
    basicConstraints: new BasicConstraintsExtension(true, length, true),
  });
  const root = await testCa('platform.local', pathLength(1));
  const one = await root.intermediate(pathLength(0));
  const two = await one.intermediate({ subject: 'CN=second' });
  const fine = (await one.issue(id)).certificates;
  const deep = (await two.issue(id)).certificates;
  assert.is(judge(fine, [root.certificate]), 'holds');
  assert.ok(opensslAgrees(true, fine, [root.certificate]));
  assert.is(judge(deep, [root.certificate]), 'svid_invalid');
  assert.ok(opensslAgrees(false, deep, [root.certificate]));
});

test('every certificate counts only within its validity', async () => {
  const day = 24 * 3600 * 1000;
  const past = new Date(Date.now() - 3 * day);
  const { certificates } = await ca.issue(id);
  assert.is(
    judge(certificates, [ca.certificate], new Date(Date.now() + 2 * 3600e3)),
    'svid_expired',
  );
  assert.is(judge(certificates, [ca.certificate], past), 'svid_expired');
  const oldCa = await testCa('platform.local', { now: past });
  const ofOld = (await oldCa.issue(id)).certificates;
  assert.is(judge(ofOld, [oldCa.certificate]), 'svid_expired');
  assert.ok(opensslAgrees(false, ofOld, [oldCa.certificate]));
  const oldIntermediate = await ca.intermediate({ now: past });
  const below = (await oldIntermediate.issue(id)).certificates;
  assert.is(judge(below, [ca.certificate]), 'svid_expired');
});

test('a changed byte of a certificate is noticed, wherever it is', async () => {
  const { certificates } = await ca.issue(id);
  const [leaf = new Uint8Array()] = certificates;
  fc.assert(
    fc.property(fc.nat(leaf.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = leaf.slice();
      changed[at] = (changed[at] ?? 0) ^ by;
      assert.is.not(judge([changed], [ca.certificate]), 'holds');
    }),
    { numRuns: 1000 },
  );
});

test('DER and PEM are the same certificates, and neither is made of anything else', async () => {
  const { certificates } = await (await ca.intermediate()).issue(id);
  assert.equal(certificatesFromPem(certificatesPem(certificates)), certificates);
  const der = Uint8Array.from(certificates.flatMap((each) => [...each]));
  assert.equal(splitCertificates(der), certificates);
  assert.throws(
    () => splitCertificates(der.slice(0, -1)),
    (error: unknown) => codeOf(error) === 'svid_invalid',
  );
  for (const text of ['', 'a', '-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----']) {
    assert.throws(
      () => certificatesFromPem(text),
      (error: unknown) => codeOf(error) === 'svid_invalid',
    );
  }
});

test.run();
