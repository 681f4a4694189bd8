// Runs the JSON Schema Test Suite: every answer given is right, and nothing that is implemented is refused.

import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../runtime/errors.ts';
import { ArgumentsModule } from '../../runtime/modules/arguments.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

interface Group {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const folder = new URL('./fixtures/json-schema-test-suite/', import.meta.url);
const module = ArgumentsModule.create(moduleBytes('arguments'));
const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** Files that test nothing but keywords that are refused. */
const refusedFiles = new Set([
  'anchor.json',
  'defs.json', // refers to the meta-schema by its URI
  'dynamicRef.json',
  'refRemote.json',
  'unevaluatedItems.json',
  'unevaluatedProperties.json',
  'vocabulary.json',
]);

/** How many cases of the other files use something that is refused; every other file has none. */
const refusedCases = new Map([
  ['multipleOf.json', 1], // 1e308, which is no portable number
  ['not.json', 2], // unevaluatedProperties
  ['ref.json', 33], // $id below the root, $anchor, unevaluatedProperties, URIs
  ['optional/ecmascript-regex.json', 15], // \p{…} and the meta-schema
]);

function run(file: string): { total: number; refused: number } {
  let total = 0;
  let refused = 0;
  const groups: Group[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  for (const { description, schema, tests } of groups) {
    for (const { description: what, data, valid } of tests) {
      total += 1;
      try {
        const { allow } = module.validate(encode(schema), encode(data));
        assert.is(allow, valid, `${file}: ${description}: ${what}`);
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        assert.match(error.code, /^schema_|^input_number_not_portable$/);
        refused += 1;
      }
    }
  }
  return { total, refused };
}

const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
for (const file of [...files, 'optional/ecmascript-regex.json', 'optional/non-bmp-regex.json']) {
  test(`JSON Schema Test Suite: ${file}`, () => {
    const { total, refused } = run(file);
    assert.ok(total > 0);
    assert.is(refused, refusedFiles.has(file) ? total : (refusedCases.get(file) ?? 0));
  });
}

test.run();
