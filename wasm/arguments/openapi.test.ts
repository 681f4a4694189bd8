// Registers the request of every operation of a large published OpenAPI description.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ArgumentsModule } from '../../runtime/modules/arguments.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, walked by its keys
type Node = any;

const file = createRequire(import.meta.url).resolve('@octokit/openapi/package.json');
const github: Node = JSON.parse(
  readFileSync(new URL('generated/api.github.com.json', `file://${file}`), 'utf8'),
);

function resolve(node: Node): Node {
  if (typeof node?.$ref !== 'string') return node;
  const path: string[] = node.$ref.slice(2).split('/');
  return path.reduce(
    (at: Node, token) => at[token.replaceAll('~1', '/').replaceAll('~0', '~')],
    github,
  );
}

/** The schema of an operation's parameters and body, with what it refers to under `$defs`. */
function requestSchema(operation: Node): Node {
  const $defs: Record<string, Node> = {};
  const move = (node: Node): Node => {
    if (Array.isArray(node)) return node.map(move);
    if (typeof node !== 'object' || node === null) return node;
    if (typeof node.$ref === 'string') {
      const name = node.$ref.split('/').at(-1);
      if (!(name in $defs)) {
        $defs[name] = true;
        $defs[name] = move(resolve(node));
      }
      return { $ref: `#/$defs/${name}` };
    }
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, move(value)]));
  };
  const properties: Record<string, Node> = {};
  for (const parameter of (operation.parameters ?? []).map(resolve)) {
    properties[parameter.name] = move(parameter.schema ?? {});
  }
  const body = Object.values<Node>(resolve(operation.requestBody)?.content ?? {})[0]?.schema;
  if (body !== undefined) properties.body = move(body);
  return { type: 'object', properties, $defs, additionalProperties: false };
}

const schemas: [string, Uint8Array][] = Object.values<Node>(github.paths)
  .flatMap((path) => Object.values<Node>(path))
  .filter((operation) => typeof operation?.operationId === 'string')
  .map((operation) => [
    operation.operationId,
    new TextEncoder().encode(JSON.stringify(requestSchema(operation))),
  ]);

test('every request of the GitHub description is registered, in one instance', () => {
  const module = ArgumentsModule.create(moduleBytes('arguments'));
  assert.ok(schemas.length > 1000);
  for (const [operation, schema] of schemas) {
    assert.not.throws(() => module.register(schema), undefined, operation);
  }
});

test('arguments for a real operation are judged', () => {
  const module = ArgumentsModule.create(moduleBytes('arguments'));
  const [, schema] = schemas.find(([operation]) => operation === 'issues/create')!;
  const judge = (value: unknown) =>
    module.validate(schema, new TextEncoder().encode(JSON.stringify(value)));
  const body = { title: 'Broken', labels: ['bug', { name: 'x' }] };
  assert.is(judge({ owner: 'o', repo: 'r', body }).allow, true);
  const wrong = judge({ owner: 1, repo: 'r', body: { labels: [1] }, more: 1 });
  assert.equal(
    wrong.violations.map(({ keyword, pointer }) => `${pointer} ${keyword}`),
    ['/body required', '/body/labels/0 oneOf', '/*1 additionalProperties', '/owner type'],
  );
});

test.run();
