// The conformance kit holds: every vector with its frozen modules, in every host, and in Go with code of its own.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BUILT_MODULES, loadModules } from '../runtime/decide/local.ts';
import { needs } from '../runtime/testing/needs.ts';
import { starters } from '../scripts/parity/hosts.ts';
import { canonicalLayer } from '../scripts/parity/kit/canonical.ts';
import { KIT, type KitContext, openKit } from '../scripts/parity/kit/context.ts';
import { commitmentLayer, hashLayer, idLayer } from '../scripts/parity/kit/hashes.ts';
import { checkKit, LAYERS, readVectors } from '../scripts/parity/kit/kit.ts';
import type { Vector } from '../scripts/parity/kit/layer.ts';
import { pythonForTests } from '../sdk/python/environment.ts';

const test = suite('conformance kit');
const v1 = join(KIT, 'v1');
const folder = mkdtempSync(join(tmpdir(), 'platform-kit-'));
const root = fileURLToPath(new URL('..', import.meta.url));
const decisions = ['scope', 'arguments', 'guard', 'authorization'];

/** A module that is frozen in the kit. */
const frozen = (name: string) => gunzipSync(readFileSync(join(v1, 'modules', `${name}.wasm.gz`)));

async function decisionVectors(): Promise<Vector[]> {
  const vectors: Vector[] = [];
  for (const layer of decisions) vectors.push(...(await readVectors(v1, layer)));
  return vectors;
}

test('every file has its digest, and Node answers every vector with the frozen modules', async () => {
  assert.equal(await checkKit(v1), []);
});

test('a vector of any layer that expects something else is found', async () => {
  const copy = join(folder, 'changed');
  cpSync(v1, copy, { recursive: true });
  for (const { name } of LAYERS) {
    const file = join(copy, `${name}.jsonl`);
    const [line = '', ...lines] = readFileSync(file, 'utf8').split('\n');
    const changed = line.replace(
      /(.)("\]?\}?)$/,
      (_, last: string, end: string) => (last === '0' ? '1' : '0') + end,
    );
    assert.is.not(changed, line, name);
    writeFileSync(file, [changed, ...lines].join('\n'));
  }
  const wrong = await checkKit(copy);
  for (const { name } of LAYERS) {
    assert.ok(
      wrong.some((one) => one.startsWith(`${name} 1:`)),
      name,
    );
    assert.ok(wrong.includes(`${name}.jsonl: digest`), name);
  }
});

test('what needs no policy is as it was in the modules of this checkout too', async () => {
  const { record } = loadModules();
  const kit: KitContext = { ...(await openKit(v1)), record };
  for (const layer of [canonicalLayer, hashLayer, commitmentLayer, idLayer]) {
    for (const vector of await readVectors(v1, layer.name)) {
      assert.equal({ ...vector, ...(await layer.expect(kit, vector)) }, vector);
    }
  }
});

test('every line fits the schema of its layer, and a line of another layer does not', async () => {
  const schema = JSON.parse(readFileSync(join(v1, 'schema.json'), 'utf8'));
  const ajv = new Ajv2020({ strict: false }).addSchema(schema);
  const validator = (layer: string) => ajv.compile({ $ref: `${schema.$id}#/$defs/${layer}` });
  for (const { name } of LAYERS) {
    const validate = validator(name);
    const vectors = await readVectors(v1, name);
    for (const vector of vectors)
      assert.ok(validate(vector), `${name}: ${ajv.errorsText(validate.errors)}`);
    const other = name === 'hashes' ? 'filter' : 'hashes';
    assert.not.ok(validator(other)(vectors[0]), `${other} takes a line of ${name}`);
  }
});

if (needs('python')) {
  test('the Python SDK gives the ids of the kit, with its bundles and modules', async () => {
    const { python } = await pythonForTests();
    const modules = join(folder, 'modules');
    mkdirSync(modules);
    for (const name of BUILT_MODULES) writeFileSync(join(modules, `${name}.wasm`), frozen(name));
    const vectors = await decisionVectors();
    const bundles = ['--bundles', join(v1, 'bundle'), '--keys', join(v1, 'keys.json')];
    const answers = execFileSync(
      python,
      ['-m', 'platform_sdk.parity', ...bundles, '--modules', modules],
      {
        cwd: root,
        input: `${vectors.map((of) => JSON.stringify(of)).join('\n')}\n`,
        maxBuffer: 1 << 26,
      },
    );
    const ids = answers
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    assert.equal(
      ids,
      vectors.map(({ id }) => id),
    );
  });
}

for (const name of ['envoy', 'chromium'] as const) {
  if (!needs(name)) continue;
  test(`${name} gives the ids of the kit, with its bundles and modules`, async () => {
    const modules = Object.fromEntries(BUILT_MODULES.map((module) => [module, frozen(module)]));
    const { keys } = await openKit(v1);
    const host = await starters[name]({
      ...{ folder: join(v1, 'bundle'), trusted: keys },
      modules: modules as Record<(typeof BUILT_MODULES)[number], Buffer>,
    });
    try {
      const vectors = await decisionVectors();
      const lines = vectors.map(({ boundary, module, input, salt, schema }) =>
        JSON.stringify({ boundary, module, input, salt, schema }),
      );
      const ids = (await host.decide(lines)).map(({ id }) => id);
      assert.equal(
        ids,
        vectors.map(({ id }) => id),
      );
    } finally {
      await host.close();
    }
  });
}

if (needs('go')) {
  test('a runner in Go over another Wasm runtime passes, with nothing of ours but the kit', () => {
    const program = join(folder, 'conformance');
    const cwd = join(KIT, 'examples', 'go');
    execFileSync('go', ['build', '-o', program, '.'], {
      cwd,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const kit = join(folder, 'kit');
    cpSync(v1, kit, { recursive: true });
    const lines = execFileSync(program, [kit], { cwd: folder }).toString();
    for (const { name } of LAYERS) assert.match(lines, new RegExp(`^${name} .* 0 differ$`, 'm'));
    // And it says so when an answer is another one.
    const file = join(kit, 'scope.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"id":"', '"id":"0'));
    assert.throws(() => execFileSync(program, [kit, 'scope'], { cwd: folder, stdio: 'ignore' }));
  });
}

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
