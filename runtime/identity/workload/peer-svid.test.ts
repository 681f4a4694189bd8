// Peers' certificates as an attacker would make them: each rule of the standard broken, and every byte too.
import 'reflect-metadata'; // the certificate library needs it loaded first
import { X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, PlatformError } from '../../errors.ts';
import { Scope } from '../../modules/scope.ts';
import { moduleBytes } from '../../modules/source.ts';
import { type CertificateShape, type TestCa, testCa } from '../../testing/certificates.ts';
import { readCertificate } from './certificate.ts';
import { type PeerSvidRules, verifyPeerSvid } from './peer-svid.ts';

const id = 'spiffe://platform.local/agent/acme/bot/main';
const scope = Scope.create(moduleBytes('scope'));
const keyUsage = x509.KeyUsageFlags;
const purposes = x509.ExtendedKeyUsage;
const now = new Date('2026-11-21T12:00:00Z');
const rules: PeerSvidRules = {
  ...{ scope, trustDomain: 'platform.local', now },
  denied: { isDenied: () => false },
};
let ca: TestCa;

async function leaf(change: Partial<CertificateShape> = {}, spiffeId = id): Promise<Uint8Array> {
  const { certificates } = await ca.issue(spiffeId, { now, ...change });
  return certificates[0] as Uint8Array;
}

function judge(der: Uint8Array, change: Partial<PeerSvidRules> = {}): string {
  try {
    return verifyPeerSvid(der, { ...rules, ...change }).spiffeId;
  } catch (error) {
    if (error instanceof PlatformError) return codeOf(error);
    throw error;
  }
}

const url = (value: string) => ({ type: 'url', value }) as const;

const test = suite('peer-svid');
test.before(async () => {
  ca = await testCa();
});

test('an SVID is read with its validity and its time of issue', async () => {
  assert.equal(verifyPeerSvid(await leaf(), rules), {
    spiffeId: id,
    notBefore: new Date('2026-11-21T11:55:00Z'),
    notAfter: new Date('2026-11-21T13:00:00Z'),
    issuedAt: now.getTime() / 1000,
  });
});

test('each rule of the X509-SVID standard, broken', async () => {
  const broken: Record<string, Partial<CertificateShape>> = {
    'section 2: no URI name': { names: [] },
    'section 2: a DNS name only': { names: [{ type: 'dns', value: 'gateway' }] },
    'section 2: two URI names': { names: [url(id), url('spiffe://platform.local/other/one')] },
    'section 2: the same URI name twice': { names: [url(id), url(id)] },
    'section 2: a second URI that is no SPIFFE ID': { names: [url(id), url('https://a')] },
    'section 2: a URI that is no SPIFFE ID': { names: [url('https://platform.local/agent')] },
    'section 3.1: no path': { names: [url('spiffe://platform.local')] },
    'section 4.1: a CA': {
      basicConstraints: new x509.BasicConstraintsExtension(true, undefined, true),
    },
    'section 4.3: no key usage': { keyUsage: undefined },
    'section 4.3: no digitalSignature': { keyUsage: keyUsage.keyAgreement },
    'section 4.3: keyCertSign': { keyUsage: keyUsage.digitalSignature | keyUsage.keyCertSign },
    'section 4.3: cRLSign': { keyUsage: keyUsage.digitalSignature | keyUsage.cRLSign },
    'section 4.4: servers only': { extendedKeyUsage: [purposes.serverAuth] },
    'section 4.4: clients only': { extendedKeyUsage: [purposes.clientAuth] },
    'section 4.4: something else': { extendedKeyUsage: [purposes.codeSigning] },
    'RFC 5280, 4.2: an unknown critical extension': {
      more: [new x509.Extension('1.2.3.4', true, Buffer.from('0500', 'hex'))],
    },
    'RFC 5280, 4.2: an extension twice': {
      more: [new x509.KeyUsagesExtension(keyUsage.digitalSignature, true)],
    },
  };
  for (const [rule, change] of Object.entries(broken)) {
    assert.is(judge(await leaf(change)), 'svid_invalid', rule);
  }
});

test('what the standard leaves open is taken', async () => {
  const open: Record<string, Partial<CertificateShape>> = {
    'DNS and other names beside the URI': {
      names: [{ type: 'dns', value: 'bot.svc' }, url(id), { type: 'ip', value: '127.0.0.1' }],
    },
    'no extended key usage': { extendedKeyUsage: undefined },
    'more purposes': {
      extendedKeyUsage: [purposes.codeSigning, purposes.clientAuth, purposes.serverAuth],
    },
    'no basic constraints': { basicConstraints: undefined },
    'key agreement too': { keyUsage: keyUsage.digitalSignature | keyUsage.keyAgreement },
    'no subject': { subject: '' },
    'an unknown extension that is not critical': {
      more: [new x509.Extension('1.2.3.4', false, Buffer.from('0500', 'hex'))],
    },
  };
  for (const [what, change] of Object.entries(open)) assert.is(judge(await leaf(change)), id, what);
});

test('names that look like the right one are refused', async () => {
  const hostile = [
    ...['SPIFFE://platform.local/agent/acme/bot/main', `${id}/`, `${id}?role=admin`, `${id}#admin`],
    ...[`${id}\0`, `${id}\0.evil`, `${id}\n`, `${id} `, ` ${id}`, `${id},URI:spiffe://other/a`],
    ...['spiffe://platform.local/agent/../service/gateway', 'spiffe://platform.local//agent'],
    ...['spiffe://platform.local/agent/acme/bot/m%61in', 'spiffe://user@platform.local/agent'],
    ...['spiffe://platform.local:8443/agent', 'spiffe://PLATFORM.local/agent', 'spiffe:/agent', ''],
    ...[
      `spiffe://platform.local/${'a'.repeat(2048)}`,
      `spiffe://platform.local/${'a/'.repeat(999)}`,
    ],
    ...['spiffe://platform.local/"quoted"', 'spiffe://platform.local/agent\\acme', 'spiffe://a*/b'],
  ];
  for (const name of hostile) {
    assert.is(judge(await leaf({ names: [url(name)] })), 'svid_invalid', JSON.stringify(name));
  }
});

test('a name that pretends to be two, as a text, is one and refused', async () => {
  // Node writes both of these alike: `URI:spiffe://…, URI:spiffe://…`.
  const forged = url(`${id}, URI:spiffe://platform.local/service/gateway`);
  assert.is(judge(await leaf({ names: [forged] })), 'svid_invalid');
  const inDns = { type: 'dns', value: `a, URI:${id}` } as const;
  assert.is(judge(await leaf({ names: [inDns] })), 'svid_invalid');
});

test('another trust domain is foreign, also when its name only begins or ends alike', async () => {
  for (const other of ['other.local', 'platform.loca', 'platform.local.', 'a.platform.local']) {
    const spiffeId = `spiffe://${other}/agent/acme/bot/main`;
    assert.is(judge(await leaf({}, spiffeId)), 'svid_foreign', other);
  }
});

test('validity counts to the second, and skew widens it by as much as is said', async () => {
  const der = await leaf();
  const at = (time: string, skewMs = 0) => judge(der, { now: new Date(time), skewMs });
  assert.is(at('2026-11-21T11:54:59Z'), 'svid_expired');
  assert.is(at('2026-11-21T11:55:00Z'), id);
  assert.is(at('2026-11-21T13:00:00Z'), id);
  assert.is(at('2026-11-21T13:00:01Z'), 'svid_expired');
  assert.is(at('2026-11-21T11:50:00Z', 300_000), id);
  assert.is(at('2026-11-21T11:49:59Z', 300_000), 'svid_expired');
  assert.is(at('2026-11-21T13:05:00Z', 300_000), id);
  assert.is(at('2026-11-21T13:05:01Z', 300_000), 'svid_expired');
  assert.is(at('no time'), 'svid_expired');
});

test('a verifier five minutes behind or ahead takes an SVID that was just issued', async () => {
  const der = await leaf();
  for (const minutes of [-5, 5]) {
    const clock = new Date(now.getTime() + minutes * 60_000);
    assert.is(judge(der, { now: clock }), id, `${minutes} minutes`);
  }
});

test('the deny-list is asked with the identity and the time of issue', async () => {
  const asked: [string, number][] = [];
  const denied = { isDenied: (...of: [string, number]) => asked.push(of) > 0 };
  assert.is(judge(await leaf(), { denied }), 'svid_denied');
  assert.equal(asked, [[id, now.getTime() / 1000]]);
});

test('no bytes make it throw anything but a refusal', async () => {
  const der = await leaf();
  const refused = new Set(['svid_invalid', 'svid_expired', 'svid_foreign', 'svid_denied']);
  const mutated = fc
    .array(fc.tuple(fc.nat(der.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const bytes = der.slice();
      for (const [at, value] of changes) bytes[at] = value;
      return bytes;
    });
  const cut = fc.nat(der.length - 1).map((length) => der.slice(0, length));
  const longer = fc
    .uint8Array({ minLength: 1, maxLength: 8 })
    .map((tail) => Uint8Array.from([...der, ...tail]));
  fc.assert(
    fc.property(fc.oneof(mutated, fc.uint8Array({ maxLength: 600 })), (bytes) => {
      const said = judge(bytes);
      // A change where nothing is read, such as the signature, is TLS's to refuse.
      assert.ok(said.startsWith('spiffe://platform.local/') || refused.has(said), said);
    }),
    { numRuns: 20_000 },
  );
  fc.assert(
    fc.property(fc.oneof(cut, longer), (bytes) => {
      assert.is(judge(bytes), 'svid_invalid');
    }),
    { numRuns: 2000 },
  );
});

test('reads what another reader of certificates reads', async () => {
  const flags = fc.integer({ min: 1, max: 511 });
  const names = fc.array(
    fc.oneof(
      fc.webUrl().map((value) => url(value)),
      fc.domain().map((value) => ({ type: 'dns', value }) as const),
    ),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(flags, names, fc.boolean(), async (usage, general, isCa) => {
      const basicConstraints = new x509.BasicConstraintsExtension(isCa, isCa ? 3 : undefined, true);
      const der = await leaf({ keyUsage: usage, names: general, basicConstraints });
      const facts = readCertificate(der);
      const other = new X509Certificate(der);
      assert.is(facts.isCa, isCa);
      assert.is(facts.pathLength, isCa ? 3 : undefined);
      // OpenSSL calls only that a CA which may sign certificates.
      assert.is(other.ca, facts.isCa && (usage & x509.KeyUsageFlags.keyCertSign) !== 0);
      assert.equal(facts.notAfter, other.validToDate);
      assert.equal(facts.extendedKeyUsage, other.keyUsage);
      const theirs = (other.subjectAltName ?? '')
        .split(', ')
        .filter((each) => each.startsWith('URI'));
      assert.equal(
        facts.uris.map((uri) => `URI:${uri}`),
        theirs.map((each) =>
          each.startsWith('URI:"') ? `URI:${JSON.parse(each.slice(4))}` : each,
        ),
      );
      const named = Object.entries(x509.KeyUsageFlags)
        .filter(([, bit]) => typeof bit === 'number' && (usage & bit) !== 0)
        .map(([name]) => name);
      assert.equal([...(facts.keyUsage ?? [])].sort(), named.sort());
    }),
    { numRuns: 60 },
  );
});

test('a huge certificate costs nothing', async () => {
  const many = Array.from({ length: 80 }, (_, i) => ({ type: 'dns', value: `n${i}` }) as const);
  assert.is(judge(await leaf({ names: [url(id), ...many] })), 'svid_invalid');
  const long = url(`spiffe://platform.local/${'a'.repeat(100_000)}`);
  assert.is(judge(await leaf({ names: [long] })), 'svid_invalid');
});

test.run();
