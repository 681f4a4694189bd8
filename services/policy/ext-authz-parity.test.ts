// Whole requests beside the mesh filter: where a service says the facts, every id and every byte of a denial is the same.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import type { MeshRequest } from '../../runtime/mesh/message.ts';
import type { HeaderPairs } from '../../runtime/proxywasm/filter.ts';
import { meshFilter } from '../../runtime/proxywasm/mesh-filter.ts';
import {
  askWithBody,
  bodiesPair,
  posted,
  rpc,
  toolCall,
} from '../../runtime/proxywasm/testing/bodies.ts';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN } from '../../runtime/testing/sample-data.ts';
import { createCheck } from './ext-authz.ts';

const test = suite('ext_authz and the filter');
const trustDomain = SAMPLE_TRUST_DOMAIN;
const pair = await bodiesPair();
const modules = loadModules();
const decider = createLocalDecider({ current: () => pair }, modules);
const check = createCheck({ engine: { decider, current: () => pair }, modules, trustDomain });
const services = ['files', 'chat', 'plain', 'vault', 'nothing'];
const filters = new Map(
  services.map((service) => [service, meshFilter(pair, { service, trustDomain })]),
);

const said: fc.Arbitrary<HeaderPairs> = fc
  .tuple(fc.uuid({ version: 4 }), fc.stringMatching(/^[0-9a-f]{64}$/))
  .map(([id, salt]) => [
    ['x-platform-request-id', id],
    ['x-platform-time', '2026-01-02T03:04:05.678Z'],
    ['x-platform-salt', salt],
  ]);
const secret = ['AKIA', 'Q3EGRIXV', '7T2KDLNM'].join('');
const bodies = fc.oneof(
  {
    arbitrary: fc
      .record({ path: fc.oneof(fc.string(), fc.constant(secret)) })
      .map((args) => toolCall('files_get', args)),
    weight: 3,
  },
  fc.constantFrom(
    ...[toolCall('files_put'), toolCall('files_get', { path: 7 }), rpc('tools/list'), rpc('x')],
    ...['', '{}', '[]', 'null', '{"jsonrpc":"2.0"', rpc('message/send', { message: {} })],
    `[${toolCall('files_get')}]`,
  ),
  fc.json(),
);
const more: fc.Arbitrary<[string, string][]> = fc.oneof(
  { arbitrary: fc.constant<[string, string][]>([]), weight: 5 },
  fc.constantFrom<[string, string][]>(
    [['content-encoding', 'gzip']],
    [['mcp-method', 'tools/call']],
    [['mcp-name', 'files_put']],
    [['content-type', 'application/json']],
  ),
);

test('the facts of a service give the ids of the filter, whatever the message', () => {
  const counted = { allowed: 0, denied: 0 };
  fc.assert(
    fc.property(
      ...[fc.constantFrom(...services), fc.constantFrom('/mcp', '/a2a', '/')],
      ...[said, bodies, more],
      (service, path, facts, body, extra) => {
        const request: MeshRequest = posted(path, body, [...facts, ...extra]);
        const filtered = askWithBody(filters.get(service)!, SAMPLE_GATEWAY, request);
        const headers: HeaderPairs = [[':method', 'POST'], [':path', path], ...request.headers];
        const checked = check({
          ...{ principal: SAMPLE_GATEWAY, service, method: 'POST', target: path },
          ...{ headers, body: request.body },
        });
        // What the filter itself remembers of a body is of no decision.
        const { body: _, ...expected } = Object.fromEntries(filtered.facts);
        assert.equal(checked.facts, expected);
        const { verdict } = filtered;
        assert.is(checked.allow, verdict.kind === 'continue');
        counted[checked.allow ? 'allowed' : 'denied'] += 1;
        if (verdict.kind === 'respond') {
          assert.is(checked.problem, Buffer.from(verdict.body).toString());
        }
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(counted.allowed > 200 && counted.denied > 200, JSON.stringify(counted));
});

test.after(() => {
  for (const filter of filters.values()) filter.close();
});
test.run();
