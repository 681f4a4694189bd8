// Generators of JSON as an attacker would send it, shared by the tests of every reader.

import fc from 'fast-check';

/** A number that a round trip through binary64 keeps: no integer beyond 2^53. */
export function portableNumber(): fc.Arbitrary<number> {
  return fc
    .oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ noNaN: true, min: -1e16, max: 1e16 }),
      fc.double({ noNaN: true, min: -1, max: 1 }),
      fc.double({ noNaN: true, min: -3e-308, max: 3e-308 }),
      fc.maxSafeInteger(),
      fc.constantFrom(
        0,
        -0,
        2 ** 53,
        -(2 ** 53),
        1e-6,
        1e-7,
        5e-324,
        0.1,
        1e15,
        123456789012345.67,
      ),
    )
    .filter((number) => !(Number.isInteger(number) && Math.abs(number) > 2 ** 53));
}

/** Text with the characters that readers get wrong: escapes, controls, surrogate pairs, U+E000 and above. */
export function hostileText(): fc.Arbitrary<string> {
  const characters = fc.constantFrom(
    ...['"', '\\', '/', '\b', '\n', '\u0000', '\u001f', '\u007f', 'é', '\u2028', '\ud7ff'],
    ...['\ue000', '\uffff', '😀', '\u{10ffff}', 'a', 'b', '€', '\ufeff', '\u200d'],
  );
  return fc.oneof(
    fc.string({ unit: characters, maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
  );
}

/** Pieces that are almost JSON, so that random joins reach deep into a reader. */
const pieces = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\n', '\t', '\r', '\f', '\ufeff', '\u00a0'],
  ...['"a"', '"b"', '"\\u0061"', '"\\u000A"', '"\\n"', '"\\/"', '"\\x"', '"\\u12"', '"\\ud83d"'],
  ...['"\\ud83d\\ude00"', '"\\ude00"', '"\\ud83d\\u0061"', '"😀"', '"\ue000"', '""'],
  ...[
    '0',
    '-0',
    '-',
    '01',
    '1.',
    '.5',
    '1e',
    '1e+',
    '1E5',
    '1.50',
    '1e400',
    '1e-400',
    '0e999999999',
  ],
  ...['9007199254740992', '9007199254740993', '0.1', '0.10000000000000001', '0.30000000000000004'],
  ...['null', 'true', 'false', 'nul', 'True', 'NaN', 'Infinity', '//', '/**/', "'a'"],
].map((piece) => Buffer.from(piece));

const brokenUtf8 = [
  [0x80],
  [0xc0, 0xaf],
  [0xc2],
  [0xe0, 0x80, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xed, 0xbf, 0xbf],
  [0xf0, 0x80, 0x80, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88],
  [0xff],
].map((bytes) => Buffer.from(bytes));

/** Bytes that are JSON, nearly JSON or nothing of the kind. */
export function hostileJson(): fc.Arbitrary<Buffer> {
  const value = fc.jsonValue({
    maxDepth: 5,
    stringUnit: 'binary',
    noUnicodeString: false,
  } as never);
  const valid = value.map((json) => Buffer.from(JSON.stringify(json)));
  const keys = fc.dictionary(hostileText(), fc.integer(), { maxKeys: 20 });
  const objects = keys.map((object) =>
    Buffer.from(JSON.stringify(Object.fromEntries(Object.entries(object).reverse()))),
  );
  const joined = fc
    .array(fc.constantFrom(...pieces), { maxLength: 12 })
    .map((parts) => Buffer.concat(parts));
  const mutated = fc
    .tuple(fc.oneof(valid, objects), fc.nat(), fc.constantFrom(...pieces, ...brokenUtf8), fc.nat(3))
    .map(([bytes, position, piece, removed]) => {
      const at = position % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + removed)]);
    });
  const random = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes));
  return fc.oneof(valid, objects, joined, mutated, random);
}
