import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlatformError } from '../../runtime/errors.ts';
import { describePath, queryOf, readDocumentPath } from './document-path.ts';

test('segments are decoded once, empty ones left out, integers taken as numbers', () => {
  assert.equal(readDocumentPath('/a//b%20c/%2F/0/-3/+4/'), ['a', 'b c', '/', 0, -3, 4]);
  assert.equal(readDocumentPath('%2525/1.0/1e3/0x1/'), ['%25', '1.0', '1e3', '0x1']);
  assert.equal(readDocumentPath('00/-0'), [0, 0]);
  assert.equal(readDocumentPath(''), []);
  assert.equal(readDocumentPath('9007199254740993'), ['9007199254740993']);
  assert.is(describePath(['a', 'b c', 1]), 'data.a["b c"][1]');
});

test('no path escapes the reference that it is made into', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '"',
      '%22',
      '\\',
      '%5C',
      ']',
      '[',
      '%0a',
      '`',
      'x := 1',
      '#',
      '../',
      '%',
      '%ff',
    ),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      let path: readonly (string | number)[];
      try {
        path = readDocumentPath(pieces.join('/'));
      } catch (error) {
        assert.is((error as PlatformError).code, 'input_invalid');
        return;
      }
      // The query is `data` and bracketed JSON values, nothing else, and says the same path.
      const text = queryOf(path);
      assert.ok(text.startsWith('data'));
      const terms = text.slice(4).replaceAll('][', '],[');
      const flat = path.every((term) => typeof term === 'number' || !term.includes(']['));
      if (flat)
        assert.equal(
          JSON.parse(`[${terms}]`),
          path.map((term) => [term]),
        );
      assert.not.ok(path.some((term) => typeof term === 'string' && term.includes('"')));
    }),
  );
});

test('long paths are refused', () => {
  for (const path of ['a'.repeat(5000), 'a/'.repeat(65)]) {
    assert.throws(
      () => readDocumentPath(path),
      (error: PlatformError) => error.code === 'input_invalid',
    );
  }
});

test.run();
