// The host against filters that misbehave: nothing passes, nothing grows without bound, nothing breaks the proxy.
import binaryen from 'binaryen';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { eventually } from '../testing/eventually.ts';
import type { HeaderPairs } from './filter.ts';
import { createFilterHost, type FilterHostConfig } from './host.ts';

const test = suite('host');

const IMPORTS = {
  proxy_log: 3,
  proxy_get_buffer_bytes: 5,
  proxy_get_buffer_status: 3,
  proxy_set_buffer_bytes: 5,
  proxy_get_header_map_pairs: 3,
  proxy_set_header_map_pairs: 3,
  proxy_add_header_map_value: 5,
  proxy_get_property: 4,
  proxy_set_property: 4,
  proxy_send_local_response: 8,
  proxy_define_metric: 4,
  proxy_set_shared_data: 5,
  proxy_get_shared_data: 5,
  proxy_set_tick_period_milliseconds: 1,
  proxy_set_effective_context: 1,
  proxy_close_stream: 1,
  proxy_continue_stream: 1,
  proxy_http_call: 10,
  proxy_grpc_call: 12,
  proxy_register_shared_queue: 3,
  proxy_call_foreign_function: 6,
} as const;

/** A filter in text: `heads` runs at request heads and leaves an action, `more` is added to the module. */
function filterOf(heads: string, more = ''): Uint8Array {
  const imports = Object.entries(IMPORTS).map(
    ([name, count]) =>
      `(import "env" "${name}" (func $${name} (param ${'i32 '.repeat(count)}) (result i32)))`,
  );
  const module = binaryen.parseText(`(module ${imports.join('\n')}
    (memory (export "memory") 2)
    (data (i32.const 64) "name")
    (global $top (mut i32) (i32.const 4096))
    (func (export "proxy_abi_version_0_2_1"))
    (func (export "proxy_on_memory_allocate") (param i32) (result i32) (global.get $top))
    (func $fact (param i32)
      (i32.store8 (i32.const 128) (i32.add (i32.const 48) (local.get 0)))
      (drop (call $proxy_set_property (i32.const 64) (i32.const 4) (i32.const 128) (i32.const 1))))
    (func (export "proxy_on_request_headers") (param i32 i32 i32) (result i32) ${heads})
    ${more})`);
  try {
    if (!module.validate()) throw new Error('the test filter is not valid');
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}

const host = (wasm: Uint8Array, more: Partial<FilterHostConfig> = {}) =>
  createFilterHost({ wasm, configuration: Buffer.from('abc'), ...more });

function ask(wasm: Uint8Array, headers: HeaderPairs = [[':path', '/']]) {
  const filter = host(wasm);
  const stream = filter.stream(new Map());
  const verdict = stream.requestHeaders(headers, true);
  const answered = stream.responseHeaders([[':status', '200']], true);
  stream.end();
  filter.close();
  return { verdict, answered, facts: stream.facts() };
}

const WIDE = '(i32.const -8) (i32.const 16)';
const statusOf: [string, string, number][] = [
  ['a pointer that wraps around', `(call $proxy_log (i32.const 2) ${WIDE})`, 6],
  [
    'a length beyond the memory',
    '(call $proxy_log (i32.const 2) (i32.const 131071) (i32.const 2))',
    6,
  ],
  ['an unknown log level', '(call $proxy_log (i32.const 9) (i32.const 0) (i32.const 1))', 2],
  ['a return place outside', `(call $proxy_get_header_map_pairs (i32.const 0) ${WIDE})`, 6],
  [
    'a map of another callback',
    '(call $proxy_get_header_map_pairs (i32.const 2) (i32.const 0) (i32.const 4))',
    1,
  ],
  [
    'an unknown map',
    '(call $proxy_get_header_map_pairs (i32.const 8) (i32.const 0) (i32.const 4))',
    2,
  ],
  [
    'an unknown buffer',
    '(call $proxy_get_buffer_status (i32.const 9) (i32.const 0) (i32.const 4))',
    2,
  ],
  [
    'a body that does not come',
    '(call $proxy_get_buffer_status (i32.const 0) (i32.const 0) (i32.const 4))',
    1,
  ],
  [
    'its own configuration as it is',
    '(call $proxy_get_buffer_status (i32.const 7) (i32.const 0) (i32.const 4))',
    0,
  ],
  [
    'a change of its configuration',
    '(call $proxy_set_buffer_bytes (i32.const 7) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))',
    2,
  ],
  [
    'an absent property',
    '(call $proxy_get_property (i32.const 0) (i32.const 4) (i32.const 16) (i32.const 20))',
    1,
  ],
  [
    'pairs that are none',
    '(call $proxy_set_header_map_pairs (i32.const 0) (i32.const 64) (i32.const 4))',
    2,
  ],
  [
    'a header with a bad name',
    '(call $proxy_add_header_map_value (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 64) (i32.const 4))',
    2,
  ],
  [
    'an answer of status 99',
    `(call $proxy_send_local_response (i32.const 99) ${'(i32.const 0) '.repeat(7)})`,
    2,
  ],
  ['an unknown context', '(call $proxy_set_effective_context (i32.const 77))', 2],
  ['a stream that waits for nothing', '(call $proxy_continue_stream (i32.const 0))', 9],
  ['an HTTP call', `(call $proxy_http_call ${'(i32.const 0) '.repeat(10)})`, 9],
  ['a gRPC call', `(call $proxy_grpc_call ${'(i32.const 0) '.repeat(12)})`, 9],
  ['a queue', `(call $proxy_register_shared_queue ${'(i32.const 0) '.repeat(3)})`, 9],
  ['a foreign function', `(call $proxy_call_foreign_function ${'(i32.const 0) '.repeat(6)})`, 1],
];
for (const [what, call, status] of statusOf) {
  test(`${what} gets its status`, () => {
    // One digit tells all that are expected here; 12, unimplemented, is shown as 9.
    const shown = `(call $fact (select (i32.const 9) (local.get 0) (i32.eq (local.get 0) (i32.const 12))))`;
    const { verdict, facts } = ask(filterOf(`(local.set 0 ${call}) ${shown} (i32.const 0)`));
    assert.is(verdict.kind, 'continue');
    assert.is(facts.get('name'), String(status));
  });
}

const refusing: [string, string][] = [
  ['traps', '(unreachable)'],
  ['pauses', '(i32.const 1)'],
  ['returns what is no action', '(i32.const 77)'],
  ['closes the stream', '(drop (call $proxy_close_stream (i32.const 0))) (i32.const 0)'],
  ['takes all memory there is', '(drop (memory.grow (i32.const 8000))) (i32.const 0)'],
  ['recurses without end', '(call $deep) (i32.const 0)'],
];
for (const [what, heads] of refusing) {
  test(`a filter that ${what} lets nothing pass, now or later`, () => {
    const filter = host(filterOf(heads, '(func $deep (call $deep) (call $deep))'));
    for (let time = 0; time < 3; time++) {
      const stream = filter.stream(new Map());
      const verdict = stream.requestHeaders([[':path', '/']], true);
      assert.is(verdict.kind === 'respond' && verdict.status, 503);
      stream.end();
    }
    filter.close();
    assert.is(filter.stream(new Map()).requestHeaders([], true).kind, 'respond');
  });
}

/** Waits for the whole body, says how much of it there is, and lets the stream go on. */
const BODY = `(func (export "proxy_on_request_body") (param i32 i32 i32) (result i32)
  (if (i32.eqz (local.get 2)) (then (return (i32.const 1))))
  (drop (call $proxy_get_buffer_bytes
    (i32.const 0) (i32.const 1) (i32.const 9) (i32.const 256) (i32.const 260)))
  (drop (call $proxy_set_property (i32.const 64) (i32.const 4)
    (i32.load (i32.const 256)) (i32.load (i32.const 260))))
  (call $fact (call $proxy_set_buffer_bytes
    (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 1)))
  (drop (call $proxy_get_buffer_status (i32.const 0) (i32.const 128) (i32.const 132)))
  (drop (call $proxy_add_header_map_value (i32.const 0) (i32.const 64) (i32.const 4)
    (i32.load (i32.const 256)) (i32.load (i32.const 260))))
  (if (i32.eq (i32.load8_u (i32.load (i32.const 256))) (i32.const 33)) (then (unreachable)))
  (i32.ne (i32.load (i32.const 128)) (local.get 1)))`;

function waiting(wasm: Uint8Array, chunks: readonly string[]) {
  const filter = host(wasm);
  const stream = filter.stream(new Map());
  const verdicts = [stream.requestHeaders([[':path', '/']], chunks.length === 0)];
  chunks.forEach((chunk, index) => {
    verdicts.push(stream.requestBody(Buffer.from(chunk), index === chunks.length - 1));
  });
  stream.end();
  filter.close();
  return { kinds: verdicts.map(({ kind }) => kind), last: verdicts.at(-1)! };
}

test('a filter that pauses at the head decides on the body, however it comes', () => {
  for (const chunks of [
    ['0123456789'],
    ['0', '123456789'],
    ['01234', '', '56789', ''],
    ['0123456789', ''],
  ]) {
    const { kinds, last } = waiting(filterOf('(i32.const 1)', BODY), chunks);
    assert.equal(kinds, [...chunks.map(() => 'wait'), 'continue']);
    assert.equal(last.headers, [
      [':path', '/'],
      ['name', '123456789'],
    ]);
  }
});

test('a filter that waits where nothing can come, or fails at the body, lets nothing pass', () => {
  const failed = (wasm: Uint8Array, chunks: readonly string[]) => {
    const { last } = waiting(wasm, chunks);
    return last.kind === 'respond' && last.status;
  };
  assert.is(failed(filterOf('(i32.const 1)', BODY), []), 503);
  assert.is(failed(filterOf('(i32.const 1)', BODY), ['a!23456789']), 503);
  assert.is(failed(filterOf('(i32.const 77)', BODY), []), 503);
  const never = `(func (export "proxy_on_request_body") (param i32 i32 i32) (result i32)
    (i32.const 1))`;
  assert.is(failed(filterOf('(i32.const 1)', never), ['a', 'b']), 503);
  assert.is(failed(filterOf('(i32.const 1)', never), ['x'.repeat(17 << 20), '']), 503);
  // Whoever did not wait for a body is not asked about one.
  assert.is(failed(filterOf('(i32.const 0)', BODY), ['abc']), 503);
});

test('a closed filter serves its streams to their end, and no others', () => {
  let done = 0;
  const filter = host(
    filterOf(
      '(i32.const 0)',
      `(func (export "proxy_on_response_headers") (param i32 i32 i32) (result i32) (i32.const 0))
       (func (export "proxy_on_log") (param i32)
         (drop (call $proxy_log (i32.const 2) (i32.const 64) (i32.const 4))))`,
    ),
    { log: () => (done += 1) },
  );
  const first = filter.stream(new Map());
  const second = filter.stream(new Map());
  assert.is(first.requestHeaders([], true).kind, 'continue');
  filter.close();
  assert.is(filter.stream(new Map()).requestHeaders([], true).kind, 'respond');
  assert.is(first.responseHeaders([[':status', '200']], true).kind, 'continue');
  first.end();
  assert.is(second.requestHeaders([], true).kind, 'continue');
  second.end();
  assert.is(done, 2);
  assert.is(second.responseHeaders([[':status', '200']], true).kind, 'respond');
});

test('facts, metrics, shared data and logs have bounds', () => {
  let logged = 0;
  const loop = (body: string, times: number) => `(local.set 0 (i32.const 0)) (loop $again
    (i32.store (i32.const 64) (local.get 0)) (local.set 1 ${body})
    (local.set 0 (i32.add (local.get 0) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get 0) (i32.const ${times}))))`;
  const cases: [string, number][] = [
    ['(call $proxy_set_property (i32.const 64) (i32.const 4) (i32.const 64) (i32.const 4))', 100],
    ['(call $proxy_define_metric (i32.const 0) (i32.const 64) (i32.const 4) (i32.const 16))', 2000],
    [
      '(call $proxy_set_shared_data (i32.const 64) (i32.const 4) (i32.const 0) (i32.const 65536) (i32.const 0))',
      100,
    ],
    [
      '(call $proxy_set_shared_data (i32.const 64) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 0))',
      2000,
    ],
  ];
  for (const [call, times] of cases) {
    const wasm = filterOf(`${loop(call, times)} (i32.const 0)`, '');
    const last = filterOf(
      `${loop(call, times)} (i32.store (i32.const 64) (i32.const 0x656d616e)) (select (i32.const 0) (i32.const 5) (i32.eq (local.get 1) (i32.const 10)))`,
    );
    assert.ok(ask(wasm).facts.size <= 64);
    assert.is(ask(last).verdict.kind, 'continue', call);
  }
  const noisy = host(
    filterOf(
      `${loop('(call $proxy_log (i32.const 2) (i32.const 64) (i32.const 4))', 100_000)} (i32.const 0)`,
    ),
    { log: () => (logged += 1) },
  );
  noisy.stream(new Map()).requestHeaders([], true);
  assert.is(logged, 256);
  noisy.close();
});

test('a filter that ticks is called until it is closed', async () => {
  let ticks = 0;
  const filter = host(
    filterOf(
      '(i32.const 0)',
      `(func (export "proxy_on_configure") (param i32 i32) (result i32)
         (drop (call $proxy_set_tick_period_milliseconds (i32.const 1))) (i32.const 1))
       (func (export "proxy_on_tick") (param i32)
         (drop (call $proxy_log (i32.const 2) (i32.const 64) (i32.const 4))))`,
    ),
    { log: () => (ticks += 1) },
  );
  // The timer alone keeps no process alive.
  const alive = setInterval(() => {}, 1000);
  await eventually(() => ticks >= 2);
  clearInterval(alive);
  filter.close();
});

test('modules that are no filter are refused', () => {
  const whole = new TextDecoder('latin1').decode(filterOf('(i32.const 0)'));
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  const refused = [
    Buffer.from('no module'),
    bytes(whole.replace('proxy_abi_version_0_2_1', 'proxy_abi_version_0_9_9')),
    bytes(whole.replace('proxy_on_memory_allocate', 'proxy_on_memory_allocatf')),
    bytes(whole.replace('proxy_http_call', 'proxy_http_calm')),
  ];
  for (const wasm of refused) {
    assert.throws(
      () => host(wasm),
      (error: unknown) => codeOf(error) === 'module_missing',
    );
  }
});

test.run();
