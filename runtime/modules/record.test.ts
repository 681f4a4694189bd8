// Tests of the record module through its host: the RFC's vectors, another implementation, and hostile input.
import npmCanonicalize from 'canonicalize';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { hostileJson, hostileText, portableNumber } from '../testing/json-arbitraries.ts';
import { Record } from './record.ts';
import { moduleBytes } from './source.ts';

const record = Record.create(moduleBytes('record'));
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const canonical = (json: string | Uint8Array) => text(record.canonicalize(Buffer.from(json)));

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return codeOf(error);
  }
  return 'accepted';
}

test('gives the forms of RFC 8785 sections 3.2.2 and 3.2.3', () => {
  const sample = `{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`;
  // The sample's first two numbers do not survive as this platform demands; the rest of it does.
  assert.is(
    refusal(() => canonical(sample)),
    'input_number_not_portable',
  );
  assert.is(
    canonical(sample.replace('333333333.33333329, 1E30', '333333333.3333333, 1E3')),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1000,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
  const sorting = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    '\ufb33': 'Hebrew Letter Dalet With Dagesh',
    '1': 'One',
    '\ud83d\ude00': 'Emoji: Grinning Face',
    '\u0080': 'Control',
    '\u00f6': 'Latin Small Letter O With Diaeresis',
  };
  const keys = canonical(JSON.stringify(sorting)).match(/"[^"]*":/g);
  assert.equal(keys, ['"\\r":', '"1":', '"\u0080":', '"ö":', '"€":', '"😀":', '"\ufb33":']);
});

test('agrees with another implementation of RFC 8785', () => {
  const key = fc.oneof(hostileText(), fc.string({ maxLength: 4 }));
  const { json } = fc.letrec<{ json: JsonValue; node: JsonValue }>(
    (tie) =>
      ({
        json: fc.oneof(
          { depthSize: 'small' },
          tie('node'),
          fc.array(tie('json'), { maxLength: 6 }),
          tie('object'),
        ),
        object: fc.dictionary(key, tie('json'), { maxKeys: 12 }),
        node: fc.oneof(portableNumber(), hostileText(), fc.boolean(), fc.constant(null)),
      }) as never,
  );
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const expected = npmCanonicalize(value) as string;
      assert.is(canonical(JSON.stringify(value, null, space)), expected);
      assert.is(text(record.canonicalizeValue(value)), expected);
      assert.is(canonical(expected), expected);
    }),
    { numRuns: 3000 },
  );
});

test('reads every spelling of a string as the same string', () => {
  const spell = (unit: string, how: number) => {
    const code = unit.charCodeAt(0);
    const hex = code.toString(16).padStart(4, '0');
    if (how === 0) return `\\u${hex}`;
    if (how === 1) return `\\u${hex.toUpperCase()}`;
    return JSON.stringify(unit).slice(1, -1);
  };
  fc.assert(
    fc.property(hostileText(), fc.infiniteStream(fc.nat(2)), (value, how) => {
      fc.pre(value.isWellFormed());
      const spelled = [...value].map((point) => {
        const choice = how.next().value;
        return choice === 2
          ? spell(point, 2)
          : point
              .split('')
              .map((u) => spell(u, choice))
              .join('');
      });
      assert.is(canonical(`"${spelled.join('')}"`), npmCanonicalize(value));
      assert.is(canonical(`{"${spelled.join('')}":0}`), npmCanonicalize({ [value]: 0 }));
    }),
    { numRuns: 2000 },
  );
});

test('refuses each kind of unreadable input with its own code', () => {
  const cases: [string | Uint8Array, string][] = [
    ['', 'input_not_json'],
    ['{"a":1', 'input_not_json'],
    ['{"a":1}}', 'input_not_json'],
    ['{"a":1,}', 'input_not_json'],
    ['[1,]', 'input_not_json'],
    ['{a:1}', 'input_not_json'],
    ["{'a':1}", 'input_not_json'],
    ['\ufeff{}', 'input_not_json'],
    ['"\t"', 'input_not_json'],
    ['"\\x41"', 'input_not_json'],
    ['"\\u00g0"', 'input_not_json'],
    ['+1', 'input_not_json'],
    ['NaN', 'input_not_json'],
    ['nul', 'input_not_json'],
    ['1 2', 'input_not_json'],
    [Buffer.from([0x22, 0xff, 0x22]), 'input_not_utf8'],
    [Buffer.from([0x22, 0xc0, 0x80, 0x22]), 'input_not_utf8'],
    [Buffer.from([0x22, 0xe2, 0x82, 0x22]), 'input_not_utf8'],
    [Buffer.from([0xff]), 'input_not_utf8'],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'input_lone_surrogate'],
    ['"\\ud800"', 'input_lone_surrogate'],
    ['"\\udc00"', 'input_lone_surrogate'],
    ['"\\ud800\\ud800"', 'input_lone_surrogate'],
    ['{"\\ud800":1}', 'input_lone_surrogate'],
    ['{"a":1,"a":1}', 'input_duplicate_key'],
    ['{"b":1,"a":1,"b":2}', 'input_duplicate_key'],
    ['{"a":1,"\\u0061":1}', 'input_duplicate_key'],
    ['[{"x":{"😀":1,"\\ud83d\\ude00":1}}]', 'input_duplicate_key'],
    ['9007199254740993', 'input_number_not_portable'],
    ['1e400', 'input_number_not_portable'],
    ['1e-400', 'input_number_not_portable'],
    ['0.1000000000000000055', 'input_number_not_portable'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'input_too_deep'],
    [`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'input_too_deep'],
    ['['.repeat(1_000_000), 'input_too_deep'],
    [`{"${'k'.repeat(257)}":1}`, 'input_key_too_long'],
    [`{"${'é'.repeat(129)}":1}`, 'input_key_too_long'],
    [`"${'x'.repeat(1024 * 1024 - 1)}"`, 'input_too_large'],
    [new Uint8Array(40 * 1024 * 1024), 'input_too_large'],
  ];
  for (const [input, code] of cases) {
    const label = typeof input === 'string' ? input.slice(0, 40) : `${input.subarray(0, 9)}`;
    assert.is(
      refusal(() => canonical(input)),
      code,
      label,
    );
  }
});

test('takes what is exactly at the limits', () => {
  const deep = `${'['.repeat(64)}${']'.repeat(64)}`;
  assert.is(canonical(deep), deep);
  for (const key of ['k'.repeat(256), '\\u0061'.repeat(256), 'é'.repeat(128)]) {
    assert.is(canonical(`{"${key}":1}`), canonical(`{"${JSON.parse(`"${key}"`)}":1}`));
  }
  const large = `"${'x'.repeat(1024 * 1024 - 2)}"`;
  assert.is(canonical(large), large);
  assert.is(canonical('[1e15]'.padEnd(1024 * 1024)), '[1000000000000000]');
  const growing = `[${Array(209_000).fill('1e15').join(',')}]`;
  assert.is(canonical(growing), growing.replaceAll('1e15', '1000000000000000'));
});

test('sorts many members in hostile orders, at every depth', () => {
  const entries = Array.from({ length: 60_000 }, (_, i) => [`k${String(i).padStart(6, '0')}`, i]);
  const expected = JSON.stringify(Object.fromEntries(entries));
  assert.is(canonical(JSON.stringify(Object.fromEntries(entries.toReversed()))), expected);
  let nested = '0';
  let sorted = '0';
  const filler = `"b":"${'x'.repeat(16_000)}"`;
  for (let depth = 0; depth < 60; depth++) {
    nested = `{"c":0,${filler},"a":${nested}}`;
    sorted = `{"a":${sorted},${filler},"c":0}`;
  }
  assert.is(canonical(nested), sorted);
});

test('never traps and is idempotent, whatever the bytes', () => {
  fc.assert(
    fc.property(hostileJson(), (bytes) => {
      const code = refusal(() => {
        const once = record.canonicalize(bytes);
        assert.equal(record.canonicalize(once), once);
        assert.is(text(once), npmCanonicalize(JSON.parse(text(bytes))));
      });
      assert.ok(code === 'accepted' || code.startsWith('input_'), code);
    }),
    { numRuns: 5000 },
  );
});

test('refuses values that are no JSON instead of changing them', () => {
  const circular: unknown[] = [];
  circular.push(circular);
  const cases: [unknown, string][] = [
    [undefined, 'input_invalid'],
    [{ a: undefined }, 'input_invalid'],
    [[undefined], 'input_invalid'],
    [new Array(1), 'input_invalid'],
    [() => 1, 'input_invalid'],
    [Symbol('a'), 'input_invalid'],
    [1n, 'input_invalid'],
    [new Date(0), 'input_invalid'],
    [{ a: { toJSON: () => 1 } }, 'input_invalid'],
    [Number.NaN, 'input_number_not_portable'],
    [[Number.POSITIVE_INFINITY], 'input_number_not_portable'],
    [2 ** 53 + 2, 'input_number_not_portable'],
    ['\ud800', 'input_lone_surrogate'],
    [{ '\udfff': 1 }, 'input_lone_surrogate'],
    [circular, 'input_too_deep'],
    ['x'.repeat(1024 * 1024), 'input_too_large'],
  ];
  for (const [value, code] of cases) {
    assert.is(
      refusal(() => record.canonicalizeValue(value as JsonValue)),
      code,
    );
  }
  assert.is(
    text(record.canonicalizeValue({ toJSON: 'a', __proto__: null } as never)),
    '{"toJSON":"a"}',
  );
  assert.is(text(record.canonicalizeValue(JSON.parse('{"__proto__":1}'))), '{"__proto__":1}');
});

test.run();
