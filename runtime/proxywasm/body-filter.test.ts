// The mesh filter on bodies, as an attacker would write them, against what Node decides on the same bytes.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MeshRequest } from '../mesh/message.ts';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN } from '../testing/sample-data.ts';
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
import { cases, getter, reader, stranger, writer } from './testing/body-cases.ts';
import { repeated, spelled } from './testing/hostile-bodies.ts';
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

for (const [what, service, peer, request, reason, count] of cases) {
  test(`${what} at ${service}: ${reason}`, () => {
    const found = judged(service, peer, request);
    assert.is(found.reason, reason);
    assert.is(found.count, count);
  });
}

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
