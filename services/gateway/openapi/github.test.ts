// Test of the import on GitHub's published description, the large real case.

import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import { importOpenApi } from './import.ts';
import { httpRequestFor } from './request.ts';

const github = createRequire(import.meta.url)(
  '@octokit/openapi/generated/api.github.com.json',
) as JsonObject;
const options = { prefix: 'github', service: 'github', baseUrl: 'https://api.github.com' };
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const paths = github.paths as Record<string, JsonObject>;
const operations = Object.entries(paths).flatMap(([path, item]) =>
  methods.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
);

const started = performance.now();
const { tools, rejected } = importOpenApi(github, options);
console.log(
  `${tools.length} tools, ${rejected.length} rejected, ${(performance.now() - started).toFixed(0)} ms`,
);

test('every operation is a tool or rejected', () => {
  assert.ok(operations.length > 1000);
  const answered = [
    ...tools.map(({ binding }) => `${binding.method} ${binding.path}`),
    ...rejected.map(({ operation }) => operation),
  ];
  assert.equal(answered.toSorted(), operations.toSorted());
});

test('only bodies that are not JSON are rejected', () => {
  assert.equal(rejected.map(({ operation, code }) => `${operation} ${code}`).toSorted(), [
    'POST /markdown/raw openapi_unsupported',
    'POST /repos/{owner}/{repo}/releases/{release_id}/assets openapi_unsupported',
  ]);
});

test('names are valid, unique, and the same in any order', () => {
  const names = tools.map((tool) => tool.name);
  assert.is(new Set(names).size, tools.length);
  for (const name of names) assert.match(name, /^github_[a-z0-9_]{1,57}$/);
  assert.ok(names.includes('github_issues_create'));
  assert.ok(names.includes('github_repos_list_for_org'));
  const reversed = { ...github, paths: Object.fromEntries(Object.entries(paths).toReversed()) };
  const again = importOpenApi(reversed, options).tools.map((tool) => tool.name);
  assert.equal(again.toSorted(), names.toSorted());
});

/** All references of a schema. */
function references(value: unknown, found: string[] = []): string[] {
  if (Array.isArray(value)) for (const entry of value) references(entry, found);
  else if (isJsonObject(value)) {
    if (typeof value.$ref === 'string') found.push(value.$ref);
    for (const entry of Object.values(value)) references(entry, found);
  }
  return found;
}

test('schemas refer to their own definitions only, and fit', () => {
  for (const { name, schema } of tools) {
    const definitions = (schema.$defs ?? {}) as JsonObject;
    for (const reference of references(schema)) {
      assert.ok(reference.slice('#/$defs/'.length) in definitions, `${name}: ${reference}`);
    }
    assert.ok(JSON.stringify(schema).length <= 65536);
    assert.is(schema.additionalProperties, false);
  }
});

test('each tool with path parameters writes its request', () => {
  for (const tool of tools) {
    const args: JsonObject = {};
    for (const { name, in: place } of tool.binding.parameters)
      if (place === 'path') args[name] = 'x/y';
    const { url } = httpRequestFor(tool, args);
    assert.is(new URL(url).host, 'api.github.com');
    assert.is(url.split('/').length, tool.binding.path.split('/').length + 2);
  }
});

test('an issue is created as GitHub documents it', () => {
  const tool = tools.find(({ name }) => name === 'github_issues_create')!;
  const args = { owner: 'octo', repo: 'hello', title: 'Bug', labels: ['a', 'b'] };
  const request = httpRequestFor(tool, args);
  assert.is(tool.action, 'write');
  assert.equal(tool.schema.required, ['owner', 'repo', 'title']);
  assert.is(request.method, 'POST');
  assert.is(request.url, 'https://api.github.com/repos/octo/hello/issues');
  assert.is(Buffer.from(request.body!).toString(), '{"title":"Bug","labels":["a","b"]}');
});

test.run();
