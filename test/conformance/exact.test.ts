// Values of tests are compared as Rego orders them, and no digit is lost on the way.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareExact, type Exact, exactOfMarked, parseExact, withoutSets } from './exact.ts';

const compared = (a: string, b: string) =>
  Math.sign(compareExact(parseExact(a, true), parseExact(b, true)));

test('a number is its decimal value, however it is written', () => {
  for (const [a, b] of [
    ['1', '1.0'],
    ['100', '1e2'],
    ['-0', '0'],
    ['0.10', '1E-1'],
  ]) {
    assert.is(compared(a!, b!), 0, `${a} ${b}`);
  }
  assert.is(compared('9007199254740993', '9007199254740992'), 1);
  assert.is(compared('-10000000000000000000000001', '-10000000000000000000000002'), 1);
  assert.is(compared('0.1', '0.10000000000000001'), -1);
  assert.is(compared('-1', '1e-400'), -1);
});

test('integers and fractions are in their order', () => {
  const number = fc.oneof(fc.bigInt(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  fc.assert(
    fc.property(number, number, (a, b) => {
      const order = compared(String(a), String(b));
      if (typeof a === typeof b) assert.is(order, a < b ? -1 : a > b ? 1 : 0);
      assert.is(compared(String(b), String(a)), order === 0 ? 0 : -order);
    }),
  );
});

test('kinds have their order, and a set is not the array of its members', () => {
  const kinds = ['null', 'false', 'true', '0', '""', '[]', '{}', '{"$set":[]}'];
  for (const [i, kind] of kinds.entries()) {
    for (const [j, other] of kinds.entries()) assert.is(compared(kind, other), Math.sign(i - j));
  }
  assert.is(compared('{"$set":[2,1]}', '{"$set":[1,2]}'), 0);
  assert.is(compared('[2,1]', '[1,2]'), 1);
});

test('marks are undone: doubled dollars, objects with other keys, numbers that no double is', () => {
  assert.equal(parseExact('{"$$set":[1]}', true), parseExact('{"$set":[1]}', false));
  assert.equal(
    parseExact('{"$object":[[[1,"<"],true],[{"$set":[2]},null]]}', true),
    parseExact('{"[1,\\"\\\\u003c\\"]":true,"[2]":null}', false),
  );
  const big = '12345678901234567890.5';
  assert.is(compareExact(exactOfMarked({ $number: big }), parseExact(big, true)), 0);
  assert.equal(
    withoutSets(parseExact('{"a":{"$set":[2,1]}}', true)),
    parseExact('{"a":[1,2]}', false),
  );
});

test('any JSON is equal to itself, with its members in any order', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const read = (each: unknown): Exact => parseExact(JSON.stringify(each), false);
      assert.is(compareExact(read(value), read(value)), 0);
      if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
      const turned = Object.fromEntries(Object.entries(value).reverse());
      assert.is(compareExact(read(value), read(turned)), 0);
    }),
  );
});

test.run();
