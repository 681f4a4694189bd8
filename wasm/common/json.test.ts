// Tests of the modules' JSON reader: it must read exactly what the record module canonicalizes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import type { JsonValue } from '../../runtime/json.ts';
import { ModuleInstance } from '../../runtime/modules/instantiate.ts';
import { Record } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { hostileJson, portableNumber } from '../../runtime/testing/json-arbitraries.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

async function compileProbe(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'json-probe-'));
  try {
    const file = join(folder, 'probe.wasm');
    const { error, stderr } = await asc.main(
      ['wasm/common/json-probe.ts', '--config', 'asconfig.json', '--outFile', relative(root, file)],
      { baseDir: root } as never,
    );
    if (error) throw new Error(stderr?.toString() ?? error.message);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const operations = ['rewrite', 'value', 'equal', 'has'] as const;
const probe = new ModuleInstance('json-probe', await compileProbe(), operations);
const record = Record.create(moduleBytes('record'));

function outcome(run: () => Uint8Array): string {
  try {
    return Buffer.from(run()).toString();
  } catch (error) {
    return codeOf(error);
  }
}

test('reads and refuses exactly as the record module does', () => {
  fc.assert(
    fc.property(hostileJson(), (bytes) => {
      assert.is(
        outcome(() => probe.run('rewrite', bytes)),
        outcome(() => record.canonicalize(bytes)),
      );
    }),
    { numRuns: 5000 },
  );
});

test('reads values as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const expected = outcome(() => record.canonicalizeValue(JSON.parse(text) as JsonValue));
      if (expected === 'input_number_not_portable') return;
      assert.is(
        outcome(() => probe.run('rewrite', Buffer.from(text))),
        expected,
      );
    }),
    { numRuns: 2000 },
  );
});

test('rounds numbers as JSON.parse does', () => {
  fc.assert(
    fc.property(portableNumber(), (number) => {
      const bytes = probe.run('value', Buffer.from(String(number)));
      assert.is(Buffer.from(bytes).readDoubleLE(), number === 0 ? 0 : number);
    }),
    { numRuns: 5000 },
  );
});

test('compares values without regard to order, spelling or escapes', () => {
  const pairs: [string, boolean][] = [
    ['[1,1.0]', true],
    ['[10,1e1]', true],
    ['[0,-0.0]', true],
    ['[1,true]', false],
    ['[1,"1"]', false],
    ['["\\u0061","a"]', true],
    ['[{"a":1,"b":[2,{}]},{"b":[2.0,{}],"a":1}]', true],
    ['[{"a":1},{"b":1}]', false],
    ['[{"a":1},{"a":1,"b":1}]', false],
    ['[[1,2],[2,1]]', false],
    ['[[],{}]', false],
    ['[null,false]', false],
  ];
  for (const [text, expected] of pairs) {
    assert.is(probe.run('equal', Buffer.from(text))[0], expected ? 1 : 0, text);
  }
});

test('finds members of small and large objects by their decoded key', () => {
  for (const size of [0, 1, 7, 8, 9, 100, 3000]) {
    const keys = Array.from({ length: size }, (_, i) => `k${(i * 7919) % 10007}é😀\n`);
    const object = Object.fromEntries(keys.map((key) => [key, 1]));
    for (const key of [...keys.slice(0, 20), 'k', '', 'k1é😀\n\n']) {
      const found = probe.run('has', Buffer.from(JSON.stringify([object, key])))[0];
      assert.is(found, keys.includes(key) ? 1 : 0, `${size} ${key}`);
    }
  }
});

test.run();
