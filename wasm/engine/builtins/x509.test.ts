// Certificates: OPA's own answers on right and on broken ones, and on chains of every shape.
import 'reflect-metadata'; // the certificate library needs it loaded first
import {
  BasicConstraintsExtension,
  CertificatePolicyExtension,
  Extension,
  type JsonGeneralName,
  KeyUsageFlags,
} from '@peculiar/x509';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { testCa } from '../../../runtime/testing/certificates.ts';
import { needs } from '../../../runtime/testing/needs.ts';
import { type Call, opaBuiltins } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';

const engine = await engineUnderTest('x509', 'x509-request');
const now = Date.now();
const currentTime = now * 1_000_000;
engine.function('setTime')(BigInt(now) * 1_000_000n);

const parse = 'crypto.x509.parse_certificates';
const verify = 'crypto.x509.parse_and_verify_certificates_with_options';

function pem(...certificates: readonly Uint8Array[]): string {
  return certificates
    .map((der) => {
      const lines = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n');
      return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
    })
    .join('');
}

function agree(calls: readonly Call[]): unknown[] {
  const expected = opaBuiltins(calls);
  calls.forEach(([name, ...operands], i) => {
    assert.equal(engine.call(name, ...operands), expected[i], JSON.stringify([name, ...operands]));
  });
  return expected;
}

const root = await testCa();
const below = await root.intermediate();
const lowest = await below.intermediate();
const names: JsonGeneralName[] = [
  { type: 'dns', value: 'a.example.com' },
  { type: 'dns', value: '*.wild.org' },
  { type: 'ip', value: '10.1.2.3' },
  { type: 'ip', value: '2001:db8::1' },
  { type: 'email', value: 'a@example.com' },
  { type: 'url', value: 'https://u:p@h.example.com:8443/a%2Fb?q#f' },
];
const subject = 'C=GB, O=Exämple, OU=One, OU=Two, CN=leaf';
const leaf = await below.issue('spiffe://platform.local/agent', { names, subject });
const deep = await lowest.issue('spiffe://platform.local/agent');
const der = (svid: { certificates: readonly Uint8Array[] }) => svid.certificates[0] as Uint8Array;

test('every field of a certificate is the one that OPA gives', () => {
  if (!needs('go')) return;
  const all = [root.certificate, below.certificate, der(leaf), der(deep)];
  const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');
  const answers = agree([
    ...all.map((one): Call => [parse, pem(one)]),
    ...all.map((one): Call => [parse, base64(one)]),
    [parse, base64(pem(...all))],
    [parse, base64(Buffer.concat(all))],
  ]);
  assert.ok(answers.every((answer) => answer !== undefined));
  assert.is((answers.at(-1) as unknown[]).length, 4);
});

test('a certificate with any bytes changed is read or refused as OPA does', () => {
  if (!needs('go')) return;
  const all = [root.certificate, der(leaf), der(deep)];
  const change = fc.tuple(
    fc.nat({ max: all.length - 1 }),
    fc.array(
      fc.tuple(
        fc.nat({ max: 2000 }),
        fc.oneof(
          fc.nat({ max: 255 }),
          fc.constantFrom(0, 1, 3, 5, 6, 12, 19, 22, 23, 24, 30, 48, 128, 160, 255),
        ),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    fc.constantFrom(0, 0, 0, 0, 1, -1, -40),
  );
  const calls = fc.sample(change, 4000).map(([which, edits, more]): Call => {
    const bytes = Buffer.from(all[which] as Uint8Array);
    for (const [at, value] of edits) bytes[at % bytes.length] = value;
    const shaped =
      more > 0
        ? Buffer.concat([bytes, Buffer.alloc(more)])
        : bytes.subarray(0, bytes.length + more);
    return [parse, shaped.toString('base64')];
  });
  const read = agree(calls).filter((answer) => answer !== undefined).length;
  assert.ok(read > 500 && read < 3500, `${read} of 4000 read`);
});

test('bytes that are no certificate are refused, and nothing traps', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64')),
        fc
          .uint8Array({ maxLength: 60 })
          .map((bytes) =>
            Buffer.concat([Buffer.from([0x30, bytes.length]), bytes]).toString('base64'),
          ),
        fc
          .array(
            fc.constantFrom(
              '-----BEGIN CERTIFICATE-----',
              '-----END CERTIFICATE-----',
              '\n',
              'MII',
              ':',
            ),
            { maxLength: 8 },
          )
          .map((parts) => parts.join('')),
      ),
      (text) => {
        for (const name of [parse, 'crypto.x509.parse_certificate_request']) {
          const answer = engine.call(name, text);
          assert.ok(answer === undefined || (Array.isArray(answer) && answer.length === 0), text);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test('a length of four gigabytes reads nothing behind the text', () => {
  for (const head of ['3084ffffffff', '3084fffffff0', '30847fffffff', '308400000005', '3080']) {
    const text = Buffer.from(`${head}0500`, 'hex').toString('base64');
    assert.is(engine.call(parse, text), undefined);
    assert.throws(
      () => engine.callStrict(parse, text),
      (error: unknown) => error instanceof EngineFailure && error.failure === 1,
    );
  }
});

const options: object[] = [
  {},
  ...[
    'a.example.com',
    'A.Example.COM.',
    'b.wild.org',
    'x.b.wild.org',
    'wild.org',
    '*.wild.org',
  ].map((DNSName) => ({ DNSName })),
  ...[
    '10.1.2.3',
    '[10.1.2.3]',
    '::ffff:10.1.2.3',
    '[2001:db8:0::1]',
    '10.1.2.4',
    '',
    '"b.wild.org"',
  ].map((DNSName) => ({ DNSName })),
  { KeyUsages: ['KeyUsageCodeSigning'] },
  { KeyUsages: ['KeyUsageCodeSigning', 'KeyUsageClientAuth'] },
  { KeyUsages: new Set(['KeyUsageAny']) },
  { KeyUsages: ['KeyUsageNone'] },
  { KeyUsages: [] },
  { CurrentTime: 0 },
  { CurrentTime: currentTime + 86_400e9 * 400 },
  { CurrentTime: 'now' },
  { Unknown: 1 },
  { MaxConstraintComparisons: 10 },
];

function everyOption(text: string): Call[] {
  return options.map((option) => [verify, text, { CurrentTime: currentTime, ...option }]);
}

test('a chain is verified as OPA verifies it', () => {
  if (!needs('go')) return;
  const [r, b, l, d] = [root.certificate, below.certificate, lowest.certificate, der(deep)];
  const answers = agree(
    [
      pem(r, b, der(leaf)),
      pem(r, b, l, d),
      pem(r, l, b, d),
      pem(r, b, b, l, d),
      pem(r, l, d),
      pem(r, d),
      pem(b, der(leaf)),
      pem(b, l, d),
      pem(r, r),
      pem(r),
      pem(d, r),
      'x',
    ].flatMap(everyOption),
  ) as (unknown[] | undefined)[];
  for (const wanted of [true, false]) {
    assert.ok(answers.filter((answer) => answer?.[0] === wanted).length > 30, String(wanted));
  }
});

/** An intermediate of any shape and a certificate below it, as PEM with the root. */
async function chainWith(
  shape: Parameters<typeof root.intermediate>[0],
  ofLeaf: Parameters<typeof root.issue>[1] = {},
): Promise<string> {
  const middle = await root.intermediate(shape);
  const svid = await middle.issue('spiffe://platform.local/agent', ofLeaf);
  return pem(root.certificate, middle.certificate, der(svid));
}

/** NameConstraints with one subtree: permitted (0xa0) or excluded (0xa1), of a name's tag. */
function constraint(list: number, tag: number, value: Uint8Array): Extension {
  const wrap = (head: number, content: Uint8Array) =>
    Buffer.concat([Buffer.from([head, content.length]), content]);
  const bytes = wrap(0x30, wrap(list, wrap(0x30, wrap(tag, value))));
  return new Extension('2.5.29.30', true, new Uint8Array(bytes));
}

test('constraints of an authority bind what is below it', async () => {
  if (!needs('go')) return;
  const text = (value: string) => Buffer.from(value);
  const extensions = [
    ...['example.com', '.example.com', 'a.example.com', 'org', '', 'EXAMPLE.com', 'wild.org'].map(
      (value): [number, Buffer] => [0x82, text(value)],
    ),
    ...['example.com', '.example.com', 'h.example.com'].map((value): [number, Buffer] => [
      0x86,
      text(value),
    ]),
    ...['example.com', 'a@example.com', 'b@example.com', '.example.com', 'a@EXAMPLE.com', '@'].map(
      (value): [number, Buffer] => [0x81, text(value)],
    ),
    ...['0a000000ff000000', '0b000000ff000000', '0000000000000000', '0a000000ff00ff00'].map(
      (value): [number, Buffer] => [0x87, Buffer.from(value, 'hex')],
    ),
    [0x88, text('x')] as [number, Buffer],
  ];
  const chains: string[] = [];
  for (const [tag, value] of extensions) {
    for (const list of [0xa0, 0xa1]) {
      chains.push(await chainWith({ more: [constraint(list, tag, value)] }, { names }));
    }
  }
  const calls = chains.map((chain): Call => [verify, chain, { CurrentTime: currentTime }]);
  const answers = agree(calls) as unknown[][];
  for (const wanted of [true, false]) {
    assert.ok(answers.filter((answer) => answer[0] === wanted).length > 8, String(wanted));
  }
});

test('what an authority may not do is refused as OPA refuses it', async () => {
  if (!needs('go')) return;
  const unknown = new Extension('1.2.3.4', true, new Uint8Array([5, 0]));
  const shapes: Parameters<typeof chainWith>[] = [
    [{ basicConstraints: new BasicConstraintsExtension(false, undefined, true) }],
    [{ basicConstraints: undefined }],
    [{ basicConstraints: new BasicConstraintsExtension(true, 0, true) }],
    [{ keyUsage: KeyUsageFlags.digitalSignature }],
    [{ keyUsage: undefined }],
    [{ extendedKeyUsage: ['1.3.6.1.5.5.7.3.3'] }],
    [{ extendedKeyUsage: ['2.5.29.37.0'] }],
    [{ extendedKeyUsage: ['1.2.3'] }],
    [{ more: [unknown] }],
    [{}, { more: [unknown] }],
    [{ more: [new CertificatePolicyExtension(['1.2.3'])] }],
    [{ ttlSeconds: -1 }],
    [{ subject: 'CN=other' }],
    [{}, { extendedKeyUsage: undefined }],
    [{}, { names: [] }],
  ];
  const chains = await Promise.all(shapes.map((shape) => chainWith(...shape)));
  agree(chains.flatMap(everyOption));
});

test('an authority that requires explicit policies is not trusted', async () => {
  const required = new Extension('2.5.29.36', true, new Uint8Array([0x30, 3, 0x80, 1, 0]));
  const chain = await chainWith({ more: [required] });
  assert.equal(engine.call(verify, chain, { CurrentTime: currentTime }), [false, []]);
});

test.run();
