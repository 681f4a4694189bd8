// Data that is loaded in pieces is the data that is loaded whole, and what is refused whole is refused in pieces.
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hostileJson, hostileText } from '../../runtime/testing/json-arbitraries.ts';
import { EngineUnderTest, engineModule } from './testing.ts';

const module = await engineModule('strings');
const MORE = -1;

interface Loaded {
  state: number;
  /** The data document with marked sets. */
  text: string;
  /** How many calls it took. */
  pieces: number;
  /** Bytes of memory that are kept. */
  kept: number;
}

function finished(engine: EngineUnderTest, state: number, pieces: number): Loaded {
  const text = engine.text(engine.function('dump')(engine.function('data')()));
  return { state, text, pieces, kept: engine.function('begin')(0) };
}

function whole(json: string | Uint8Array): Loaded {
  const engine = new EngineUnderTest(module);
  const { pointer, length } = engine.write(json);
  return finished(engine, engine.function('loadData')(pointer, length), 1);
}

function inPieces(json: string | Uint8Array, sizes: readonly number[]): Loaded {
  const engine = new EngineUnderTest(module);
  const { pointer, length } = engine.write(json);
  engine.function('loadBegin')(pointer, length);
  let state = MORE;
  let pieces = 0;
  for (; state === MORE; pieces++) {
    state = engine.function('loadNext')(sizes[pieces % sizes.length]!);
    assert.ok(pieces <= length, 'every piece reads on');
  }
  return finished(engine, state, pieces);
}

function alike(json: string | Uint8Array, sizes: readonly number[]): Loaded {
  const { pieces, ...rest } = inPieces(json, sizes);
  const { pieces: _, ...expected } = whole(json);
  assert.equal(rest, expected);
  return { pieces, ...rest };
}

const anySizes = () => fc.array(fc.nat({ max: 200 }), { minLength: 1, maxLength: 4 });
const documents = () => fc.dictionary(fc.string(), fc.dictionary(hostileText(), fc.jsonValue()));

test('documents are the same in pieces of any size, in the same memory', () => {
  fc.assert(
    fc.property(documents(), fc.nat({ max: 2 }), anySizes(), (document, space, sizes) => {
      const { state, text } = alike(JSON.stringify(document, null, space), sizes);
      assert.is(state, 0);
      assert.is(text.length > 1, true);
    }),
    { numRuns: 300 },
  );
});

test('text that may be no JSON is taken or refused alike', () => {
  fc.assert(
    fc.property(hostileJson(), anySizes(), (text, sizes) => void alike(text, sizes)),
    { numRuns: 1000 },
  );
});

test('a document with one byte changed, or cut off, is taken or refused alike', () => {
  fc.assert(
    fc.property(
      documents(),
      fc.nat(),
      fc.nat({ max: 255 }),
      fc.boolean(),
      anySizes(),
      (document, at, byte, cut, sizes) => {
        const text = Buffer.from(JSON.stringify(document));
        const place = at % text.length;
        if (cut) return void alike(text.subarray(0, place), sizes);
        text[place] = byte;
        alike(text, sizes);
      },
    ),
    { numRuns: 1000 },
  );
});

test('a key that is there twice is refused, however far apart and however it is written', () => {
  const many = Array.from({ length: 50 }, (_, i) => `"agent-${i}":{"rate":${i}}`);
  for (const twin of ['"agent-3":1', '"\\u0061gent-3":1']) {
    for (const json of [
      `{"agents":{${[...many, twin].join()}}}`,
      `{${[...many, twin].join()}}`,
      `{"agents":{${[twin, ...many].join()}},"tools":{}}`,
    ]) {
      for (const size of [0, 1, 10, 64, 1000]) assert.is(alike(json, [size]).state, 5);
    }
  }
});

test('what nests too deep is refused, and the piece is left between any two members', () => {
  const nested = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
  assert.is(alike(nested(64), [1]).state, 0);
  assert.is(alike(nested(65), [1]).state, 7);
  assert.is(alike('{"a":{"b":1,"c":2},"d":[1,2],"e":{}}', [1]).pieces > 4, true);
});

test('data that is refused leaves the data that was there', () => {
  const engine = new EngineUnderTest(module);
  const load = (json: string): number => {
    const { pointer, length } = engine.write(json);
    engine.function('loadBegin')(pointer, length);
    return engine.function('loadNext')(0xffffffff);
  };
  assert.is(load('{"a":{"b":1}}'), 0);
  assert.is(load('{"a":{"b":1},"c":{"d":2,"d":3}}'), 5);
  assert.equal(engine.read(engine.function('data')()), { a: { b: 1 } });
});

test.run();
