import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputError } from '../../runtime/errors.ts';
import type { JsonValue } from '../../runtime/json.ts';
import { Record as RecordModule } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import type { HttpRequest } from '../common/http/port.ts';
import { readInputParameter, readInputV0, readInputV1 } from './body.ts';

const record = RecordModule.create(moduleBytes('record'));

function request(body: Uint8Array, headers: Record<string, string> = {}, query = ''): HttpRequest {
  return {
    ...{ method: 'POST', path: '/v1/data', params: {}, body, signal: new AbortController().signal },
    query: new URLSearchParams(query),
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
  };
}

function valueOfInput(bytes: Uint8Array | undefined): JsonValue | undefined {
  return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString()) as JsonValue);
}

/** Not every number is: the platform refuses integers beyond 2^53. */
function isReadable(body: Uint8Array): boolean {
  try {
    return record.canonicalize(body).length > 0;
  } catch {
    return false;
  }
}

const values = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

test('the input is the member of that name, whatever else the body holds, plain or gzip', async () => {
  const others = fc.dictionary(fc.constantFrom('Input', 'inputs', '\\"input', 'a', 'z'), values);
  await fc.assert(
    fc.asyncProperty(values, others, async (input, more) => {
      const body = Buffer.from(JSON.stringify({ ...more, input }));
      fc.pre(isReadable(body));
      // As in OPA, null is no input. JSON has no -0, and numbers keep their value, not their form.
      const expected = input === null ? undefined : JSON.parse(JSON.stringify(input));
      assert.equal(valueOfInput(await readInputV1(request(body), record)), expected);
      const zipped = request(gzipSync(body), { 'content-encoding': 'gzip' });
      assert.equal(valueOfInput(await readInputV1(zipped, record)), expected);
      const without = Buffer.from(JSON.stringify(more));
      assert.is(await readInputV1(request(without), record), undefined);
    }),
    { numRuns: 150 },
  );
});

test('bytes of any kind are an input, none, or refused as one', async () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '"input"',
    ':',
    'null',
    '1e999',
    '"\\ud800"',
    ',',
    '[',
    ' ',
  );
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.array(pieces).map((parts) => Buffer.from(parts.join(''))),
  );
  await fc.assert(
    fc.asyncProperty(bodies, fc.boolean(), async (body, zipped) => {
      const headers: Record<string, string> = zipped ? { 'content-encoding': 'gzip' } : {};
      for (const read of [readInputV1, readInputV0]) {
        try {
          await read(request(body, headers), record);
        } catch (error) {
          assert.instance(error, InputError);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('the last of several parameters is the input, and null is one', () => {
  const read = (query: string) =>
    valueOfInput(readInputParameter(request(new Uint8Array(0), {}, query), record));
  assert.is(read('input=1&input=2'), 2);
  assert.is(read('input=null'), null);
  assert.is(read(''), undefined);
  assert.throws(
    () => read('input='),
    (error: unknown) => error instanceof InputError,
  );
});

test('a small body that unpacks to much is refused before it does', async () => {
  const bomb = request(gzipSync(Buffer.alloc(256 << 20, ' ')), { 'content-encoding': 'gzip' });
  assert.ok(bomb.body.length < 1 << 20);
  const refused = await readInputV1(bomb, record).catch((error: unknown) => error);
  assert.instance(refused, InputError);
  for (const headers of [{ 'content-encoding': 'br' }, { 'content-type': 'application/yaml' }]) {
    const answer = await readInputV1(request(Buffer.from('{}'), headers as never), record).catch(
      (error: unknown) => error,
    );
    assert.instance(answer, InputError);
  }
});

test.run();
