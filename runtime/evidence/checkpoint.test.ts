import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hex } from '../hex.ts';
import { openCheckpoint, signCheckpoint } from './checkpoint.ts';
import {
  formatNoteKey,
  parseNote,
  parseNoteKey,
  seedSigner,
  signNote,
  verifyNote,
} from './note.ts';

const origin = 'platform.local/evidence/log';
const signer = seedSigner(new Uint8Array(32).fill(1));
const key = { name: origin, publicKey: signer.publicKey };
const root = new Uint8Array(32).fill(9);
const good = Buffer.from(signCheckpoint({ origin, size: 42, root }, signer));
const refusal = (bytes: Uint8Array, trusted = key) => {
  try {
    openCheckpoint(bytes, trusted);
    return 'accepted';
  } catch (error) {
    return (error as { code: string }).code;
  }
};
/** A note over any text, signed rightly: what is refused is the text. */
const signed = (text: string, name = origin) => Buffer.from(signNote(text, name, signer));
const rootText = Buffer.from(root).toString('base64');

test('the signed note of golang.org/x/mod/sumdb/note verifies, and no other text under it', () => {
  const text =
    'If you think cryptography is the answer to your problem,\n' +
    "then you don't know what your problem is.\n";
  const signature =
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
  const known = parseNoteKey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
  const note = parseNote(Buffer.from(`${text}\n${signature}`));
  assert.is(note.text, text);
  verifyNote(note, known);
  const other = parseNote(Buffer.from(`${text.replace('your', 'my')}\n${signature}`));
  assert.throws(() => verifyNote(other, known), /does not hold/);
});

test('a checkpoint comes back as it was signed', () => {
  const checkpoint = openCheckpoint(good, key);
  assert.is(checkpoint.size, 42);
  assert.is(hex(checkpoint.root), hex(root));
  assert.match(good.toString('utf8'), `${origin}\n42\n${rootText}\n\n— ${origin} `);
  assert.is(formatNoteKey(parseNoteKey(formatNoteKey(key))), formatNoteKey(key));
});

test('an extension line and a foreign signature are passed over', () => {
  const text = `${origin}\n42\n${rootText}\nextension\n`;
  const witness = signNote(text, 'witness.example', seedSigner(randomBytes(32))).split('\n\n')[1];
  const both = Buffer.from(`${signNote(text, origin, signer)}${witness}`);
  assert.is(openCheckpoint(both, key).size, 42);
});

test('sizes that are no plain decimal numbers are refused, though rightly signed', () => {
  for (const size of [
    '',
    '042',
    '+42',
    '-1',
    '4.0',
    '0x2a',
    ' 42',
    '42 ',
    '1e3',
    '٤٢',
    '9007199254740992',
  ]) {
    assert.is(refusal(signed(`${origin}\n${size}\n${rootText}\n`)), 'checkpoint_invalid', size);
  }
  assert.is(refusal(signed(`${origin}\n0\n${rootText}\n`)), 'accepted');
});

test('other malformed texts are refused, though rightly signed', () => {
  const texts = [
    `${origin}\n42\n`,
    `${origin}\n42\n${rootText.slice(0, -1)}\n`,
    `${origin}\n42\n${rootText.replace('=', ' ')}\n`,
    `${origin}\n42\n${Buffer.alloc(31).toString('base64')}\n`,
    `${origin}\n42\n${Buffer.alloc(33).toString('base64')}\n`,
    // Same 32 bytes in another spelling: the unused bits are set.
    `${origin}\n42\n${`${rootText.slice(0, -2)}l=`}\n`,
    `${origin}\n42\n${rootText}\n\nextension\n`,
    `other\n42\n${rootText}\n`,
    `\ufeff${origin}\n42\n${rootText}\n`,
    `${origin}\r\n42\n${rootText}\n`,
    `${origin}\t\n42\n${rootText}\n`,
  ];
  for (const text of texts) {
    assert.is(refusal(signed(text)), 'checkpoint_invalid', JSON.stringify(text));
  }
});

test('signatures that do not count are refused', () => {
  const text = good.toString('utf8');
  const line = text.slice(text.indexOf('—'));
  const body = text.slice(0, text.indexOf('—'));
  const stranger = seedSigner(new Uint8Array(32).fill(2));
  const forged = signCheckpoint({ origin, size: 42, root }, stranger);
  const cases: Record<string, Uint8Array> = {
    none: Buffer.from(body),
    'of another key': forged,
    twice: Buffer.from(text + line),
    'under another name': Buffer.from(body + line.replace(origin, 'other')),
    'with an en dash': Buffer.from(body + line.replace('—', '–')),
    'without a newline': Buffer.from(text.slice(0, -1)),
    'and text after it': Buffer.from(`${text}more\n`),
    'with two spaces': Buffer.from(body + line.replace('— ', '—  ')),
    'too many': Buffer.from(body + line.repeat(17)),
    'too large': Buffer.concat([good, Buffer.alloc(16 * 1024, 0x61)]),
    'not UTF-8': Buffer.concat([Buffer.of(0xff), good]),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    assert.is(refusal(bytes), 'checkpoint_invalid', name);
  }
  assert.is(refusal(good, { ...key, publicKey: stranger.publicKey }), 'checkpoint_invalid');
});

test('no changed bit and no cut is accepted as the same checkpoint', () => {
  for (let bit = 0; bit < good.byteLength * 8; bit++) {
    const bytes = Buffer.from(good);
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    assert.is(refusal(bytes), 'checkpoint_invalid', `bit ${bit}`);
  }
  for (let length = 0; length < good.byteLength; length++) {
    assert.is(refusal(good.subarray(0, length)), 'checkpoint_invalid', `${length} bytes`);
  }
});

test('any bytes are read or refused with a code, and any key string as well', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.string().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        assert.is(refusal(bytes), 'checkpoint_invalid');
      },
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'abc+01/=\n —') }), (text) => {
      assert.throws(
        () => parseNoteKey(text),
        (error: { code: string }) => error.code === 'checkpoint_invalid',
      );
    }),
  );
});

test.run();
