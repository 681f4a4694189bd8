// The data of the AgentDojo policies names only fields of a tool's own suite and conditions that there are.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const file = fileURLToPath(new URL('data.json', import.meta.url));
const conditions = new Set([
  ...['known', 'quiet', 'chosen', 'named', 'amount_stated', 'mentioned', 'mentioned_where_told'],
]);

interface Facts {
  targets?: { [argument: string]: { fields?: { [field: string]: string[] } } };
}

test('every field of the data belongs to a tool of the same suite, under a known condition', () => {
  const { tools } = JSON.parse(readFileSync(file, 'utf8')) as {
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
