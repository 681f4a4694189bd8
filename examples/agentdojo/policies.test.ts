// The operator's policies compile beside the platform's own, every test of theirs passes, and the data names only real rules.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPolicies } from '../../runtime/bundle/compile.ts';
import { RegoCompiler } from '../../runtime/modules/rego.ts';

const own = fileURLToPath(new URL('../../policies', import.meta.url));
const folder = fileURLToPath(new URL('policies', import.meta.url));
const conditions = new Set([
  ...['known', 'quiet', 'chosen', 'named', 'amount_stated', 'mentioned', 'mentioned_where_told'],
]);

interface Facts {
  targets?: { [argument: string]: { fields?: { [field: string]: string[] } } };
}

test('every test of the policies passes', async () => {
  const compiler = await RegoCompiler.load();
  const answer = compiler.test({ ...(await readPolicies([own, folder])), run: 'operator_test' });
  assert.equal(answer.errors, []);
  assert.ok(answer.tests.length >= 14);
  assert.equal(
    answer.tests.filter(({ pass }) => !pass).map(({ name }) => name),
    [],
  );
});

test('every field of the data belongs to a tool of the same suite, under a known condition', () => {
  const { tools } = JSON.parse(readFileSync(`${folder}/data.json`, 'utf8')) as {
    tools: { [tool: string]: Facts };
  };
  for (const [tool, { targets = {} }] of Object.entries(tools)) {
    const suite = tool.slice(0, tool.indexOf('_') + 1);
    for (const { fields = {} } of Object.values(targets)) {
      for (const [field, under] of Object.entries(fields)) {
        assert.ok(field.startsWith(suite), `${tool}: ${field}`);
        assert.ok(under.every((name) => conditions.has(name)) && under.length > 0, field);
      }
    }
  }
});

test.run();
