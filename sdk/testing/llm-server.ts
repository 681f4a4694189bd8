// A server for tests that speaks the wires of four providers of language models, on 127.0.0.1.
//
//     node sdk/testing/llm-server.ts        prints {"port":N} on one line and runs until stdin ends
//
// Clients are given these addresses:
//
//     OpenAI     base URL    http://127.0.0.1:N/openai/v1     chat/completions, responses, embeddings
//     Anthropic  base URL    http://127.0.0.1:N/anthropic     v1/messages
//     Google     base URL    http://127.0.0.1:N/google        v1/models/M:generateContent, …:streamGenerateContent (and v1beta)
//     Mistral    server URL  http://127.0.0.1:N/mistral       v1/chat/completions, v1/agents/…, v1/fim/…
//
// What a model says is told beforehand; a model that was told nothing says "Hello from MODEL.":
//
//     PUT /replies/MODEL   {"text" | "pieces":[…], "reasoning", "tools":[{"id","name","arguments","pieces":[…]}], "finish", "model",
//                           "usage":{"input":11,"output":7,"cached":0}, "status":200, "message", "headers":{…}, "delay_ms":0,
//                           "fail_after":{"events":N,"how":"event"|"cut"}}
//     GET /requests        [{"id","path","headers","body","model","events","ended"}…]: `events` counts what a stream has sent,
//                          `ended` is "open", "done", or "client" when the client closed the connection before the end
//     DELETE /requests     forgets requests and replies
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Reply, Wire } from './reply.ts';
import { readReply } from './reply.ts';
import { anthropicMessages } from './wire/anthropic.ts';
import { googleContent } from './wire/google.ts';
import { mistralChat } from './wire/mistral.ts';
import { openaiChat } from './wire/openai.ts';
import { openaiResponses } from './wire/responses.ts';

const WIRES: readonly [RegExp, Wire][] = [
  [/^\/openai\/(v1\/)?(deployments\/[^/]+\/)?chat\/completions$/, openaiChat],
  [/^\/openai\/(v1\/)?responses$/, openaiResponses],
  [/^\/anthropic\/v1\/messages$/, anthropicMessages],
  [/^\/google\/v1(beta)?\/models\/[^/:]+:(generateContent|streamGenerateContent)$/, googleContent],
  [/^\/mistral\/v1\/(chat|agents|fim)\/completions$/, mistralChat],
];
const BODY_BYTES_MAX = 16 << 20;

interface Seen {
  id: number;
  path: string;
  headers: Record<string, unknown>;
  body: Record<string, unknown>;
  model: string;
  events: number;
  ended: 'open' | 'done' | 'client';
}

let requests: Seen[] = [];
let replies = new Map<string, Reply>();
let lastId = 0;

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    if (!response.headersSent) send(response, 500, { error: String(error) });
    else response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
// The end of whoever started it is the end of the server.
process.stdin.on('end', () => process.exit(0)).resume();

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url!, 'http://localhost');
  const body = await readBody(request);
  if (pathname === '/requests') {
    if (request.method === 'DELETE') {
      requests = [];
      replies = new Map();
    }
    return send(response, 200, requests);
  }
  if (pathname.startsWith('/replies/')) {
    const model = decodeURIComponent(pathname.slice('/replies/'.length));
    replies.set(model, readReply(model, body));
    return send(response, 200, {});
  }
  const model = String(body.model ?? /models\/([^/:]+):/.exec(pathname)?.[1] ?? body.agent_id);
  lastId += 1;
  const seen: Seen = {
    id: lastId,
    path: request.url!,
    headers: request.headers,
    body,
    model,
    events: 0,
    ended: 'open',
  };
  requests.push(seen);
  response.on('close', () => {
    seen.ended = response.writableFinished ? 'done' : 'client';
  });
  if (pathname.endsWith('/embeddings')) return send(response, 200, embeddings(model));
  const wire = WIRES.find(([path]) => path.test(pathname))?.[1];
  if (wire === undefined)
    return send(response, 404, { error: { message: `no such path: ${pathname}` } });
  const reply = replies.get(model) ?? readReply(model);
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  if (reply.status !== 200) return send(response, reply.status, wire.error(reply));
  const streamed = body.stream === true || pathname.endsWith(':streamGenerateContent');
  if (!streamed) return send(response, 200, wire.whole(reply, lastId, body));
  return stream(response, wire, reply, seen);
}

async function stream(
  response: ServerResponse,
  wire: Wire,
  reply: Reply,
  seen: Seen,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  for (const { event, data } of wire.stream(reply, seen.id, seen.body)) {
    if (reply.delayMs > 0) await wait(reply.delayMs);
    if (response.destroyed) return;
    if (seen.events === reply.failAfter?.events) {
      if (reply.failAfter.how === 'cut') return void response.destroy();
      const broken = wire.broken(reply);
      response.write(sse(broken.event, broken.data));
      break;
    }
    response.write(sse(event, data));
    seen.events += 1;
  }
  if (wire.done !== undefined) response.write(`data: ${wire.done}\n\n`);
  response.end();
}

function sse(event: string | undefined, data: unknown): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function embeddings(model: string) {
  return {
    object: 'list',
    model,
    data: [{ object: 'embedding', index: 0, embedding: [0.5, -0.25] }],
    usage: { prompt_tokens: 3, total_tokens: 3 },
  };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return bytes === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as object as never);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const data = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(data),
  });
  response.end(data);
}
