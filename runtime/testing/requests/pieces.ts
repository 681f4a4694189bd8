// Pieces of JSON text that readers read differently: numbers at the edges, odd strings, odd shapes.
import fc from 'fast-check';

/** Numbers as they may stand in a text; half of them no host may take. */
export const numberTexts: readonly string[] = [
  ...['0', '-0', '0.0', '-0.0', '0e0', '0e999999999', '-0E-5', '1E+2', '1e2', '1.0', '10.50e-1'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740991'],
  ...['-9007199254740992', '-9007199254740993', '9007199254740994', '9.007199254740993e15'],
  ...['9007199254740992.0', '9007199254740993.0', '18446744073709551616', '1e15', '1e16', '1e21'],
  ...['1e22', '1e23', '123456789012345680000', '1e308', '1.7976931348623157e308', '1e309'],
  ...['1.7976931348623159e308', '-1e309', '5e-324', '4.9e-324', '2e-324', '3e-324', '1e-400'],
  ...['2.2250738585072014e-308', '2.2250738585072011e-308', '0.1', '0.10000000000000001'],
  ...['0.30000000000000004', '0.1000000000000000055511151231257827', '1.7999999999999998'],
  ...['12345678901234567', '1234567890123456.7', '0.12345678901234567', '1.2345678901234567e-7'],
  ...['1e-7', '1e-6', '0.000001', '0.0000001', '4.35', '4.349999999999999', '1e1', '1e+01'],
  ...['01', '-', '+1', '.5', '1.', '1e', '1e+', '0x10', '1_000', 'NaN', 'Infinity', '-Infinity'],
];

/** Strings as they may stand in a text, with their quotes. */
export const stringTexts: readonly string[] = [
  ...[
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '"\\uD83D\\u0061"',
  ],
  ...[
    '"\\u0000"',
    '"\\u001f"',
    '"\\u007f"',
    '"\\/"',
    '"/"',
    '"\\b\\f\\n\\r\\t"',
    '"\\x41"',
    '"\\u12"',
  ],
  ...['"\\u00e9"', '"é"', '"e\u0301"', '"\\u212b"', '"\u212b"', '"\u00c5"', '"\ufb01"', '"\u1e9e"'],
  ...[
    '"\u2028\u2029"',
    '"\\u2028"',
    '"\u202e\u2066"',
    '"\u05d0\u05d1\u200f"',
    '"\ufeff"',
    '"\\ufeff"',
  ],
  ...['"\ud7ff\ue000"', '"\uffff\ufffe"', '"\u{10000}"', '"\u{1ffff}\u{20000}\u{2ffff}"'],
  ...[
    '"\u{30000}\u{e0041}\u{e01ef}\u{f0000}\u{10ffff}"',
    '"\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"',
  ],
  ...['"\t"', '"\n"', '"\u0001"', "'a'", '"', '"\\', '""', '"\\u0061"', '"__proto__"'],
];

/** Bytes that are no UTF-8, within a string. */
const brokenBytes: readonly number[][] = [
  [0x80],
  [0xc0, 0xaf],
  [0xc1, 0x81],
  [0xc2],
  [0xe0, 0x80, 0xaf],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xed, 0xbf, 0xbf],
  [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  [0xf0, 0x80, 0x80, 0xaf],
  [0xf0, 0x9f, 0x98],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xfe],
  [0xff],
];

const oddTexts: readonly string[] = [
  ...[
    '[]',
    '{}',
    '[[]]',
    '{"":{}}',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{"a"}',
    '{a:1}',
    '[1 2]',
    '',
    ' null ',
  ],
  ...['tru', 'True', 'null', 'undefined', '/**/1', '1//', '{"a":1,"a":1}', '{"a":1,"\\u0061":2}'],
  ...[
    '{"é":1,"e\u0301":2}',
    '{"é":1,"\\u00e9":2}',
    '{"\ue000":1,"\u{10000}":2}',
    '{"__proto__":{}}',
  ],
  ...['{"constructor":1,"prototype":2}', '{"10":1,"9":2,"-0":3}', '{"\\u0000":1}', '[null,false]'],
  `{"${'k'.repeat(256)}":1}`,
  `{"${'k'.repeat(257)}":1}`,
  `{"${'é'.repeat(128)}":1}`,
  `{"${'é'.repeat(128)}k":1}`,
];

const text = (...texts: readonly string[]) =>
  fc.constantFrom(...texts).map((json): Uint8Array => Buffer.from(json));

/** Arrays or objects within each other, so many. */
function nested(levels: number, isArray: boolean): Uint8Array {
  const open = isArray ? '[' : '{"a":';
  return Buffer.from(
    open.repeat(levels) + (isArray ? '' : '0') + (isArray ? ']' : '}').repeat(levels),
  );
}

/** Nested to the depth that is allowed, and just over: the piece itself stands one level deep. */
const deep = fc
  .tuple(fc.constantFrom(61, 62, 63, 64, 65, 200, 5000), fc.boolean())
  .map(([levels, isArray]) => nested(levels, isArray));

/** Thousands of members or elements, in an order that no reader would choose. */
const wide = fc
  .tuple(
    fc.integer({ min: 1000, max: 4000 }),
    fc.constantFrom('key', '\ue000', '\u{10000}', 'é'),
    fc.boolean(),
  )
  .map(([count, name, isArray]): Uint8Array => {
    const members = Array.from({ length: count }, (_, index) => {
      const number = (index * 7919) % count;
      return isArray ? String(number) : `"${name}${number}":${number}`;
    });
    return Buffer.from(isArray ? `[${members.join(',')}]` : `{${members.join(',')}}`);
  });

/** Text of all planes, each code point with the same chance. */
export const anyPlane = fc
  .array(
    fc.oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff })),
    {
      maxLength: 30,
    },
  )
  .map((points) => String.fromCodePoint(...points));

const broken = fc
  .tuple(fc.constantFrom(...brokenBytes), fc.string({ maxLength: 3 }), fc.boolean())
  .map(([bytes, words, isFirst]): Uint8Array => {
    const quoted = Buffer.from(JSON.stringify(words)).subarray(1, -1);
    const parts = isFirst ? [bytes, quoted] : [quoted, bytes];
    return Buffer.concat([
      Buffer.from('"'),
      ...parts.map((part) => Buffer.from(part)),
      Buffer.from('"'),
    ]);
  });

/** A value as a text, which not every reader takes, or not in the same way. */
export const oddPiece: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 30, arbitrary: text(...numberTexts) },
  { weight: 20, arbitrary: text(...stringTexts) },
  { weight: 12, arbitrary: text(...oddTexts) },
  { weight: 20, arbitrary: anyPlane.map((of): Uint8Array => Buffer.from(JSON.stringify(of))) },
  { weight: 10, arbitrary: broken },
  { weight: 6, arbitrary: deep },
  { weight: 1, arbitrary: wide },
);
