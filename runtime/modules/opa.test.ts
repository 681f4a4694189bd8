import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compilePolicies, readPolicies } from '../bundle/compile.ts';
import { POLICIES } from '../bundle/testing.ts';
import type { PlatformError } from '../errors.ts';
import { sampleData } from '../testing/sample-data.ts';
import { sampleRequests } from '../testing/sample-requests.ts';
import { OpaPolicy } from './opa.ts';
import { createProjection } from './projection.ts';
import { Record as RecordModule } from './record.ts';
import { RegoCompiler } from './rego.ts';
import { moduleBytes } from './source.ts';

const record = RecordModule.create(moduleBytes('record'));
const policies = await compilePolicies(POLICIES);
const data = Buffer.from(JSON.stringify(sampleData(220)));
const empty = Buffer.from('{}');
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const codeOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    return (error as PlatformError).code;
  }
  return 'no error';
};

test('what a policy cannot read changes no answer', () => {
  const whole = OpaPolicy.create({ wasm: policies.wasm, data });
  const projected = OpaPolicy.create({ wasm: policies.wasm, data, reads: policies.reads });
  let allowed = 0;
  for (const request of sampleRequests(4000, 11)) {
    let input: Uint8Array;
    try {
      input = record.canonicalize(request.input);
    } catch {
      continue;
    }
    const entrypoint = `platform/${request.boundary}/decision`;
    const answer = text(whole.decideBytes(entrypoint, input).bytes);
    assert.is(text(projected.decideBytes(entrypoint, input).bytes), answer, text(input));
    assert.equal(projected.decideBytes(entrypoint, input).value, JSON.parse(answer));
    if (answer.includes('"allow":true')) allowed += 1;
  }
  assert.ok(allowed > 400, `${allowed} allowed`);
});

test('a projection keeps what is read, whatever stands around it', () => {
  const pointers = ['/a', '/b/c', '/b/d/e', '/x~1y', '/ü'];
  const project = createProjection(pointers)!;
  const target = Buffer.alloc(1 << 16);
  const keys = fc.constantFrom(
    'a',
    'b',
    'c',
    'd',
    'e',
    'x/y',
    'ü',
    '"',
    '\\',
    '{',
    '__proto__x',
    '',
  );
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'binary', maxLength: 90 }),
      fc.constantFrom('\\', '\\"', '"}', '],[', 1.5, null, true, {}, [], `${'x'.repeat(60)}\\\\"`),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 5, noNullPrototype: true }),
    ),
  })).value;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  const at = (root: any, path: string[]): unknown =>
    path.reduce((node, key) => (Array.isArray(node) ? undefined : node?.[key]), root);
  fc.assert(
    fc.property(fc.dictionary(keys, value, { noNullPrototype: true }), (root) => {
      const input = record.canonicalize(Buffer.from(JSON.stringify(root).toWellFormed()));
      const length = project(input, target, 7);
      if (length < 0) return;
      const kept = JSON.parse(target.toString('utf8', 7, 7 + length));
      const original = JSON.parse(text(input));
      for (const path of [['a'], ['b', 'c'], ['b', 'd', 'e'], ['x/y'], ['ü']]) {
        assert.equal(at(kept, path), at(original, path));
      }
      assert.ok(length <= input.length);
    }),
    { numRuns: 2000 },
  );
});

test('a projection gives up on what is no canonical object, and never writes beyond the input', () => {
  const project = createProjection(['/a'])!;
  const good = Buffer.from('{"a":{"b":[1,"x\\"y"]},"c":"d"}');
  for (let cut = 0; cut < good.length; cut++) {
    const target = Buffer.alloc(good.length + 8);
    assert.is(project(good.subarray(0, cut), target, 0), -1, `cut at ${cut}`);
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const input = Buffer.concat([Buffer.from('{"a":'), bytes]);
      assert.ok(project(input, Buffer.alloc(256), 0) <= input.length);
    }),
  );
  assert.is(project(Buffer.from('{"\\u0061":1}'), Buffer.alloc(64), 0), -1);
  assert.is(createProjection(['']), undefined);
});

test('an entrypoint that is not there, an input that is too large', () => {
  const module = OpaPolicy.create({ wasm: policies.wasm, data: empty });
  assert.is(
    codeOf(() => module.decideBytes('platform/tool/nothing', empty).bytes),
    'bundle_entrypoint_missing',
  );
  const large = Buffer.from(`{"a":"${'x'.repeat(1 << 20)}"}`);
  assert.is(
    codeOf(() => module.decideBytes('platform/tool/decision', large).bytes),
    'input_too_large',
  );
});

test('a module of another kind, and data that is no JSON', () => {
  assert.is(
    codeOf(() => OpaPolicy.create({ wasm: empty, data: empty })),
    'module_missing',
  );
  const other = moduleBytes('record');
  assert.is(
    codeOf(() => OpaPolicy.create({ wasm: other, data: empty })),
    'module_missing',
  );
  const broken = Buffer.from('{"agents":');
  assert.is(
    codeOf(() => OpaPolicy.create({ wasm: policies.wasm, data: broken })),
    'module_trapped',
  );
});

test('a trap costs the instance, and the next call is answered', async () => {
  const own = await readPolicies(POLICIES);
  const content = `package p
out := x if { x := [a | some a in input.l; some _ in input.l; some _ in input.l] }
`;
  const built = (await RegoCompiler.load()).build({
    ...own,
    files: [{ path: 'p.rego', content }],
    entrypoints: ['p/out'],
    roots: ['p'],
  });
  const module = OpaPolicy.create({ wasm: built.wasm, data: empty });
  const many = Buffer.from(JSON.stringify({ l: Array.from({ length: 250 }, (_, i) => `${i}`) }));
  const few = Buffer.from('{"l":["a"]}');
  assert.is(text(module.decideBytes('p/out', few).bytes), '["a"]');
  assert.is(
    codeOf(() => module.decideBytes('p/out', many).bytes),
    'module_trapped',
  );
  assert.is(text(module.decideBytes('p/out', few).bytes), '["a"]');
  assert.is(
    codeOf(() => module.decideBytes('p/out', empty).bytes),
    'no error',
  );
});

test('a rule that is undefined for an input is an error, not an empty answer', async () => {
  const own = await readPolicies(POLICIES);
  const files = [{ path: 'p.rego', content: 'package p\nout := 1 if input.a\n' }];
  const compiler = await RegoCompiler.load();
  const built = compiler.build({ ...own, files, entrypoints: ['p/out'], roots: ['p'] });
  const module = OpaPolicy.create({ wasm: built.wasm, data: empty });
  assert.is(
    codeOf(() => module.decideBytes('p/out', empty).bytes),
    'module_output_invalid',
  );
  assert.is(text(module.decideBytes('p/out', Buffer.from('{"a":1}')).bytes), '1');
});

test.run();
