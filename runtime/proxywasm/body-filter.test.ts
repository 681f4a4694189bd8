// The mesh filter on bodies, as an attacker would write them, against what Node decides on the same bytes.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../json.ts';
import type { MeshRequest } from '../mesh/message.ts';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN, sampleAgent } from '../testing/sample-data.ts';
import { sampleGithubToken } from '../testing/tokens.ts';
import { createFilterHost } from './host.ts';
import { meshFilter, meshFilterConfiguration } from './mesh-filter.ts';
import {
  askWithBody,
  bodiesPair,
  posted,
  requestDecider,
  rpc,
  toolCall,
} from './testing/bodies.ts';
import { peerProperties, problemOf, valuesOf } from './testing/mesh.ts';

const test = suite('bodies in the mesh filter');
const pair = await bodiesPair();
const decide = requestDecider(pair);
const filters = new Map(
  ['files', 'chat', 'plain', 'vault'].map((service) => [
    service,
    meshFilter(pair, { service, trustDomain: SAMPLE_TRUST_DOMAIN }),
  ]),
);
/** May read and write files; may read them; may use `files_get` alone; may do nothing with them. */
const [writer, reader, getter, stranger] = [2, 1, 0, 6].map(sampleAgent) as [
  string,
  string,
  string,
  string,
];
const credential = sampleGithubToken();

/** Asks the filter, holds every fact against Node's decisions, and gives back what became of the request. */
function judged(service: string, peer: string, request: MeshRequest, cuts: readonly number[] = []) {
  const { verdict, facts, salt } = askWithBody(filters.get(service)!, peer, request, cuts);
  const expected = decide((name) => facts.get(name), salt, request);
  const said = JSON.stringify([
    request.headers,
    Buffer.from(request.body).toString().slice(0, 200),
  ]);
  assert.is(facts.get('decision_ids'), expected.decisions.map(({ id }) => id).join(), said);
  assert.is(facts.get('decision_id'), expected.settled.id);
  assert.is(facts.get('rule'), expected.settled.rule);
  assert.is(facts.get('reason'), expected.reason.code, said);
  assert.is(verdict.kind, expected.allow ? 'continue' : 'respond', said);
  assert.is(facts.get('method'), expected.message?.facts.method);
  assert.is(facts.get('tool'), expected.message?.facts.tool);
  if (verdict.kind === 'respond') {
    const problem = problemOf(verdict);
    assert.is(problem.code, 'denied');
    assert.equal(problem.reason, expected.reason);
    assert.is(problem.decision_id, expected.settled.id);
  } else {
    assert.equal(valuesOf(verdict.headers, 'x-platform-mesh-decision'), [expected.settled.id]);
    assert.equal(valuesOf(verdict.headers, 'x-platform-spiffe-id'), [peer]);
  }
  return { reason: expected.reason.code, count: expected.decisions.length };
}

const cases: [string, string, string, MeshRequest, string, number][] = [
  ['an unread body', 'vault', writer, posted('/x', 'no JSON'), 'agent_admitted', 1],
  ['a list', 'files', stranger, posted('/mcp', rpc('tools/list')), 'allowed', 3],
  ['a call', 'files', getter, posted('/mcp', toolCall('files_get')), 'allowed', 4],
  ['a call', 'files', writer, posted('/mcp', toolCall('files_put')), 'allowed', 4],
  [
    'a tool that is not granted',
    'files',
    reader,
    posted('/mcp', toolCall('files_put')),
    'tool_not_granted',
    2,
  ],
  [
    'a tool that is not granted',
    'files',
    getter,
    posted('/mcp', toolCall('files_put')),
    'tool_not_granted',
    2,
  ],
  [
    'a tool that is not granted',
    'files',
    stranger,
    posted('/mcp', toolCall('files_get')),
    'tool_not_granted',
    2,
  ],
  [
    'a caller',
    'plain',
    SAMPLE_GATEWAY,
    posted('/mcp', toolCall('x', { any: 1e-7 })),
    'message_admitted',
    2,
  ],
  [
    'a method that is not listed',
    'files',
    writer,
    posted('/mcp', rpc('tools/drop')),
    'message_not_listed',
    2,
  ],
  ['another path', 'files', writer, posted('/admin', rpc('tools/list')), 'message_not_listed', 2],
  ['a query', 'files', writer, posted('/mcp?x=/admin', rpc('tools/list')), 'allowed', 3],
  [
    'arguments that do not fit',
    'files',
    writer,
    posted('/mcp', toolCall('files_get', { path: 7 })),
    'arguments_invalid',
    3,
  ],
  [
    'a secret',
    'files',
    writer,
    posted('/mcp', toolCall('files_get', { path: credential })),
    'guard_blocked',
    4,
  ],
  [
    'a secret as a key',
    'chat',
    writer,
    posted('/a2a', rpc('tasks/get', { [credential]: 1 })),
    'guard_blocked',
    3,
  ],
  [
    'a response',
    'files',
    writer,
    posted('/mcp', '{"jsonrpc":"2.0","id":7,"result":{}}'),
    'allowed',
    3,
  ],
  [
    'a secret in a response',
    'files',
    writer,
    posted('/mcp', JSON.stringify({ jsonrpc: '2.0', id: 'a', error: { message: credential } })),
    'guard_blocked',
    3,
  ],
  [
    'a notification',
    'files',
    writer,
    posted('/mcp', JSON.stringify({ jsonrpc: '2.0', method: 'tools/list' })),
    'allowed',
    3,
  ],
  [
    'a message',
    'chat',
    writer,
    posted(
      '/a2a',
      rpc('message/send', {
        message: { parts: [{ text: 'hello' }], metadata: { skillId: 'sum' } },
      }),
    ),
    'allowed',
    3,
  ],
  [
    'a message with a secret',
    'chat',
    writer,
    posted('/a2a', rpc('SendMessage', { message: { parts: [{ text: `my ${credential}` }] } })),
    'guard_blocked',
    3,
  ],
  [
    'no body',
    'files',
    writer,
    { method: 'GET', target: '/mcp', headers: [], body: Buffer.alloc(0) },
    'message_admitted',
    2,
  ],
  [
    'no body',
    'files',
    writer,
    { method: 'DELETE', target: '/mcp', headers: [], body: Buffer.alloc(0) },
    'message_not_listed',
    2,
  ],
  [
    'a card',
    'chat',
    writer,
    { method: 'GET', target: '/.well-known/agent-card.json', headers: [], body: Buffer.alloc(0) },
    'message_admitted',
    2,
  ],
  ['an empty POST', 'files', writer, posted('/mcp', ''), 'message_admitted', 2],
  [
    'a body in a PUT',
    'files',
    writer,
    { ...posted('/mcp', rpc('tools/list')), method: 'PUT' },
    'request_malformed',
    2,
  ],
  ['a batch', 'files', writer, posted('/mcp', `[${rpc('tools/list')}]`), 'request_malformed', 2],
  ['no JSON', 'files', writer, posted('/mcp', '{"jsonrpc"'), 'input_not_json', 2],
  [
    'bytes that are no UTF-8',
    'files',
    writer,
    posted('/mcp', Buffer.from('{"a":"\xff"}', 'latin1')),
    'input_not_utf8',
    2,
  ],
  [
    'a key twice',
    'files',
    writer,
    posted('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list","m\\u0065thod":"x"}'),
    'input_duplicate_key',
    2,
  ],
  [
    'an escaped key',
    'files',
    writer,
    posted('/mcp', '{"jsonrpc":"2.0","id":1,"m\\u0065thod":"tools/list"}'),
    'allowed',
    3,
  ],
  [
    'another case',
    'files',
    writer,
    posted('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}'),
    'request_malformed',
    2,
  ],
  [
    'another name',
    'files',
    getter,
    posted(
      '/mcp',
      rpc('tools/call', { name: 'files_get', Name: 'files_put', arguments: { path: '/' } }),
    ),
    'request_malformed',
    2,
  ],
  [
    'a long s',
    'files',
    getter,
    posted(
      '/mcp',
      rpc('tools/call', { name: 'files_get', 'argument\u017f': {}, arguments: { path: '/' } }),
    ),
    'request_malformed',
    2,
  ],
  [
    'gzip',
    'files',
    writer,
    posted('/mcp', rpc('tools/list'), [['content-encoding', 'gzip']]),
    'content_type_unsupported',
    2,
  ],
  [
    'another media type',
    'files',
    writer,
    { ...posted('/mcp', rpc('tools/list')), headers: [['content-type', 'text/plain']] },
    'content_type_unsupported',
    2,
  ],
  [
    'two media types',
    'files',
    writer,
    posted('/mcp', rpc('tools/list'), [['content-type', 'application/json']]),
    'content_type_unsupported',
    2,
  ],
  [
    'headers that agree',
    'files',
    getter,
    posted('/mcp', toolCall('files_get'), [
      ['mcp-method', 'tools/call'],
      ['mcp-name', 'files_get'],
      ['mcp-protocol-version', '2025-11-25'],
    ]),
    'allowed',
    4,
  ],
  [
    'a header of another method',
    'files',
    writer,
    posted('/mcp', toolCall('files_put'), [['mcp-method', 'tools/list']]),
    'request_malformed',
    2,
  ],
  [
    'a header of another tool',
    'files',
    writer,
    posted('/mcp', toolCall('files_put'), [['mcp-name', 'files_get']]),
    'request_malformed',
    2,
  ],
  [
    'a second header',
    'files',
    writer,
    posted('/mcp', toolCall('files_put'), [
      ['mcp-name', 'files_put'],
      ['mcp-name', 'files_get'],
    ]),
    'request_malformed',
    2,
  ],
  [
    'too much',
    'files',
    writer,
    posted('/mcp', `${rpc('tools/list')}${' '.repeat(1 << 20)}`),
    'input_too_large',
    2,
  ],
  [
    'all that is read',
    'files',
    writer,
    posted('/mcp', rpc('tools/list').padEnd(1 << 20)),
    'allowed',
    3,
  ],
  [
    'too much, as it says',
    'files',
    writer,
    posted('/mcp', `${rpc('tools/list')}${' '.repeat(1 << 20)}`, [
      ['content-length', '1048577000'],
    ]),
    'input_too_large',
    2,
  ],
];
for (const [what, service, peer, request, reason, count] of cases) {
  test(`${what} at ${service}: ${reason}`, () => {
    const found = judged(service, peer, request);
    assert.is(found.reason, reason);
    assert.is(found.count, count);
  });
}

/** A body that is nearly a message: members dropped, doubled, respelled, nested, or of another type. */
const names = fc.constantFrom(
  ...['jsonrpc', 'id', 'method', 'params', 'name', 'arguments', 'uri', '_meta', 'message', 'parts'],
  ...[
    'metadata',
    'skillId',
    'result',
    'error',
    'Method',
    'NAME',
    'part\u017f',
    '__proto__',
    '',
    'path',
  ],
  ...['io.modelcontextprotocol/protocolVersion', 'text', 'toString'],
);
const values = fc.constantFrom<JsonValue>(
  ...[
    '2.0',
    '1.0',
    'tools/call',
    'tools/list',
    'files_get',
    'files_put',
    'message/send',
    'a\nb',
    '',
  ],
  ...['prompts/get', 'resources/read', 'x'.repeat(256), 'é'.repeat(129), '2025-11-25', '\u007f'],
  ...[1, 1.5, null, true, credential],
);
const { node } = fc.letrec<{ node: JsonValue }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: values },
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(names, tie('node'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));
const message = fc
  .record(
    {
      jsonrpc: fc.constantFrom<JsonValue>('2.0', '2.0', '2.0', '2.0', 2),
      id: fc.oneof(fc.nat(9), fc.string(), fc.constant(null)),
      method: fc.constantFrom(
        'tools/call',
        'tools/list',
        'prompts/get',
        'resources/read',
        'message/send',
      ),
      params: fc.oneof(
        {
          weight: 3,
          arbitrary: fc.record(
            {
              name: fc.constantFrom('files_get', 'files_put'),
              arguments: node,
              _meta: node,
              uri: values,
            },
            { requiredKeys: ['name'] },
          ),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            message: fc.record(
              { parts: fc.array(node, { maxLength: 3 }), metadata: node },
              { requiredKeys: ['parts'] },
            ),
          }),
        },
        node,
      ),
      result: node,
    },
    { requiredKeys: ['jsonrpc', 'method'], noNullPrototype: true },
  )
  .chain((whole) =>
    fc.tuple(
      fc.constant(whole),
      fc.oneof(
        { weight: 5, arbitrary: fc.constant<Record<string, JsonValue>>({}) },
        { weight: 1, arbitrary: fc.dictionary(names, node, { maxKeys: 1, noNullPrototype: true }) },
      ),
    ),
  )
  .map(([whole, more]) => ({ ...whole, ...more }));
/** A message that is one, with odd things only where a message may have them. */
const sound = fc
  .tuple(fc.constantFrom('files_get', 'files_put'), node, fc.nat(4), fc.boolean())
  .map(([name, odd, at, isBare]): JsonObject => {
    const id: JsonObject = isBare ? {} : { id: at };
    const of = (method: string, params: JsonObject) => ({ jsonrpc: '2.0', ...id, method, params });
    if (at === 0) return of('tools/call', { name, arguments: { path: '/a' }, _meta: odd });
    if (at === 1) return of('tools/call', { name, arguments: { path: odd } });
    if (at === 2) return of('message/send', { message: { parts: [odd], metadata: {} } });
    if (at === 3) return of('tools/list', { odd });
    return { jsonrpc: '2.0', id: 'x', result: odd };
  });
const spelled = fc
  .oneof(message, sound, sound)
  .chain((value) =>
    fc
      .tuple(
        fc.constant(JSON.stringify(value)),
        fc.nat(),
        fc.constantFrom('', '', '', '', '', 'escape', 'escape', 'cut', 'double', 'space', 'byte'),
      )
      .map(([text, at, how]) => misspelled(text, at, how)),
  );

/** One change of a text that some readers would not notice. */
function misspelled(text: string, at: number, how: string): Buffer {
  const place = at % text.length;
  if (how === 'cut') return Buffer.from(text.slice(0, place));
  if (how === 'space') return Buffer.from(text.replace(/[,:]/g, '$& \n'));
  if (how === 'double') return Buffer.from(text.replace('{', '{"method":"tools/list",'));
  if (how === 'byte')
    return Buffer.concat([
      Buffer.from(text.slice(0, place)),
      Buffer.of(at % 256),
      Buffer.from(text.slice(place)),
    ]);
  if (how !== 'escape') return Buffer.from(text);
  return Buffer.from(
    text.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  );
}
const repeated = fc.array(
  fc
    .tuple(
      fc.constantFrom(
        'mcp-method',
        'mcp-name',
        'mcp-protocol-version',
        'content-encoding',
        'content-type',
      ),
      fc.constantFrom(
        'tools/call',
        'tools/list',
        'files_get',
        '2025-11-25',
        'identity',
        'gzip',
        'application/json',
      ),
    )
    .map((pair): [string, string] => [...pair]),
  { maxLength: 2 },
);

test('whatever is sent, in whatever parts, is what Node decides on it, and what is allowed was read whole', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(
      fc.constantFrom('files', 'files', 'chat', 'plain'),
      fc.constantFrom(writer, getter, reader, stranger, SAMPLE_GATEWAY),
      spelled,
      fc.oneof({ weight: 4, arbitrary: fc.constant<[string, string][]>([]) }, repeated),
      fc.array(fc.nat(400), { maxLength: 4 }),
      (service, peer, body, headers, cuts) => {
        const path = service === 'chat' ? '/a2a' : '/mcp';
        const { reason } = judged(service, peer, posted(path, body, headers), cuts);
        seen.set(reason, (seen.get(reason) ?? 0) + 1);
      },
    ),
    { numRuns: 1500 },
  );
  const said = JSON.stringify([...seen]);
  for (const code of [
    'request_malformed',
    'tool_not_granted',
    'message_not_listed',
    'input_not_json',
  ]) {
    assert.ok((seen.get(code) ?? 0) > 0, said);
  }
  assert.ok((seen.get('allowed') ?? 0) + (seen.get('message_admitted') ?? 0) > 30, said);
});

test('streams that wait beside each other are decided apart, whatever comes in between', () => {
  const filter = filters.get('files')!;
  const ask = (peer: string) => {
    const stream = filter.stream(peerProperties(peer));
    const verdict = stream.requestHeaders(
      [
        [':method', 'POST'],
        [':path', '/mcp'],
        ['content-type', 'application/json'],
      ],
      false,
    );
    assert.is(verdict.kind, 'wait');
    assert.is(stream.facts().get('reason'), 'body_incomplete');
    return stream;
  };
  const streams = [writer, reader, getter].map((peer) => ask(peer));
  const body = Buffer.from(toolCall('files_put'));
  for (const stream of streams) stream.requestBody(body.subarray(0, 10), false);
  judged('files', writer, posted('/mcp', rpc('tools/list')));
  const kinds = streams.map((stream) => stream.requestBody(body.subarray(10), true).kind);
  assert.equal(kinds, ['continue', 'respond', 'respond']);
  for (const [index, stream] of streams.entries()) {
    assert.is(stream.facts().get('spiffe_id'), [writer, reader, getter][index]);
    stream.end();
  }
});

test('the limit of bodies is that of the configuration, which takes no other', () => {
  const configured = (limit: string) => {
    const whole = Buffer.from(
      meshFilterConfiguration(pair, { service: 'files', trustDomain: SAMPLE_TRUST_DOMAIN }),
    ).toString();
    const configuration = Buffer.from(`{"body_bytes_max":${limit},${whole.slice(1)}`);
    return createFilterHost({ wasm: pair.policy.filter!, configuration });
  };
  const body = rpc('tools/list');
  for (const [most, reason] of [
    [body.length, 'allowed'],
    [body.length - 1, 'input_too_large'],
  ] as const) {
    const filter = configured(String(most));
    for (const cuts of [[], [5, 9], [body.length]]) {
      const request = posted('/mcp', body);
      const { facts, salt } = askWithBody(filter, writer, request, cuts);
      assert.is(facts.get('reason'), reason);
      const expected = requestDecider(pair, most)((name) => facts.get(name), salt, request);
      assert.is(facts.get('decision_id'), expected.settled.id);
    }
    filter.close();
  }
  for (const odd of [
    '0',
    '-1',
    '1.5',
    '01',
    '1048577',
    '4294967297',
    '"9"',
    'null',
    '[]',
    'true',
  ]) {
    assert.throws(() => configured(odd), odd);
  }
});

test.after(() => {
  for (const filter of filters.values()) filter.close();
});
test.run();
