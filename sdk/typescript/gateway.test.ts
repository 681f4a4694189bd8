// Tests of the gateway client against a server that speaks the gateway's wire, over a Unix socket and TCP.

import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  AuthenticationError,
  ConfigurationError,
  CredentialError,
  GatewayClient,
  PlatformError,
} from './index.ts';
import { toMcpFormat, toOpenAiFormat } from './tool.ts';

const tool = {
  name: 'echo',
  description: 'Says it again',
  service: 'demo',
  action: 'read',
  source: 'openapi',
  tool_type: 'function',
  tags: ['demo'],
  parameters: [{ name: 'text', type: 'string', required: true }],
  schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  schema_digest: `sha256:${'0'.repeat(64)}`,
};
const approval = { id: 'a1', question: 'Send it?', expires_at: '2026-11-21T00:00:00.000Z' };
const denial = {
  title: 'Policy does not allow this',
  status: 403,
  code: 'denied',
  detail: 'no grant',
  decision_id: 'd'.repeat(64),
};

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}
const seen: Seen[] = [];

/** What the gateway answers to each tool's call. */
function execute(name: string, request: Seen): [number, object] {
  const { arguments: args } = request.body as { arguments: object };
  const done = { request_id: 'r1', decisions: { authorization: 'd1' } };
  if (name === 'echo') return [200, { success: true, result: args, error: null, ...done }];
  if (name === 'broken') {
    const error = { code: 'tool_failed', message: 'status 500', status: 500 };
    return [200, { success: false, result: null, error, ...done }];
  }
  if (name === 'parked' && request.headers['x-platform-approval'] === 'a1') {
    return [200, { success: true, result: 'sent', error: null, ...done }];
  }
  if (name === 'parked') return [202, { approval, request_id: 'r2' }];
  if (name === 'misfit') {
    const violations = [{ pointer: '/text', keyword: 'type', message: 'not a string' }];
    return [422, { title: 'no', status: 422, code: 'arguments_invalid', violations }];
  }
  if (name === 'nobody') return [401, { title: 'no identity', code: 'unauthenticated' }];
  return [403, denial];
}

function answer(request: Seen): [number, object | string] {
  const path = request.url.split('?')[0]!;
  if (path === '/api/v1/tools') return [200, { tools: [tool] }];
  if (path === '/api/v1/tools/search') return [200, { results: [{ tool, score: 1 }] }];
  if (path === '/api/v1/tools/register') return [201, { tools: ['demo_a'], rejected: [] }];
  if (path === '/api/v1/tools/garbage') return [200, 'not json'];
  if (path === '/api/v1/tools/hidden') return [403, denial];
  if (path === '/api/v1/tools/huge') return [200, `"${'x'.repeat(17 * 1024 * 1024)}"`];
  if (path === '/api/v1/tools/a%2F..%2Fb') return [200, { ...tool, name: 'a/../b' }];
  const called = /^\/api\/v1\/tools\/([^/]+)\/execute$/.exec(path)?.[1];
  if (called !== undefined) return execute(called, request);
  return [404, { title: 'There is no such tool', code: 'tool_unknown' }];
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const { method = '', url = '', headers } = request;
  seen.push({ method, url, headers, body: text === '' ? undefined : JSON.parse(text) });
  if (url === '/api/v1/tools/silent') return;
  const [status, body] = answer(seen.at(-1)!);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
const socketPath = join(folder, 'gateway.sock');
const overSocket = createServer(handle);
const overTcp = createServer(handle);

test.before(async () => {
  await new Promise<void>((resolve) => overSocket.listen(socketPath, resolve));
  await new Promise<void>((resolve) => overTcp.listen(0, '127.0.0.1', resolve));
  process.env.PLATFORM_GATEWAY_URL = `unix:${socketPath}`;
});
test.after(() => {
  for (const server of [overSocket, overTcp]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true });
});

async function thrown(promise: Promise<unknown>): Promise<PlatformError> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, PlatformError);
    return error as PlatformError;
  }
  return assert.unreachable('nothing was thrown') as never;
}

test('tools are listed once, by tag, and again when asked', async () => {
  const client = new GatewayClient();
  const before = seen.length;
  assert.equal(await client.listTools(), [tool]);
  (await client.listTools())[0]!.name = 'changed by the caller';
  assert.equal(await client.listTools(), [tool]);
  assert.is(seen.length, before + 1);
  await client.listTools({ tags: ['b c', 'a'] });
  assert.is(seen.at(-1)!.url, '/api/v1/tools?tag=a&tag=b+c');
  await client.listTools({ refresh: true });
  assert.is(seen.length, before + 3);
  client.close();
});

test('the same client speaks TCP, with a path in front', async () => {
  const { port } = overTcp.address() as AddressInfo;
  const client = new GatewayClient({ baseUrl: `http://127.0.0.1:${port}/` });
  assert.equal(await client.searchTools('say it & more'), [{ tool, score: 1 }]);
  assert.is(seen.at(-1)!.url, '/api/v1/tools/search?q=say+it+%26+more');
  const below = new GatewayClient({ baseUrl: `http://127.0.0.1:${port}/below` });
  await thrown(below.listTools());
  assert.is(seen.at(-1)!.url, '/below/api/v1/tools');
  client.close();
  below.close();
});

test('a name cannot leave its place in the path', async () => {
  const client = new GatewayClient();
  assert.is((await client.getTool('a/../b')).name, 'a/../b');
  client.close();
});

test('a call returns its result with the decisions behind it', async () => {
  const client = new GatewayClient();
  assert.equal(await client.callTool('echo', { text: 'hi' }, { waitSeconds: 7 }), {
    success: true,
    result: { text: 'hi' },
    error: null,
    decisions: { authorization: 'd1' },
    requestId: 'r1',
  });
  const { method, headers, body } = seen.at(-1)!;
  assert.is(method, 'POST');
  assert.is(headers.prefer, 'wait=7');
  assert.is(headers['content-type'], 'application/json');
  assert.equal(body, { arguments: { text: 'hi' } });
  await client.callTool('echo');
  assert.is(seen.at(-1)!.headers.prefer, 'wait=55');
  client.close();
});

test('failures, denials and misfits are results with an error', async () => {
  const client = new GatewayClient();
  const broken = await client.callTool('broken');
  assert.equal([broken.success, broken.error?.code], [false, 'tool_failed']);
  const denied = await client.callTool('forbidden');
  assert.equal([denied.success, denied.error?.code, denied.error?.status], [false, 'denied', 403]);
  assert.is(denied.error?.decision_id, 'd'.repeat(64));
  assert.is(denied.error?.message, 'no grant');
  const misfit = await client.callTool('misfit');
  assert.is(misfit.error?.code, 'arguments_invalid');
  assert.equal(misfit.error?.violations, [
    { pointer: '/text', keyword: 'type', message: 'not a string' },
  ]);
  client.close();
});

test('a parked call names its approval and is repeated with it', async () => {
  const client = new GatewayClient();
  const parked = await client.callTool('parked');
  assert.equal([parked.success, parked.error?.code], [false, 'approval_required']);
  assert.equal(parked.approval, approval);
  const again = await client.callTool('parked', {}, { approval: parked.approval!.id });
  assert.equal([again.success, again.result], [true, 'sent']);
  client.close();
});

test('a call without an identity throws', async () => {
  const client = new GatewayClient();
  const error = await thrown(client.callTool('nobody'));
  assert.instance(error, AuthenticationError);
  assert.is(error.code, 'unauthenticated');
  client.close();
});

test('other requests throw by status, with the code and the decision', async () => {
  const client = new GatewayClient();
  assert.is((await thrown(client.getTool('missing'))).code, 'tool_unknown');
  const hidden = await thrown(client.getTool('hidden'));
  assert.instance(hidden, CredentialError);
  assert.is((hidden as CredentialError).decisionId, 'd'.repeat(64));
  client.close();
});

test('answers that are no JSON, too large or missing are errors of their own', async () => {
  const client = new GatewayClient({ timeoutMs: 300 });
  assert.is((await thrown(client.getTool('garbage'))).code, 'tool_response_invalid');
  assert.is((await thrown(client.getTool('silent'))).code, 'service_unavailable');
  client.close();
  const patient = new GatewayClient();
  assert.is((await thrown(patient.getTool('huge'))).code, 'tool_response_too_large');
  patient.close();
  const nowhere = new GatewayClient({ baseUrl: `unix:${join(folder, 'nowhere.sock')}` });
  assert.is((await thrown(nowhere.listTools())).code, 'service_unavailable');
});

test('a call in the shape of MCP', async () => {
  const client = new GatewayClient();
  assert.equal(await client.callToolMcp('echo', { text: 'hi' }, 'x1'), {
    jsonrpc: '2.0',
    id: 'x1',
    result: { content: [{ type: 'text', text: '{"text":"hi"}' }], isError: false },
  });
  assert.is((await client.callToolMcp('forbidden')).result.isError, true);
  client.close();
});

test('a document is registered, and the list is asked for anew', async () => {
  const client = new GatewayClient();
  await client.listTools();
  const options = { baseUrl: 'https://demo.example', prefix: 'demo', service: 'demo' };
  const spec = { openapi: '3.1.0', paths: {} };
  assert.equal(await client.registerOpenapi(spec, options), { tools: ['demo_a'], rejected: [] });
  assert.equal(seen.at(-1)!.body, {
    spec,
    base_url: 'https://demo.example',
    prefix: 'demo',
    service: 'demo',
  });
  const before = seen.length;
  await client.listTools();
  assert.is(seen.length, before + 1);
  client.close();
});

test('an address that is none is refused', () => {
  for (const baseUrl of ['', 'unix:relative', 'ftp://a', 'localhost:80', 'nonsense']) {
    process.env.PLATFORM_GATEWAY_URL = '';
    assert.throws(
      () => new GatewayClient({ baseUrl }),
      (error: unknown) => error instanceof ConfigurationError,
      baseUrl,
    );
  }
  process.env.PLATFORM_GATEWAY_URL = `unix:${socketPath}`;
});

test('a tool in the formats of others', () => {
  const own = { ...tool, action: 'read' as const };
  assert.equal(toOpenAiFormat(own), {
    type: 'function',
    function: { name: 'echo', description: 'Says it again', parameters: tool.schema },
  });
  assert.equal(toMcpFormat(own), {
    name: 'echo',
    description: 'Says it again',
    inputSchema: tool.schema,
  });
});

test.run();
