// Generated inputs of the mesh boundary: connections, and messages of MCP and A2A as the filter tells them to policy.
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../json.ts';
import { SAMPLE_GATEWAY, SAMPLE_OPERATOR, sampleAgent, sampleService } from '../sample-data.ts';
import { agentNumber, identity, moment, mostly } from './values.ts';

const peers = fc.oneof(
  { weight: 6, arbitrary: agentNumber.map(sampleAgent) },
  { weight: 1, arbitrary: fc.constantFrom(SAMPLE_GATEWAY, SAMPLE_OPERATOR) },
);
const nearMiss = fc.constantFrom(...Array<string>(9).fill(''), '/', 'x', '%2f');

function inputOf(action: string, peer: string, name: string, more: JsonObject = {}): JsonValue {
  return {
    action,
    identity: peer.includes('/agent/') ? identity(peer) : { ...identity(''), spiffe_id: peer },
    resource: { kind: 'service', name },
    context: moment,
    ...more,
  };
}

const connection = fc
  .record({
    ...{ peer: peers, nearMiss },
    name: fc.constantFrom(
      'gateway',
      'gateway',
      'vault',
      'vault',
      'vault',
      'vault',
      'vault',
      'billing',
    ),
    action: mostly('connect', ['listen']),
  })
  .map(({ peer, nearMiss, name, action }) => inputOf(action, peer + nearMiss, name));

const message = fc.record(
  {
    protocol: mostly('mcp', ['a2a', 'MCP']),
    kind: mostly('request', ['notification', 'response', 'empty']),
    bytes: fc.nat(1 << 20),
    method: mostly('tools/call', ['tools/list', 'initialize', 'message/send', '__proto__']),
    http_method: mostly('POST', ['GET', 'post']),
    path: mostly('/mcp', ['/', '/mcp/', '/MCP', '/mcp?a']),
  },
  { requiredKeys: ['protocol', 'kind', 'bytes', 'method', 'http_method', 'path'] },
);
const more = fc.record(
  {
    error: fc.constantFrom('input_too_large', 'request_malformed', ''),
    skill: fc.constantFrom('summarize', ''),
    prompt: fc.constantFrom('greeting', ''),
  },
  { requiredKeys: [] },
);

/** Messages to the services of `sampleServices`; agent n is granted service n. */
const call = fc
  .record({
    number: agentNumber,
    offset: mostly(0, [1, 2, 3]),
    nearMiss: mostly('', ['/', 'x']),
    message,
    more: mostly<JsonObject>({}, [{ error: 'x' }]).chain((none) =>
      fc.oneof({ weight: 9, arbitrary: fc.constant(none) }, { weight: 1, arbitrary: more }),
    ),
    tool: mostly('get', ['delete', 'drop']),
  })
  .map(({ number, offset, nearMiss, message, more, tool }) => {
    const name = sampleService(number + offset);
    const isCall = message.method === 'tools/call';
    const named = isCall ? { tool: `${name}_${tool}` } : {};
    const peer = sampleAgent(number) + nearMiss;
    return inputOf('call', peer, name, {
      message: { ...message, ...named, ...more } as JsonObject,
    });
  });

/** Inputs of the mesh boundary. */
export const meshInput: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 2, arbitrary: connection },
  { weight: 1, arbitrary: call },
);

/** Members of the data bundle under which some of the calls are allowed: services that read bodies, and their tools. */
export function sampleServices(services: JsonValue | undefined): JsonObject {
  const all: JsonObject = { ...(services as JsonObject) };
  const tools: JsonObject = {};
  for (let number = 0; number < 8; number++) {
    const name = sampleService(number);
    const schema = { type: 'object', properties: { id: { type: 'integer' } } };
    const get = { action: 'read', ...(number % 3 === 2 ? {} : { schema }) };
    tools[name] = { [`${name}_get`]: get, [`${name}_delete`]: { action: 'write', schema } };
    all[name] = {
      ...{ agents: true, callers: { [SAMPLE_GATEWAY]: true } },
      body: {
        ...{ protocol: 'mcp', methods: { 'tools/call': true, 'tools/list': true } },
        ...{ paths: { 'POST /mcp': true }, arguments: number % 2 === 0 },
        ...(number % 4 === 1 ? { scanners: ['Secrets', 'PII'], thresholds: { PII: 900 } } : {}),
      },
    };
  }
  return { services: all, tools };
}
