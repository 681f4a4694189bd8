// Generated decision requests over all boundaries and modules: half well meant, half hostile.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { BOUNDARIES, type Boundary, type DecisionModule } from '../decide/boundary.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import {
  SAMPLE_GATEWAY,
  SAMPLE_OPERATOR,
  SAMPLE_TRUST_DOMAIN,
  sampleAgent,
  sampleService,
} from './sample-data.ts';

/** A request as every host receives it: the input as bytes, valid JSON or not. */
export interface SampleRequest {
  boundary: Boundary;
  module: DecisionModule;
  input: Uint8Array;
  salt: Uint8Array;
  /** Canonical JSON, for the `arguments` module. */
  schema?: Uint8Array;
}

const hostileStrings = [
  '\u0000',
  '\u202e\u2066',
  'a\u200db',
  '\u{e0041}\u{e0042}',
  '\u{1f468}\u200d\u{1f469}',
  '﷽',
  'é',
  'e\u0301',
  '"\\',
  '__proto__',
  '../../etc/passwd',
  '\u2028',
  '{{7*7}}',
  '💥'.repeat(40),
  ' ',
  '',
];
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...hostileStrings),
  fc.string({ maxLength: 60 }),
);
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
  fc.constantFrom(0, -0, 1e-7, 5e-324, 2 ** 53, 0.1 + 0.2, 4.35, 1.5e-300),
);
const anyValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    fc.constantFrom<JsonValue>(null, true, false),
    numbers,
    text,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value as fc.Arbitrary<JsonValue>;

/** Values that some parsers take and others do not; every host must refuse them with the same code. */
const brokenTexts = [
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"a":9007199254740993}',
  '{"a":1e400}',
  '{"a":1.0000000000000000001}',
  '{"a":"\\ud800"}',
  '[1,]',
  '{"a":01}',
  '',
  'null ',
  '\ufeff{}',
  '{"a":NaN}',
  '['.repeat(70) + ']'.repeat(70),
  `{"${'k'.repeat(257)}":1}`,
  '{"a":-0}',
  '{"a":1E2}',
  '{"a":"\\/"}',
  ' { "b" : 1 , "a" : [ ] } ',
];
const brokenBytes = fc.oneof(
  fc.constantFrom(...brokenTexts).map((json) => Buffer.from(json)),
  fc
    .uint8Array({ maxLength: 30 })
    .map((bytes) => Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')])),
  fc.integer({ min: 1000, max: 60_000 }).map((n) => Buffer.from(`{"a":"${'x'.repeat(n)}"}`)),
);

function identity(spiffeId: string): JsonObject {
  const [tenant = '', agent = '', role = ''] = spiffeId.split('/').slice(4);
  return { spiffe_id: spiffeId, trust_domain: SAMPLE_TRUST_DOMAIN, tenant, agent, role };
}

const moment = { time: '2026-01-01T00:00:00.000Z', request_id: 'req-1' };
const number = fc.nat(219);
const counters = fc.record({
  agent_minute: fc.integer({ min: 1, max: 140 }),
  tenant_minute: fc.integer({ min: 1, max: 640 }),
});

const toolInput = fc
  .record({
    number,
    offset: fc.constantFrom(0, 0, 0, 1, 2, 3),
    counters,
    arguments: fc.dictionary(text, anyValue, { maxKeys: 4, noNullPrototype: true }),
    action: fc.constantFrom('call', 'call', 'call', 'get', 'list', 'search', 'register', 'fly'),
    effect: fc.constantFrom('read', 'write'),
    nearMiss: fc.constantFrom('', '', '', '', '/', 'x', '%2f', '\u0000'),
  })
  .map((of): JsonValue => {
    const service = sampleService(of.number + of.offset);
    const catalog = of.action !== 'call' && of.action !== 'get';
    return {
      action: of.action,
      identity: identity(sampleAgent(of.number) + of.nearMiss),
      resource: catalog
        ? { kind: 'catalog', ...(of.action === 'register' ? { service } : {}) }
        : {
            kind: 'tool',
            name: `${service}_get`,
            service,
            action: of.effect,
            source: 'openapi',
            tags: [],
          },
      arguments: of.arguments,
      provenance: { '/a': [{ source: 'prompt' }] },
      session: null,
      counters: of.counters,
      approval: null,
      context: moment,
    };
  });

const credentialInput = fc
  .record({
    number,
    offset: fc.constantFrom(0, 0, 0, 0, 0, 1, 2),
    name: fc.constantFrom('key', 'key', 'key', 'other'),
    registrar: fc.constantFrom(SAMPLE_OPERATOR, SAMPLE_OPERATOR, SAMPLE_OPERATOR, sampleAgent(1)),
    counters,
  })
  .map(
    (of): JsonValue => ({
      action: 'use',
      identity: identity(sampleAgent(of.number)),
      resource: {
        kind: 'credential',
        name: of.name,
        service: sampleService(of.number + of.offset),
        origin: 'https://api.example',
        registered_by: of.registrar,
      },
      counters: of.counters,
      context: moment,
    }),
  );

const consoleInput = fc
  .record({
    action: fc.constantFrom('view', 'approve', 'operate', 'destroy'),
    operator: fc.constantFrom(true, true, true, false),
    name: fc.constantFrom('approvals', 'telemetry', 'agents'),
  })
  .map(
    (of): JsonValue => ({
      action: of.action,
      identity: {
        ...identity(of.operator ? SAMPLE_OPERATOR : sampleAgent(1)),
      },
      resource: { kind: 'console', name: of.name },
      context: moment,
    }),
  );

const meshInput = fc
  .record({
    peer: fc.oneof(
      { weight: 6, arbitrary: number.map(sampleAgent) },
      { weight: 1, arbitrary: fc.constantFrom(SAMPLE_GATEWAY, SAMPLE_OPERATOR) },
    ),
    nearMiss: fc.constantFrom('', '', '', '', '/', 'x', '%2f'),
    name: fc.constantFrom('gateway', 'gateway', 'vault', 'vault', 'vault', 'billing'),
    action: fc.constantFrom('connect', 'connect', 'connect', 'connect', 'connect', 'listen'),
  })
  .map(
    (of): JsonValue => ({
      action: of.action,
      identity: of.peer.includes('/agent/')
        ? identity(of.peer + of.nearMiss)
        : { ...identity(''), spiffe_id: of.peer + of.nearMiss },
      resource: { kind: 'service', name: of.name },
      context: moment,
    }),
  );

const secretInput = fc
  .record({
    number,
    who: fc.constantFrom('agent', 'agent', 'agent', 'agent', 'operator', 'stranger'),
    action: fc.constantFrom(
      'read',
      'read',
      'write',
      'write',
      'list',
      'delete',
      'restore',
      'rotate',
    ),
    scope: fc.constantFrom('/*', '/*', '/*', '/main', '/worker', '/../*', 'x/*', ''),
    wide: fc.constantFrom(false, false, false, true),
    actor: fc.constantFrom<(string | undefined)[]>(
      undefined,
      undefined,
      undefined,
      SAMPLE_GATEWAY,
      '',
    ),
    key: text,
    counters: fc.record({
      agent_minute: fc.integer({ min: 1, max: 650 }),
      tenant_minute: fc.integer({ min: 1, max: 3200 }),
    }),
  })
  .map((of): JsonValue => {
    const agent = sampleAgent(of.number);
    const base = agent.slice(0, agent.lastIndexOf('/'));
    const scope = of.wide ? `${base.slice(0, base.lastIndexOf('/'))}/*` : base + of.scope;
    const catalog = of.action === 'rotate' || (of.action === 'list' && of.wide);
    const who = { agent, operator: SAMPLE_OPERATOR, stranger: `${agent}/x` }[of.who]!;
    return {
      action: of.action,
      identity: of.who === 'agent' ? identity(agent) : { ...identity(''), spiffe_id: who },
      ...(of.actor === undefined ? {} : { actor: of.actor }),
      resource: catalog ? { kind: 'vault' } : { kind: 'secret', key: of.key, scope },
      counters: of.counters,
      context: moment,
    };
  });

const schemaTexts = [
  '{"additionalProperties":false,"properties":{"id":{"maximum":100,"minimum":0,"type":"integer"},"q":{"maxLength":40,"type":"string"}},"type":"object"}',
  '{"properties":{"to":{"items":{"pattern":"^[a-z]+@[a-z]+$","type":"string"},"type":"array"}},"type":"object"}',
  '{"anyOf":[{"required":["id"]},{"maxProperties":2}],"type":"object"}',
];
const argumentValues = fc.oneof(
  fc.record({ id: fc.integer({ min: -5, max: 110 }), q: text }, { requiredKeys: [] }),
  fc.record({ to: fc.array(fc.constantFrom('a@b', 'x', 'abc@def'), { maxLength: 3 }) }),
  fc.dictionary(text, anyValue, { maxKeys: 4, noNullPrototype: true }),
  anyValue,
);

const guardTexts = fc.oneof(
  text,
  fc.string({ maxLength: 300 }),
  fc
    .tuple(
      text,
      fc.constantFrom(
        'ada@example.org',
        '078-05-1121',
        '4111 1111 1111 1111',
        'DE89 3704 0044 0532 0130 00',
        ['gh', 'p_', 'a1B2'.repeat(9)].join(''),
        ['AKI', 'A', 'IOSFODNN7EXAMPLE'].join(''),
      ),
      text,
    )
    .map((parts) => parts.join(' ')),
);
const guardInput = fc
  .record({
    direction: fc.constantFrom('input', 'output'),
    scanners: fc.subarray(['InvisibleText', 'PII', 'Secrets'], { minLength: 1 }),
    text: guardTexts,
  })
  .map((input) => input as JsonValue);

const ids = fc.oneof(
  number.map(sampleAgent),
  fc.constantFrom(
    'spiffe://platform.local/agent/t/botnet/x',
    'spiffe://Platform.local/a',
    'spiffe://platform.local/a/../b',
    'spiffe://platform.local',
    'spiffe://platform.local/a%2Fb',
    'https://platform.local/a',
  ),
  text,
);
const scopeInput = fc.oneof(
  number.map(
    (n): JsonValue => ({ scope: sampleAgent(n).replace(/main$/, '*'), spiffe_id: sampleAgent(n) }),
  ),
  number.map((n): JsonValue => ({ scope: sampleAgent(n), spiffe_id: sampleAgent(n) })),
  fc.record({ scope: ids, spiffe_id: ids }).map((input) => input as JsonValue),
);

const encode = (value: JsonValue): Uint8Array => Buffer.from(JSON.stringify(value));
const boundaries = fc.constantFrom<Boundary>(...BOUNDARIES);
type Made = Omit<SampleRequest, 'salt'>;

function authorization(boundary: Boundary, input: fc.Arbitrary<JsonValue>): fc.Arbitrary<Made> {
  return input.map((value) => ({ boundary, module: 'authorization', input: encode(value) }));
}

const argumentsRequests: fc.Arbitrary<Made> = fc
  .record({ boundary: boundaries, schema: fc.constantFrom(...schemaTexts), value: argumentValues })
  .map(({ boundary, schema, value }) => {
    const digest = createHash('sha256').update(schema).digest('hex');
    const input = encode({ arguments: value, schema: `sha256:${digest}` });
    return { boundary, module: 'arguments', input, schema: Buffer.from(schema) };
  });

const requests: fc.Arbitrary<SampleRequest> = fc
  .record({
    made: fc.oneof(
      { weight: 6, arbitrary: authorization('tool', toolInput) },
      { weight: 4, arbitrary: authorization('credential', credentialInput) },
      { weight: 4, arbitrary: authorization('console', consoleInput) },
      { weight: 4, arbitrary: authorization('mesh', meshInput) },
      { weight: 4, arbitrary: authorization('secret', secretInput) },
      { weight: 4, arbitrary: argumentsRequests },
      {
        weight: 4,
        arbitrary: fc
          .record({ boundary: boundaries, input: guardInput })
          .map((of) => ({ ...of, module: 'guard', input: encode(of.input) })),
      },
      {
        weight: 3,
        arbitrary: fc
          .record({ boundary: boundaries, input: scopeInput })
          .map((of) => ({ ...of, module: 'scope', input: encode(of.input) })),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          boundary: boundaries,
          module: fc.constantFrom<DecisionModule>('authorization', 'guard', 'scope', 'arguments'),
          input: fc.oneof(brokenBytes, anyValue.map(encode)),
        }),
      },
    ),
    salt: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  })
  .map(({ made, salt }): SampleRequest => ({ ...(made as Made), salt }));

/** `count` requests; the same seed gives the same requests. */
export function sampleRequests(count: number, seed: number): SampleRequest[] {
  return fc.sample(requests, { numRuns: count, seed });
}
