// The kit's layer of filter traffic: a peer and a request's head to a verdict, its facts and the decision id.

import fc from 'fast-check';
import { hex } from '../../../runtime/hex.ts';
import type { HeaderPairs } from '../../../runtime/proxywasm/filter.ts';
import { meshFilter } from '../../../runtime/proxywasm/mesh-filter.ts';
import { nearly } from '../../../runtime/testing/requests/near-misses.ts';
import {
  SAMPLE_GATEWAY,
  SAMPLE_OPERATOR,
  SAMPLE_TRUST_DOMAIN,
  sampleAgent,
} from '../../../runtime/testing/sample-data.ts';
import { KIT_SERVICE, type KitContext } from './context.ts';
import { hexOf, type Layer, type Vector } from './layer.ts';

const SEED = 3;
/** What the filter takes of randomness for one request. */
const RANDOM_BYTES = 48;
const TIME = '2026-01-01T00:00:00.000Z';
const head: HeaderPairs = [
  [':method', 'POST'],
  [':path', '/v1/secrets'],
  [':authority', 'vault'],
];
const id = '4f6c1f4e-1f0b-4a63-9d55-0a5c5e7f7f10';
const salt = 'ab'.repeat(32);

/** What a peer may say for itself, or in the platform's name. */
const said: readonly HeaderPairs[] = [
  [],
  [['x-other', 'kept']],
  [['x-platform-spiffe-id', SAMPLE_OPERATOR]],
  [
    ['X-Platform_Spiffe-Id', SAMPLE_OPERATOR],
    ['x_platform_time', TIME],
  ],
  [['x-platform-approval', 'a1']],
  [
    ['x-platform-approval', 'a1'],
    ['x-platform-approval', 'a2'],
  ],
  [['x-platform-on-behalf-of', sampleAgent(2)]],
  [
    ['x-platform-on-behalf-of', sampleAgent(2)],
    ['X-Platform-On-Behalf-Of', sampleAgent(4)],
  ],
  [['x-platform-on-behalf-of', `${sampleAgent(2)}/`]],
  [['x-platform-on-behalf-of', SAMPLE_OPERATOR]],
  [
    ['x-platform-request-id', id],
    ['x-platform-time', TIME],
    ['x-platform-salt', salt],
  ],
  [['x-platform-request-id', id.toUpperCase()]],
  [
    ['x-platform-request-id', id],
    ['x-platform-request-id', id],
  ],
  [['x-platform-time', '2026-01-01T00:00:00Z']],
  [['x-platform-salt', salt.slice(2)]],
  [
    ['x-platformer', 'kept'],
    ['x-platform', 'kept'],
    ['x-platform-', 'dropped'],
  ],
];

/** Peers as certificates can name them: printable ASCII. */
function peers(): (string | null)[] {
  const changes = fc.sample(nearly, { numRuns: 90, seed: SEED });
  const near = changes.map((change, index) => change(sampleAgent(index)));
  const known = [null, SAMPLE_GATEWAY, SAMPLE_OPERATOR, sampleAgent(3), sampleAgent(999), ''];
  const others = [`spiffe://${SAMPLE_TRUST_DOMAIN}`, 'spiffe://elsewhere.example/agent/a/b/c'];
  const all = [...known, ...others, ...[0, 1, 2, 5].map(sampleAgent), ...near];
  return [...new Set(all)].filter((peer) => peer === null || /^[\x21-\x7e]*$/.test(peer));
}

export const filterLayer: Layer = {
  name: 'filter',
  inputs(kit) {
    const random = (name: string) => {
      const bytes = [0, 1].map((part) => kit.record.sha256(Buffer.from(`${name} ${part}`)));
      return hex(Buffer.concat(bytes).subarray(0, RANDOM_BYTES));
    };
    const of = (peer: string | null, more: HeaderPairs): Vector => ({
      ...{ peer, headers: [...head, ...more], time: TIME },
      random: random(`${peer} ${JSON.stringify(more)}`),
    });
    const speakers = [sampleAgent(1), sampleAgent(3), SAMPLE_GATEWAY];
    return [
      ...peers().map((peer) => of(peer, [])),
      ...speakers.flatMap((peer) => said.map((headers) => of(peer, headers))),
    ];
  },
  expect: (kit, vector) => judged(kit, vector),
};

/** Lets the kit's own filter judge one request. */
function judged({ pair }: KitContext, vector: Vector): Vector {
  const filter = meshFilter(pair, {
    ...{ service: KIT_SERVICE, trustDomain: SAMPLE_TRUST_DOMAIN },
    clock: () => new Date(String(vector.time)),
    random: (bytes) => bytes.set(hexOf(vector.random).subarray(0, bytes.length)),
  });
  try {
    const properties = new Map<string, string | boolean>([
      ['connection.mtls', vector.peer !== null],
    ]);
    if (vector.peer !== null) {
      properties.set('connection.uri_san_peer_certificate', String(vector.peer));
    }
    const stream = filter.stream(properties);
    const verdict = stream.requestHeaders(vector.headers as HeaderPairs, true);
    stream.end();
    const facts = stream.facts();
    const named = (name: string) => facts.get(name) ?? '';
    return {
      allow: verdict.kind === 'continue',
      ...(verdict.kind === 'continue'
        ? { forwarded: verdict.headers }
        : { status: verdict.kind === 'respond' ? verdict.status : 0 }),
      ...{ rule: named('rule'), reason: named('reason'), id: named('decision_id') },
      ...{ request_id: named('request_id'), fixed_time: named('time') },
    };
  } finally {
    filter.close();
  }
}
