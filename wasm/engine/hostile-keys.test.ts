// Tests of tables whose keys all have one hash, as an attacker would choose them: right, and not quadratic.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { engineUnderTest } from './testing.ts';

const engine = await engineUnderTest('comparison', 'set-operators', '../object');
const COUNT = 1500;
const MASK = (1n << 64n) - 1n;
const MIX = 0x9e3779b97f4a7c15n;
const rotated = (word: bigint): bigint => ((word << 5n) | (word >> 59n)) & MASK;

/** Texts of 16 bytes with the same 64 bits before the last step of the hash (wasm/engine/text.ts). */
function collisions(): string[] {
  const texts: string[] = [];
  for (let i = 0n; texts.length < COUNT; i++) {
    const first = 0x2020202020202020n + (i & 31n) + ((i >> 5n) << 8n);
    const hash = ((rotated(16n) ^ first) * MIX) & MASK;
    const second = rotated(hash) ^ 0x123456789n;
    if ((second & 0x8080808080808080n) !== 0n || (first & 0x8080808080808080n) !== 0n) continue;
    const bytes = Buffer.alloc(16);
    bytes.writeBigUInt64LE(first, 0);
    bytes.writeBigUInt64LE(second, 8);
    texts.push(bytes.toString('latin1'));
  }
  return texts;
}

const texts = collisions();
const word = (pointer: number, offset: number): number =>
  new DataView(engine.exports.memory.buffer).getUint32(pointer + offset, true);
const [HASH, MASK_AT] = [4, 24];
/** In the place of the mask: sorted runs (wasm/engine/index-table.ts). */
const RUNS = 0xffffffff;

function parse(text: string, by = 'parse'): number {
  const { pointer, length } = engine.write(text);
  return engine.function(by)(pointer, length);
}

test('the keys do collide', () => {
  const values = engine.values(texts.slice(0, 50));
  assert.is(new Set(texts).size, COUNT);
  assert.is(new Set(values.map((value) => word(value, HASH))).size, 1);
});

test('an object of them is searched in sorted runs, and finds every key and no other', () => {
  const half = texts.filter((_, i) => i % 2 === 0);
  const object = Object.fromEntries(half.map((key, i) => [key, i]));
  const array = parse(JSON.stringify([object, texts]));
  const made = word(word(array, 16), 0);
  const keys = word(word(array, 16), 4);
  assert.is(word(made, MASK_AT), RUNS);
  const get = (i: number): unknown => engine.function('get')(made, word(word(keys, 16), 4 * i));
  for (const order of ['as it came', 'sorted']) {
    for (let i = 0; i < COUNT; i++) assert.is(get(i) !== 0, i % 2 === 0, `${order} ${i}`);
    engine.function('sorted')(made);
    assert.is(word(made, MASK_AT), RUNS);
  }
  assert.equal(engine.read(made), object);
});

test('ordinary keys keep their table', () => {
  const object = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key-${i}`, i]));
  assert.is.not(word(parse(JSON.stringify(object)), MASK_AT), RUNS);
});

test('a key that is there twice is found among them', () => {
  const members = texts.map((key) => `${JSON.stringify(key)}:1`);
  assert.is.not(parse(`{${members.join()}}`), 0);
  assert.is(parse(`{${members.join()},${members[700]}}`), 0);
  assert.is(engine.function('jsonError')(), 5);
});

test('sets of them are added to one by one', () => {
  const a = new Set(texts.slice(0, 1000));
  const b = new Set(texts.slice(500));
  for (const [name, expected] of [
    ['and', a.intersection(b)],
    ['or', a.union(b)],
  ] as const) {
    const found = engine.call(name, a, b) as Set<string>;
    assert.is(found.size, expected.size);
    assert.is(found.symmetricDifference(expected).size, 0);
  }
});

test('data of them is interned as far as searches stay short, and found all the same', () => {
  const data = Object.fromEntries(texts.map((key, i) => [key, i]));
  assert.is(parse(JSON.stringify(data), 'loadData'), 0);
  const keys = parse(JSON.stringify(texts));
  const document = engine.function('data')();
  const interned = (value: number): boolean => (word(value, 0) & 0x100) !== 0;
  let count = 0;
  for (let i = 0; i < COUNT; i++) {
    const key = word(word(keys, 16), 4 * i);
    if (interned(key)) count += 1;
    const value = engine.function('get')(document, key);
    assert.is(engine.read(value), i);
    // `read` wrote its text behind everything, so that the keys are still there.
  }
  assert.is(count, 64);
});

test.run();
