// The names at the top of a JSON text are those that JSON.parse finds, or the text is refused.
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, type PlatformError } from '../errors.ts';
import { hostileJson, hostileText } from '../testing/json-arbitraries.ts';
import { topLevelNames } from './roots.ts';

const outcome = (json: Uint8Array) =>
  topLevelNames(json).catch((error: PlatformError) => codeOf(error));

test('the names of any document are found, however it is written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(hostileText(), fc.jsonValue()),
      fc.constantFrom('', ' ', '\t', '\n'),
      async (document, space) => {
        const text = `${space}${JSON.stringify(document, null, space)}${space}`;
        // As JSON.stringify orders them, which has numbers first.
        const names = Object.keys(JSON.parse(text));
        assert.equal(await outcome(Buffer.from(text)), names);
      },
    ),
    { numRuns: 500 },
  );
});

test('no text that is a JSON object has a name that is not found', async () => {
  await fc.assert(
    fc.asyncProperty(hostileJson(), async (text) => {
      const found = await outcome(text);
      let value: unknown;
      try {
        value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text));
      } catch {
        // What is no JSON is refused by whoever reads it, at the latest.
        return;
      }
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        assert.is(found, 'bundle_truncated');
      } else {
        assert.equal([...new Set(found)].sort(), Object.keys(value).sort());
      }
    }),
    { numRuns: 2000 },
  );
});

test('a document that is cut off anywhere is refused, also where its pieces end', async () => {
  const text = Buffer.from(
    JSON.stringify({ 'a"\\': [{}, '}'], b: { c: ['\\"', '{'] }, d: 'x'.repeat(600_000), e: 1 }),
  );
  assert.equal(await outcome(text), ['a"\\', 'b', 'd', 'e']);
  for (let length = 0; length < text.length; length += length < 60 ? 1 : 9973) {
    assert.is(await outcome(text.subarray(0, length)), 'bundle_truncated');
  }
  assert.is(await outcome(Buffer.concat([text, text])), 'bundle_truncated');
});

test.run();
