// Tests that a component, transpiled by jco, answers as the core module that it was made from.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transpile } from '@bytecodealliance/jco';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../runtime/errors.ts';
import { ModuleInstance } from '../runtime/modules/instantiate.ts';
import { moduleBytes } from '../runtime/modules/source.ts';
import { hostileJson } from '../runtime/testing/json-arbitraries.ts';
import { COMPONENTS, componentOf } from './build-components.ts';

type Component = Record<string, (bytes: Uint8Array) => Uint8Array>;

/** Makes the component, transpiles it and loads the result as any JavaScript host would. */
async function load(owner: string, core: Uint8Array): Promise<Component> {
  const folder = mkdtempSync(join(tmpdir(), 'component-'));
  try {
    const { files } = await transpile(await componentOf(owner, core), { name: owner });
    for (const [name, contents] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), contents);
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const loaded = await import(pathToFileURL(join(folder, `${owner}.js`)).href);
    return loaded[owner] as Component;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function outcome(run: () => Uint8Array): string {
  try {
    return Buffer.from(run()).toString('base64');
  } catch (error) {
    const { payload } = error as { payload?: unknown };
    return typeof payload === 'string' ? payload.replaceAll('-', '_') : codeOf(error);
  }
}

const hashes = fc.uint8Array({ minLength: 62, maxLength: 66 });
const spiffeId = fc
  .array(
    fc.constantFrom('spiffe://', 'td', '/', 'a', '*', '.', ':', '@', '%', '?', '#', 'A', ' '),
    {
      maxLength: 8,
    },
  )
  .map((parts) => Buffer.from(`${parts[0] === 'td' ? '' : 'spiffe://td'}${parts.join('')}`));

for (const owner of ['record', 'scope'] as const) {
  test(`the component of ${owner} answers as its core module`, async () => {
    const bytes = moduleBytes(owner);
    const operations = COMPONENTS[owner]!.map(({ name }) => name);
    const core = new ModuleInstance(owner, bytes, operations);
    const component = await load(owner, bytes);
    assert.equal(Object.keys(component).sort(), operations.toSorted());
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        fc.constantFrom(...operations),
        fc.oneof(hostileJson(), hashes, spiffeId),
        (operation, input) => {
          const expected = outcome(() => core.run(operation, input));
          assert.is(
            outcome(() => component[operation]!(input)),
            expected,
            operation,
          );
          seen.add(expected);
        },
      ),
      // The same inputs each time: the check below is on what they cover.
      { numRuns: 3000, seed: 20260101 },
    );
    const refusals = [...seen].filter((code) => /^(input|spiffe)_/.test(code));
    assert.ok(refusals.length >= 5, `only ${refusals}`);
    assert.ok(seen.size > refusals.length);
  });
}

test('a component is the same bytes whenever it is made', async () => {
  const core = moduleBytes('scope');
  assert.equal(await componentOf('scope', core), await componentOf('scope', core));
});

test.run();
