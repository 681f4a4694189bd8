// Runaway policies and hostile inputs end in a deny with the same id in Node, in Python and when replayed.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import binaryen from 'binaryen';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compilePolicies } from '../runtime/bundle/compile.ts';
import { loadPair } from '../runtime/bundle/load.ts';
import { POLICIES, writeSamplePair } from '../runtime/bundle/testing.ts';
import type { DecisionModule } from '../runtime/decide/boundary.ts';
import { createLocalDecider } from '../runtime/decide/local.ts';
import type { JsonValue } from '../runtime/json.ts';
import { exhaustedCode, type MeterExports } from '../runtime/metering/exhausted.ts';
import { DECISION_LIMITS } from '../runtime/metering/limits.ts';
import { meter } from '../runtime/metering/meter.ts';
import { Record as RecordModule } from '../runtime/modules/record.ts';
import { moduleBytes } from '../runtime/modules/source.ts';
import { needs } from '../runtime/testing/needs.ts';
import { pythonForTests } from '../sdk/python/environment.ts';

const POLICY = `package platform.tool

default decision := {"allow": false, "reason": {"code": "no_rule"}}

decision := {"allow": true} if input.case == "calm"

decision := {"allow": true} if {
	input.case == "cross product"
	count([1 | some a in input.items; some b in input.items; a + b == 0.5]) == 0
}

decision := {"allow": true} if {
	input.case == "walk"
	count([1 | walk(input.deep, [_, _]); walk(input.deep, [_, value]); value == "none"]) == 0
}

decision := {"allow": true} if {
	input.case == "patterns"
	count([1 | some _ in input.items; regex.match(input.pattern, input.text)]) == 0
}

decision := {"allow": true} if {
	input.case == "matches"
	count([1 | some _ in input.items; count(regex.find_n("a", input.text, -1)) == 0]) == 0
}

decision := {"allow": true} if {
	input.case == "memory"
	count([concat(" ", [input.text, input.text]) | some _ in input.items]) == 0
}
`;

const items = Array.from({ length: 10_000 }, (_, number) => number);
const deep = Array.from({ length: 60 }).reduce<JsonValue>((inner) => [inner, [1, 2, 3]], [items]);

/** What is asked, and the code of its denial; none where it is allowed. */
const CASES: [string, Record<string, JsonValue>, string | undefined][] = [
  ['calm', {}, undefined],
  ['cross product', { items }, 'steps_exhausted'],
  ['walk', { deep }, 'steps_exhausted'],
  ['patterns', { items, pattern: '(x+x+)+y', text: 'x'.repeat(100_000) }, 'steps_exhausted'],
  ['matches', { items, text: 'a'.repeat(10_000) }, 'steps_exhausted'],
  ['memory', { items, text: 'a'.repeat(50_000) }, 'memory_exhausted'],
];

const folder = mkdtempSync(join(tmpdir(), 'platform-limits-'));
const sources = join(folder, 'policies');
mkdirSync(join(sources, 'tool'), { recursive: true });
cpSync(join(POLICIES, 'capabilities.json'), join(sources, 'capabilities.json'));
writeFileSync(join(sources, 'tool', 'tool.rego'), POLICY);
writeFileSync(join(sources, 'tool', 'input.schema.json'), '{"type":"object"}');
const policies = await compilePolicies(sources);
const { trusted } = await writeSamplePair(folder, { policies });
const pair = await loadPair(folder, trusted, { modules: {} });
const salt = new Uint8Array(32);

interface Asked {
  module: DecisionModule;
  input: Uint8Array;
  schema?: Uint8Array;
}
const asked: Asked[] = CASES.map(([name, more]) => ({
  module: 'authorization',
  input: Buffer.from(JSON.stringify({ case: name, ...more })),
}));
const record = RecordModule.create(moduleBytes('record'));

/** The modules whose own bounds hold before their steps are used up: they answer, whatever they are given. */
const schema = record.canonicalizeValue({ type: 'array', items: { pattern: '^(x+x+)+(x+x+)+y$' } });
const texts = ['a@'.repeat(500_000), '4111 '.repeat(200_000), `${'eyJ'.repeat(300_000)}.`];
asked.push(
  ...texts.map((text): Asked => {
    const scanners = ['InvisibleText', 'PII', 'Secrets'];
    return {
      module: 'guard',
      input: Buffer.from(JSON.stringify({ direction: 'input', scanners, text })),
    };
  }),
  {
    module: 'arguments',
    input: record.canonicalizeValue({
      schema: `sha256:${Buffer.from(record.sha256(schema)).toString('hex')}`,
      arguments: ['x'.repeat(200_000)],
    }),
    schema,
  },
);

const decider = () => createLocalDecider({ current: () => pair });
const decide = (of: ReturnType<typeof decider>, request: Asked) =>
  of.decide({ boundary: 'tool', salt, ...request });

test('the policy is run as our compiler makes it', () => {
  assert.equal(policies.unsupported, []);
});

const first = decider();
const decisions = asked.map((request) => decide(first, request));

for (const [index, [name, , code]] of CASES.entries()) {
  test(`${name}: ${code === undefined ? 'is allowed' : `ends with ${code}`}`, () => {
    const { allow, reason } = decisions[index]!;
    assert.is(allow, code === undefined);
    assert.is(reason.code, code ?? 'allowed');
  });
}

test('whatever the guard and the arguments module are given, they answer', () => {
  for (const { module, reason } of decisions.slice(CASES.length)) {
    assert.not.match(reason.code, /exhausted|trapped|missing|input/, module);
  }
});

test('another process decides alike in another order, as does one that has decided before', () => {
  const other = decider();
  for (const [index, request] of [...asked.entries()].reverse()) {
    assert.is(decide(other, request).id, decisions[index]!.id);
  }
  assert.is(decide(other, asked[1]!).id, decisions[1]!.id);
  assert.is(decide(other, asked[0]!).allow, true);
});

if (needs('python')) {
  test('Python gives the same ids', async () => {
    const { python } = await pythonForTests();
    const lines = asked.map(({ module, input, schema: own }) =>
      JSON.stringify({
        ...{ boundary: 'tool', module, salt: Buffer.from(salt).toString('hex') },
        input: Buffer.from(input).toString('base64'),
        ...(own && { schema: Buffer.from(own).toString('base64') }),
      }),
    );
    const args = ['-m', 'platform_sdk.parity', '--bundles', folder, '--modules', 'wasm/build'];
    const { stdout, stderr } = spawnSync(python, args, {
      cwd: join(import.meta.dirname, '..'),
      input: `${lines.join('\n')}\n`,
      encoding: 'utf8',
    });
    const ids = stdout.trimEnd().split('\n');
    assert.is(ids.length, decisions.length, stderr);
    ids.forEach((line, index) => {
      assert.is((JSON.parse(line) as { id: string }).id, decisions[index]!.id, `request ${index}`);
    });
  });
}

const ENDLESS = `(module (func $even (export "run") (param i32) (call $odd (local.get 0)))
  (func $odd (param i32) (call $even (local.get 0))))`;
const REPORT = `import sys
from platform_sdk._instance import TRAPS, Instance, compiled, trap_code
instance = Instance(compiled(open(sys.argv[1], "rb").read(), "endless"))
try:
    instance.call("run", 1)
except TRAPS:
    print(trap_code(instance), instance.number("platform_steps"))
`;

if (needs('python')) {
  test('functions that call each other end alike in both hosts, with as many steps left', async () => {
    const text = binaryen.parseText(ENDLESS);
    const wasm = meter(text.emitBinary(), { ...DECISION_LIMITS, entries: { run: undefined } });
    text.dispose();
    const file = join(folder, 'endless.wasm');
    writeFileSync(file, wasm);
    const module = new WebAssembly.Module(wasm as Uint8Array<ArrayBuffer>);
    const { exports } = new WebAssembly.Instance(module);
    assert.throws(exports.run as () => void);
    const { platform_steps: steps } = exports as MeterExports;
    const { python } = await pythonForTests();
    const { stdout, stderr } = spawnSync(python, ['-c', REPORT, file], { encoding: 'utf8' });
    assert.is(exhaustedCode(exports), 'depth_exhausted');
    assert.is(stdout.trim(), `depth_exhausted ${steps?.value}`, stderr);
  });
}

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
