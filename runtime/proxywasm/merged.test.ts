// The merged module: reproducible, closed but for the proxy, with the bundle's own guard, and as new after a failure.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compilePolicies } from '../bundle/compile.ts';
import { loadPair } from '../bundle/load.ts';
import { mergeFilter } from '../bundle/merge.ts';
import type { LoadedPair } from '../bundle/pair.ts';
import { POLICIES, writeSamplePair } from '../bundle/testing.ts';
import type { Decider } from '../decide/decide.ts';
import { createLocalDecider } from '../decide/local.ts';
import { answerOf, readRequest } from '../decide/wire.ts';
import { moduleBytes } from '../modules/source.ts';
import { sampleRequests } from '../testing/sample-requests.ts';
import type { Filter } from './filter.ts';
import { meshPolicyOf, unsignedDecider } from './testing/mesh-policy.ts';
import { decisionPoint, post, type WireRequest, wireOf } from './testing/point.ts';

const test = suite('merged filter');
const folder = mkdtempSync(join(tmpdir(), 'merged-'));
const RULES = `set: secrets
rules:
  - id: acme_badge
    title: Badge of Acme
    keywords: [badge-]
    pattern: '\\b(badge-[0-9]{6})\\b'
    max: 12
`;
const own = join(folder, 'acme');
mkdirSync(own);
writeFileSync(join(own, 'badges.guard.yaml'), RULES);
const ruled = await compilePolicies([POLICIES, own]);
const { trusted } = await writeSamplePair(folder, { policies: ruled });
const pair = await loadPair(folder, trusted);

const module = new WebAssembly.Module(pair.policy.filter as Uint8Array<ArrayBuffer>);

// The first of all, so that what others have held is not counted.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What is held outside of JavaScript's heap, which the memories of Wasm are part of. */
async function heldBytes(): Promise<number> {
  // What is freed is swept in the turns that follow.
  for (let turn = 0; turn < 3; turn++) {
    collect();
    await setTimeout(20);
  }
  return process.memoryUsage().external;
}

test('20,000 requests later it has the memory that it had', async () => {
  const filter = decisionPoint(pair);
  const requests = sampleRequests(400, 9).map((sample) => JSON.stringify(wireOf(sample)));
  const sizes: number[] = [];
  for (let round = 0; round < 50; round++) {
    for (const request of requests) assert.is(post(filter, request).status, 200);
    // What they need at most they have by then.
    if (round === 19 || round === 49) sizes.push(await heldBytes());
  }
  assert.ok(sizes[1]! - sizes[0]! < 1 << 20, sizes.join());
  filter.close();
});

test('it imports what a proxy has, and exports what a proxy calls', () => {
  const imports = WebAssembly.Module.imports(module).map((each) => `${each.module}.${each.name}`);
  const exports = WebAssembly.Module.exports(module).map(({ name }) => name);
  assert.equal(imports.toSorted(), [
    'env.proxy_get_buffer_bytes',
    'env.proxy_get_current_time_nanoseconds',
    'env.proxy_get_header_map_pairs',
    'env.proxy_get_property',
    'env.proxy_log',
    'env.proxy_remove_header_map_value',
    'env.proxy_replace_header_map_value',
    'env.proxy_send_local_response',
    'env.proxy_set_property',
    'wasi_snapshot_preview1.random_get',
  ]);
  assert.equal(exports.toSorted(), [
    'memory',
    'proxy_abi_version_0_2_1',
    'proxy_on_configure',
    'proxy_on_context_create',
    'proxy_on_done',
    'proxy_on_memory_allocate',
    'proxy_on_request_body',
    'proxy_on_request_headers',
    'proxy_on_request_trailers',
    'proxy_on_vm_start',
  ]);
});

test('two builds of the same give the same bytes, and another guard other ones', async () => {
  const before = process.env.XDG_CACHE_HOME;
  // Where nothing is kept yet.
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
  try {
    const { decisions, guard } = pair.policy;
    const again = await mergeFilter(decisions!, guard);
    assert.equal(Buffer.compare(again, pair.policy.filter!), 0);
    assert.not.equal(Buffer.compare(await mergeFilter(decisions!), again), 0);
    await mergeFilter(decisions!, moduleBytes('record')).then(
      () => assert.unreachable('a guard that is none is refused'),
      (error: { code: string }) => assert.is(error.code, 'compiler_failed'),
    );
  } finally {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  }
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const SALT = '5'.repeat(64);

/** Asks both; fails where they differ. */
function ask(filter: Filter, decider: Decider, request: WireRequest) {
  const expected = answerOf(decider.decide(readRequest(request)));
  const { status, body } = post(filter, JSON.stringify(request));
  assert.is(status, 200);
  assert.equal(JSON.parse(body), expected);
  return expected;
}

test("the bundle's own guard rules decide in it", () => {
  const filter = decisionPoint(pair);
  const decider = createLocalDecider({ current: () => pair });
  const scan = (text: string) =>
    ask(filter, decider, {
      ...{ boundary: 'tool', module: 'guard', salt: SALT },
      input: base64(JSON.stringify({ direction: 'input', scanners: ['Secrets'], text })),
    }).allow;
  assert.not(scan('my badge-123456 is lost'));
  assert.ok(scan('my badge-12345 is lost'));
  filter.close();
});

const HEAVY = `decision := {"allow": true, "rule": "connect"} if input.action == "connect"

decision := {"allow": true, "rule": "pairs", "n": n} if {
	input.action == "count"
	n := count([1 | some a in numbers.range(1, input.size); some b in numbers.range(1, input.size); a == b])
}

decision := {"allow": true, "rule": "kept", "n": n} if {
	input.action == "keep"
	n := count(concat("", [data.text | some a in numbers.range(1, input.size)]))
}

decision := 1 if input.action == "conflict"

decision := 2 if input.action == "conflict"`;

test('what exhausts a limit or fails is a deny with the id of Node, and the next one is judged afresh', async () => {
  const { wasm, decisions, filter: merged } = await meshPolicyOf(HEAVY);
  const heavy: LoadedPair = {
    policy: {
      ...{ revision: 'sha256:heavy', wasm, decisions, filter: merged },
      ...{ entrypoints: [], modules: {} },
    },
    data: {
      revision: 'sha256:data',
      json: Buffer.from(JSON.stringify({ text: 'x'.repeat(1 << 20) })),
    },
  };
  const filter = decisionPoint(heavy);
  const decider = unsignedDecider(heavy);
  const codes = new Set<string>();
  const inputs = [
    ...[10, 1000, 1500, 2000, 2500, 3000, 5000].map((size) => ({ action: 'count', size })),
    ...[10, 40, 60, 80, 100, 110, 120, 200].map((size) => ({ action: 'keep', size })),
    { action: 'conflict' },
    { action: 'none' },
  ];
  for (const input of inputs) {
    for (const each of [input, { action: 'count', size: 3 }]) {
      const { allow, reason } = ask(filter, decider, {
        ...{ boundary: 'mesh', module: 'authorization', salt: SALT },
        input: base64(JSON.stringify(each)),
      });
      codes.add(reason.code);
      assert.ok(each === input || allow);
    }
  }
  for (const code of ['allowed', 'steps_exhausted', 'memory_exhausted', 'policy_conflict']) {
    assert.ok(codes.has(code), `${code} of ${[...codes].join()}`);
  }
  filter.close();
});

test.after(() => rmSync(folder, { recursive: true, force: true }));
test.run();
