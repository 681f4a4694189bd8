// Tests of the engine's JSON: it reads what the record module reads, and its answers are canonical as that is.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import { inputError } from '../../runtime/modules/error-numbers.ts';
import { Record } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import {
  hostileJson,
  hostileText,
  portableNumber,
} from '../../runtime/testing/json-arbitraries.ts';
import { engineUnderTest } from './testing.ts';

const engine = await engineUnderTest('comparison');
const record = Record.create(moduleBytes('record'));
/** What the record module refuses and policies may compute with. */
const LOOSER = ['input_number_not_portable', 'input_key_too_long'];

/** The canonical text of a JSON text's value as an answer, or the code of the refusal. */
function answerOf(text: string | Uint8Array): string {
  const { pointer, length } = engine.write(text);
  const value = engine.function('parse')(pointer, length);
  if (value === 0) return codeOf(inputError(engine.function('jsonError')()));
  return engine.text(engine.function('answerText')(engine.function('answer')(value)));
}

function canonical(text: Uint8Array): string {
  try {
    return Buffer.from(record.canonicalize(text)).toString();
  } catch (error) {
    return codeOf(error);
  }
}

test('reads, refuses and writes exactly as the record module does', () => {
  fc.assert(
    fc.property(hostileJson(), (bytes) => {
      const expected = canonical(bytes);
      if (!LOOSER.includes(expected)) assert.is(answerOf(bytes), expected, bytes.toString());
    }),
    { numRuns: 10000 },
  );
});

test('answers are canonical whatever their keys, texts and numbers', () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(portableNumber(), hostileText(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(hostileText(), tie('value'), { maxKeys: 12, noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(value, (each) => {
      const bytes = Buffer.from(JSON.stringify(each));
      assert.is(answerOf(bytes), canonical(bytes));
    }),
    { numRuns: 3000 },
  );
});

test('a set is an array, and a key that is no text is its own text', () => {
  const of = (value: unknown): string => {
    const [pointer] = engine.values([value]) as [number];
    return engine.text(engine.function('answerText')(engine.function('answer')(pointer)));
  };
  assert.is(of(new Set(['b', 'a', 1])), '[1,"a","b"]');
  assert.is(
    of(
      new Map<unknown, unknown>([
        [1, 'a'],
        [['x'], 2],
      ]),
    ),
    '{"1":"a","[\\"x\\"]":2}',
  );
  assert.is(
    of(
      new Map<unknown, unknown>([
        ['1', 'b'],
        [1, 'a'],
      ]),
    ),
    '{"1":"a","1":"b"}',
  );
  assert.is(of({ '\u{10000}': 1, '\uffff': 2, a: 3 }), '{"a":3,"\u{10000}":1,"\uffff":2}');
  assert.is(of({ $set: [1] }), '{"$set":[1]}');
});

test('nests 64 deep and no deeper', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  assert.is(answerOf(nested(64)), nested(64));
  assert.is(answerOf(nested(65)), 'input_too_deep');
  assert.is(answerOf('['.repeat(100000)), 'input_too_deep');
});

test('a key is there once, however it is written and wherever it stands', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(hostileText(), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (keys, n) => {
        const twice = keys[n % keys.length] as string;
        const escaped = [...JSON.stringify(twice).slice(1, -1)].join('');
        const members = keys.map((key) => `${JSON.stringify(key)}:1`);
        assert.is.not(answerOf(`{${members.join()}}`), 'input_duplicate_key');
        const units = Array.from(
          { length: twice.length },
          (_, i) => `\\u${twice.charCodeAt(i).toString(16).padStart(4, '0')}`,
        );
        for (const written of [escaped, units.join('')]) {
          assert.is(answerOf(`{${members.join()},"${written}":2}`), 'input_duplicate_key');
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('data is read as input is, in order and with one string for equal texts', async () => {
  const { pointer, length } = engine.write('{"b":["x","x"],"a":{"x":1}}');
  assert.is(engine.function('loadData')(pointer, length), 0);
  const data = engine.function('data')();
  assert.is(engine.text(engine.function('dump')(data)), '{"a":{"x":1},"b":["x","x"]}');
  const view = new DataView(engine.exports.memory.buffer);
  const at = (value: number, offset: number): number => view.getUint32(value + offset, true);
  const [a, b] = [at(at(data, 16), 4), at(at(data, 16), 12)];
  const x = at(at(a, 16), 0);
  assert.equal([at(at(b, 16), 0), at(at(b, 16), 4)], [x, x]);
  const text = engine.write('x');
  assert.is(engine.function('intern')(text.pointer, text.length), x);
  const broken = engine.write('{"a":1,"a":2}');
  assert.is.not(engine.function('loadData')(broken.pointer, broken.length), 0);
  assert.is(engine.function('data')(), data);
});

test.run();
