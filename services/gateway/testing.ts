// A whole gateway for tests: real modules and policies, evidence in memory, a real upstream over TCP.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { compilePolicies } from '../../runtime/bundle/compile.ts';
import { loadPair } from '../../runtime/bundle/load.ts';
import { POLICIES, writeSamplePair } from '../../runtime/bundle/testing.ts';
import type { Decider } from '../../runtime/decide/decide.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import { type MemoryEvidenceLog, memoryEvidenceLog } from '../../runtime/evidence/memory.ts';
import type { RowContent } from '../../runtime/evidence/row.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { sampleAgent, sampleData } from '../../runtime/testing/sample-data.ts';
import { createHttpServer, type HttpServer } from '../common/http/port.ts';
import { createGateway, type Gateway, type GatewayConfig } from './gateway.ts';

/** May read and write the service `orders`, and use its credential. */
export const AGENT = sampleAgent(0);
/** May only read `orders`: sampleData grants service n + 1 for reading. */
export const READER = sampleAgent(7);
/** May register tools, besides what sampleData grants it. */
export const REGISTRAR = sampleAgent(8);
export const SECRET = 'upstream-key-5f1d0c5a9b';

const operatorPolicy = `package platform.tool.operator

require_approval contains {"question": "May the agent refund an order?"} if {
	input.action == "call"
	input.resource.name == "orders_refund"
}

deny contains {"code": "never_on_sunday", "message": "not today", "controls": ["NIST:AC-3"]} if {
	input.action == "call"
	input.arguments.id == "sunday"
}
`;

const modules = loadModules();

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: JsonObject;
}

export interface TestGateway {
  gateway: Gateway;
  agents: HttpServer;
  control: HttpServer;
  upstream: Upstream;
  evidence: MemoryEvidenceLog;
  /** As an agent, through the proxy's header. */
  call(method: string, path: string, body?: JsonValue, options?: CallOptions): Promise<Answer>;
  execute(tool: string, args: JsonObject, options?: CallOptions): Promise<Answer>;
  /** As the operator, on the control socket. */
  operate(method: string, path: string, body?: JsonValue): Promise<Answer>;
  rows(): Promise<RowContent[]>;
  close(): Promise<void>;
}

export interface CallOptions {
  /** Null: no identity at all. */
  spiffeId?: string | null;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Starts everything; `change` replaces parts of the gateway's configuration. */
export async function startGateway(
  change: (config: GatewayConfig) => Partial<GatewayConfig> = () => ({}),
): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const upstream = await startUpstream();
  const evidence = await memoryEvidenceLog(modules.record);
  const base: GatewayConfig = {
    decider: await testDecider(),
    evidence: evidence.log,
    record: modules.record,
    schemas: modules.arguments,
    trustDomain: 'platform.local',
    credentials: { read: async () => SECRET },
    limits: { toolTimeoutMs: 1000, responseBytes: 64 * 1024 },
  };
  const gateway = await createGateway({ ...base, ...change(base) });
  const agents = createHttpServer({ routes: gateway.routes });
  const control = createHttpServer({ routes: gateway.controlRoutes });
  await agents.listen({ path: join(folder, 'agents.sock') });
  await control.listen({ path: join(folder, 'control.sock') });
  const [toAgents, toControl] = [clientOf(agents), clientOf(control)];
  const call: TestGateway['call'] = (method, path, body, options = {}) => {
    const { spiffeId = AGENT, headers = {}, signal } = options;
    const all = { ...headers };
    if (spiffeId !== null) all['x-platform-spiffe-id'] = spiffeId;
    return send(toAgents, method, path, body, all, signal);
  };
  return {
    gateway,
    agents,
    control,
    upstream,
    evidence,
    call,
    execute: (tool, args, options) =>
      call('POST', `/api/v1/tools/${tool}/execute`, { arguments: args }, options),
    operate: (method, path, body) => send(toControl, method, path, body, {}),
    rows: () => evidence.rows(),
    async close() {
      await Promise.all([toAgents.destroy(), toControl.destroy()]);
      await agents.close(100);
      await control.close(100);
      await gateway.close();
      await upstream.close();
      await evidence.log.close();
      rmSync(folder, { recursive: true });
    },
  };
}

let decider: Promise<Decider> | undefined;

/** The real decider over the repository's policies and one operator's. */
export function testDecider(): Promise<Decider> {
  decider ??= deciderOf(operatorPolicy, () => undefined);
  return decider;
}

/** The real decider over the repository's policies, an operator's and the sample data as `change` leaves it. */
export async function deciderOf(
  policy: string,
  change: (agents: { [spiffeId: string]: { resources: JsonObject } }) => void,
): Promise<Decider> {
  const folder = mkdtempSync(join(tmpdir(), 'pair-'));
  const operator = mkdtempSync(join(tmpdir(), 'operator-'));
  writeFileSync(join(operator, 'operator.rego'), policy);
  const policies = await compilePolicies([POLICIES, operator]);
  const data = sampleData(60);
  const agents = data.agents as { [spiffeId: string]: { resources: JsonObject } };
  const services = { orders: true, mail: true };
  agents[REGISTRAR]!.resources.catalog = { actions: { write: true }, services };
  change(agents);
  const { trusted } = await writeSamplePair(folder, { policies, data });
  const pair = await loadPair(folder, trusted);
  for (const path of [folder, operator]) rmSync(path, { recursive: true });
  return createLocalDecider({ current: () => pair }, modules);
}

/** The tools of the tests, all of the service `orders`, and one of a service nobody may use. */
export async function registerTestTools(test: TestGateway): Promise<void> {
  const string = { type: 'string' };
  const tool = (name: string, method: string, path: string, properties: JsonObject = {}) => ({
    name,
    description: `${name} of the test`,
    action: method === 'GET' ? 'read' : 'write',
    tags: [name, 'shop'],
    input_schema: { type: 'object', properties, additionalProperties: false },
    http: { method, path },
  });
  const simple = ['hang', 'stall', 'die', 'large', 'redirect', 'secret', 'invisible', 'fail'];
  const odd = ['bytes', 'badjson', 'bignumber', 'headers', 'empty', 'encoded', 'text'];
  const tools = [
    { ...tool('get', 'GET', '/orders/{id}', { id: string }) },
    {
      ...tool('create', 'POST', '/orders', {
        item: string,
        count: { type: 'integer', minimum: 1 },
      }),
    },
    { ...tool('refund', 'POST', '/refund', { id: string }) },
    ...[...simple, ...odd].map((name) => tool(name, 'GET', `/${name}`)),
  ];
  const common = { base_url: test.upstream.url };
  const credential = { name: 'orders-key', header: 'authorization', format: 'Bearer {value}' };
  const body = { ...common, prefix: 'orders', service: 'orders', credential, tools };
  const registered = await test.operate('POST', '/api/v1/tools/register', body as JsonValue);
  if (registered.status !== 201) throw new Error(JSON.stringify(registered.body));
  const other = { ...common, prefix: 'vault', service: 'vault', tools: [tools[0]!] };
  await test.operate('POST', '/api/v1/tools/register', other as JsonValue);
}

export interface Upstream {
  url: string;
  /** Every request that arrived. */
  seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  /** Called with each request, before it is answered. */
  onRequest: () => void | Promise<void>;
  close(): Promise<void>;
}

export async function startUpstream(port = 0): Promise<Upstream> {
  const upstream: Upstream = { url: '', seen: [], onRequest: () => undefined, close };
  const server: Server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url = '', headers } = incoming;
    upstream.seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    await upstream.onRequest();
    answer(incoming, response, upstream.seen.at(-1)!.body);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  upstream.url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  function close(): Promise<void> {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  }
  return upstream;
}

function answer(incoming: IncomingMessage, response: ServerResponse, body: string): void {
  const json = (value: unknown, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
  const plain = (text: string | Buffer) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(text);
  };
  const name = (incoming.url ?? '').split(/[/?]/)[1] ?? '';
  const secret = incoming.headers.authorization ?? '';
  const answers: { [name: string]: () => void } = {
    orders: () => json(body === '' ? { id: incoming.url, total: 12 } : JSON.parse(body)),
    refund: () => json({ refunded: true }),
    hang: () => undefined,
    stall: () => response.write('{"begun":'),
    die: () => incoming.socket.destroy(),
    large: () => json({ data: 'x'.repeat(200_000) }),
    redirect: () => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/steal' });
      response.end();
    },
    secret: () => plain(`the deploy key is ${['gh', 'p_', 'a1B2'.repeat(7), 'a13tNSQc'].join('')}`),
    invisible: () => plain('hello\u{e0041}\u{e0042}\u{e0043}'),
    fail: () => json({ error: 'no such order', token: secret }, 404),
    bytes: () => plain(Buffer.from([0xff, 0xfe, 0x00])),
    badjson: () => json('{"a":1,"a":2}'),
    bignumber: () => json('{"id":12345678901234567890}'),
    headers: () => json({ ...incoming.headers, [secret]: [secret, `x${secret}y`] }),
    empty: () => response.writeHead(204).end(),
    encoded: () => plain(Buffer.from(secret.replace('Bearer ', '')).toString('base64')),
    text: () => plain('just text'),
  };
  (answers[name] ?? (() => json({ error: 'unknown' }, 404)))();
}

function clientOf(server: HttpServer): Agent {
  return new Agent({ connect: { socketPath: (server.address() as { path: string }).path } });
}

async function send(
  dispatcher: Agent,
  method: string,
  path: string,
  body: JsonValue | undefined,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Answer> {
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await request(`http://gateway${path}`, {
    method: method as 'GET',
    headers: { ...content, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    dispatcher,
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.body.text();
  const parsed = text === '' ? {} : (JSON.parse(text) as JsonObject);
  return { status: response.statusCode, headers: response.headers, body: parsed };
}
