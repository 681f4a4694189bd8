// Services whose bodies are read, requests to them as proxies carry them, and what Node decides for the same bytes.

import type { LoadedPair } from '../../bundle/pair.ts';
import { createLocalDecider, loadModules } from '../../decide/local.ts';
import type { JsonObject } from '../../json.ts';
import type { MeshRequest } from '../../mesh/message.ts';
import { decideRequest, type MeshJudgement } from '../../mesh/request.ts';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN } from '../../testing/sample-data.ts';
import type { Filter, FilterVerdict } from '../filter.ts';
import { peerProperties, samplePair, valuesOf } from './mesh.ts';

const schema = {
  type: 'object',
  required: ['path'],
  additionalProperties: false,
  properties: { path: { type: 'string' }, size: { type: 'integer' } },
};
const listed = (...names: string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, true]));

/** `files` speaks MCP, with schemas and a scan, `chat` A2A with a scan, and `plain` MCP without either. */
const services: JsonObject = {
  files: {
    agents: true,
    callers: { [SAMPLE_GATEWAY]: true },
    body: {
      protocol: 'mcp',
      methods: listed('initialize', 'tools/list', 'tools/call', 'prompts/get', 'resources/read'),
      paths: listed('POST /mcp', 'GET /mcp'),
      responses: true,
      arguments: true,
      scanners: ['Secrets', 'InvisibleText'],
      thresholds: { Secrets: 500 },
    },
  },
  chat: {
    agents: true,
    callers: {},
    body: {
      protocol: 'a2a',
      methods: listed('message/send', 'SendMessage', 'tasks/get'),
      paths: listed('POST /a2a', 'GET /.well-known/agent-card.json'),
      scanners: ['Secrets'],
    },
  },
  plain: {
    agents: true,
    callers: { [SAMPLE_GATEWAY]: true },
    body: { protocol: 'mcp', methods: listed('tools/call'), paths: listed('POST /mcp') },
  },
  vault: { agents: true, callers: { [SAMPLE_GATEWAY]: true } },
};

/** Members of a data bundle; sample agents have their grants of `files` by their numbers (sampleData). */
export const bodiesData: JsonObject = {
  services,
  tools: {
    files: { files_get: { action: 'read', schema }, files_put: { action: 'write', schema } },
  },
};

export const bodiesPair = (): Promise<LoadedPair> => samplePair(40, bodiesData);

/** The text of a JSON-RPC request. */
export const rpc = (method: string, params?: JsonObject, id: number | undefined = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params });

/** A call of a tool of `files`, which fits its schema unless the arguments say otherwise. */
export const toolCall = (name: string, args: JsonObject = { path: '/a' }): string =>
  rpc('tools/call', { name, arguments: args });

/** A POST of JSON; `more` headers come behind the ones that every request has. */
export function posted(
  path: string,
  body: string | Uint8Array,
  more: [string, string][] = [],
): MeshRequest {
  const headers: [string, string][] = [['content-type', 'application/json'], ...more];
  return { method: 'POST', target: path, headers, body: Buffer.from(body) };
}

export interface AskedWithBody {
  verdict: FilterVerdict;
  facts: ReadonlyMap<string, string>;
  /** Of the request; zeros where the filter decided before it showed one, and nothing was committed. */
  salt: Uint8Array;
}

/** Carries a request to a filter as a proxy does, its body in these parts. */
export function askWithBody(
  filter: Filter,
  peer: string,
  { method, target, headers, body }: MeshRequest,
  cuts: readonly number[] = [],
): AskedWithBody {
  const stream = filter.stream(peerProperties(peer));
  let verdict = stream.requestHeaders(
    [[':method', method], [':path', target], ...headers],
    body.length === 0 && cuts.length === 0,
  );
  let salt = Buffer.alloc(32);
  const ends = [...cuts.filter((cut) => cut <= body.length), body.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const [index, end] of ends.entries()) {
    if (verdict.kind !== 'wait') break;
    salt = Buffer.from(valuesOf(verdict.headers, 'x-platform-salt').join(), 'hex');
    verdict = stream.requestBody(body.subarray(from, end), index === ends.length - 1);
    from = end;
  }
  stream.end();
  return { verdict, facts: stream.facts(), salt };
}

/** Decides in Node what a filter decided, from its facts, the salt, and the request as it came. */
export function requestDecider(
  pair: LoadedPair,
  bytesMax?: number,
): (
  facts: (name: string) => string | undefined,
  salt: Uint8Array,
  request: MeshRequest,
) => MeshJudgement {
  const modules = loadModules();
  const parts = {
    decider: createLocalDecider({ current: () => pair }, modules),
    record: modules.record,
  };
  return (facts, salt, request) => {
    const fact = (name: string): string => {
      const value = facts(name);
      if (value === undefined) throw new Error(`the filter set no ${name}`);
      return value;
    };
    const of = {
      spiffeId: fact('spiffe_id'),
      trustDomain: SAMPLE_TRUST_DOMAIN,
      service: fact('service'),
      requestId: fact('request_id'),
      time: fact('time'),
    };
    return decideRequest(parts, { ...of, salt }, request, bytesMax);
  };
}
