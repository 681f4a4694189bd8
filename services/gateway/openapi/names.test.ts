// Tests of the names of tools: valid, unique, and the same in any order.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../runtime/json.ts';
import { importPaths } from './made-document.ts';
import { snakeCase } from './names.ts';

test('names are snake case, with method and path where there is no id', () => {
  for (const [text, expected] of [
    ['listPets', 'list_pets'],
    ['repos/list-for-org', 'repos_list_for_org'],
    ['getHTTPResponseCode2', 'get_http_response_code2'],
    ['  Übung 7 ', 'bung_7'],
    ['__a__', 'a'],
    ['取得', ''],
  ]) {
    assert.is(snakeCase(text!), expected);
  }
  const { tools } = importPaths({
    '/pets/{id}': {
      get: { operationId: '取得', parameters: [{ name: 'id', in: 'path', schema: true }] },
    },
  });
  assert.is(tools[0]!.name, 'pets_get_pets_id');
});

/** Operations whose ids are likely to collide, empty, long or equal to another's name with its digest. */
const anyOperation = fc.record({
  path: fc.stringMatching(/^\/[a-c]{1,3}$/),
  method: fc.constantFrom('get', 'post', 'put'),
  operationId: fc.oneof(
    fc.constantFrom('list', 'List', 'li-st', 'a b', '', 'é'),
    fc.stringMatching(/^[A-Za-z/_-]{0,100}$/),
  ),
});

function pathsOf(operations: { path: string; method: string; operationId: string }[]): JsonObject {
  const paths: JsonObject = {};
  for (const { path, method, operationId } of operations) {
    paths[path] ??= {};
    (paths[path] as JsonObject)[method] = { operationId };
  }
  return paths;
}

test('names are valid, unique and independent of the order, and no operation is lost', () => {
  const uniqueOperations = fc.uniqueArray(anyOperation, {
    selector: ({ path, method }) => `${method} ${path}`,
    maxLength: 20,
  });
  fc.assert(
    fc.property(uniqueOperations, (operations) => {
      const { tools, rejected } = importPaths(pathsOf(operations));
      assert.is(rejected.length, 0);
      assert.is(tools.length, operations.length);
      const names = new Map(
        tools.map(({ name, binding }) => [name, `${binding.method} ${binding.path}`]),
      );
      assert.is(names.size, tools.length);
      for (const name of names.keys()) assert.match(name, /^[a-z0-9_]{1,64}$/);
      const again = importPaths(pathsOf(operations.toReversed())).tools;
      for (const { name, binding } of again) {
        assert.is(names.get(name), `${binding.method} ${binding.path}`);
      }
    }),
    { numRuns: 1000 },
  );
});

test('a name equal to another one with its digest is told apart', () => {
  const first = importPaths({
    '/a': { get: { operationId: 'x' } },
    '/b': { get: { operationId: 'x' } },
  });
  const disguised = first.tools[0]!.name.slice('pets_'.length);
  const { tools } = importPaths({
    '/a': { get: { operationId: 'x' } },
    '/b': { get: { operationId: 'x' } },
    '/c': { get: { operationId: disguised } },
  });
  assert.is(new Set(tools.map((tool) => tool.name)).size, 3);
});

test.run();
