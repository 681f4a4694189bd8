// Pointers of violations with the names put back: what the caller reads, by what it sent itself.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withNames } from './violations.ts';

const named = (pointer: string, args = {}) =>
  withNames([{ keyword: 'type', message: 'm', pointer }], args)[0];

test('puts names for indexes, in canonical order, at every depth', () => {
  const args = { z: 1, 'a/b~': [{ y: 1, x: { '*1': 1, q: 2 } }] };
  const pointer = (text: string) => (named(text, args) as { pointer: string }).pointer;
  assert.is(pointer('/*1'), '/z');
  assert.is(pointer('/*0/0/*0/*0'), '/a~1b~0/0/x/*1');
  assert.is(pointer('/a~1b~0/0/x/*1'), '/a~1b~0/0/x/*1');
  assert.is(pointer(''), '');
});

test('leaves what it cannot resolve as it is', () => {
  assert.equal(named('/*7/x', { a: 1 }), { keyword: 'type', message: 'm', pointer: '/*7/x' });
  assert.equal(withNames(['odd'], {}), ['odd']);
});

test.run();
