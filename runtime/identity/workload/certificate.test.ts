// Certificates that mean the right thing and are not DER, beside the one way in which DER writes them.
import 'reflect-metadata'; // the certificate library needs it loaded first
import * as x509 from '@peculiar/x509';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../errors.ts';
import { type CertificateShape, type TestCa, testCa } from '../../testing/certificates.ts';
import { readCertificate } from './certificate.ts';

let ca: TestCa;

async function leaf(change: Partial<CertificateShape> = {}): Promise<Uint8Array> {
  const { certificates } = await ca.issue('spiffe://platform.local/agent/acme/bot/main', change);
  return certificates[0] as Uint8Array;
}

function judge(der: Uint8Array): string {
  try {
    readCertificate(der);
    return 'read';
  } catch (error) {
    return codeOf(error);
  }
}

const test = suite('certificate');
test.before(async () => {
  ca = await testCa();
});

test('what is written in another way than DER wants is refused, though it means the same', async () => {
  const raw = (oid: string, hex: string) => new x509.Extension(oid, true, Buffer.from(hex, 'hex'));
  const usage = (hex: string) => ({ keyUsage: undefined, more: [raw('2.5.29.15', hex)] });
  const constraints = (hex: string) => ({
    ...{ basicConstraints: undefined, more: [raw('2.5.29.19', hex)] },
  });
  assert.is(judge(await leaf(usage('03020780'))), 'read');
  assert.is(judge(await leaf(constraints('3000'))), 'read');
  const variants: Record<string, Partial<CertificateShape>> = {
    'a length that is longer than it needs to be': usage('0381020780'),
    'bits set in the padding': usage('030207ff'),
    'zeros at the end': usage('03020080'),
    'more than nine bits': usage('0303008001'),
    'no bits': usage('030100'),
    'more unused bits than there are': usage('03020880'),
    'a string in parts': usage('23040302078000'),
    'bytes after the end': usage('030207800500'),
    'another type': usage('04020780'),
    'no value': usage(''),
    'the default': constraints('3003010100'),
    'a truth that is not all ones': constraints('3003010101'),
    'an indefinite length': constraints('30800000'),
    'a third element': constraints('3006020100020100'),
    'a padded number': constraints('300402020001'),
    'a number below zero': constraints('30030201ff'),
    'a huge number': constraints('3007020500ffffffff'),
  };
  for (const [what, change] of Object.entries(variants)) {
    assert.is(judge(await leaf(change)), 'svid_invalid', what);
  }
});

test('the outer form is strict too', async () => {
  const der = Buffer.from(await leaf());
  assert.is(der.subarray(0, 2).toString('hex'), '3082');
  const body = der.subarray(4);
  const outer = (hex: string, end = '') =>
    Buffer.concat([Buffer.from(hex, 'hex'), body, Buffer.from(end, 'hex')]);
  const length = body.length.toString(16).padStart(8, '0');
  assert.is(judge(outer(`3082${length.slice(4)}`)), 'read');
  assert.is(judge(outer(`3083${length.slice(2)}`)), 'svid_invalid');
  assert.is(judge(outer(`3084${length}`)), 'svid_invalid');
  assert.is(judge(outer('3080', '0000')), 'svid_invalid');
  assert.is(judge(outer(`3182${length.slice(4)}`)), 'svid_invalid');
});

test('deep and many elements are refused, and soon', () => {
  const size = 16 * 1024;
  const hostile = {
    'sequences without an end': Buffer.alloc(size, '3080', 'hex'),
    'strings without an end': Buffer.alloc(size, '2480', 'hex'),
    'thousands of elements': Buffer.concat([
      Buffer.from('30823ffc', 'hex'),
      Buffer.alloc(16380, '0500', 'hex'),
    ]),
    'nothing but zeros': Buffer.alloc(size),
  };
  for (const [what, bytes] of Object.entries(hostile)) {
    assert.is(judge(bytes), 'svid_invalid', what);
  }
});

test('a time with a fraction, an offset or no seconds is refused, and so is a day that there is not', async () => {
  const der = Buffer.from(await leaf({ now: new Date('2026-11-21T12:00:00Z') }));
  const at = der.indexOf('261121115500Z');
  assert.ok(at > 0);
  for (const time of ['261121115500Z', '260101000000Z', '491231235959Z', '500101000000Z']) {
    const changed = Buffer.from(der);
    changed.write(time, at, 'latin1');
    assert.is(judge(changed), 'read', time);
  }
  const wrong = [
    '260230115500Z',
    '261321115500Z',
    '261121245500Z',
    '261121115560Z',
    '2611211155+00',
  ];
  for (const time of [
    ...wrong,
    '2611211155.0Z',
    '2611211155Z  ',
    '26112111550Z ',
    '-6112111550Z ',
  ]) {
    const changed = Buffer.from(der);
    changed.write(time, at, 'latin1');
    assert.is(judge(changed), 'svid_invalid', time);
  }
});

test.run();
