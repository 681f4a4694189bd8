// Carries one request to the service behind the proxy and its answer back, streaming both ways.
import { type Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PlatformError } from '../../runtime/errors.ts';

export interface Upstream {
  /** The Unix socket of the service. */
  socketPath: string;
  agent: Agent;
  /** Largest request body. */
  bodyBytes: number;
  /** How long the service may stay silent; longer than any call may be parked for an approval. */
  responseTimeoutMs: number;
}

// RFC 9110, section 7.6.1: they speak of one connection only.
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Forwards `incoming` with exactly `headers` and streams the answer into `outgoing`.
 * Throws `body_too_large`, `request_malformed` or `service_unavailable` while nothing has been
 * answered yet; after that a failure cuts the connection, which no reader takes for a whole answer.
 */
export async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  headers: Record<string, string>,
  upstream: Upstream,
): Promise<void> {
  const framing = framingOf(incoming, upstream.bodyBytes);
  const call = request({
    socketPath: upstream.socketPath,
    agent: upstream.agent,
    method: incoming.method,
    path: incoming.url,
    headers: { ...headers, ...framing, host: 'service' },
    timeout: upstream.responseTimeoutMs,
    setDefaultHeaders: false,
  });
  call.on('timeout', () => call.destroy(unavailable('the service did not answer in time')));
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) call.destroy();
  });
  const answered = answerOf(call);
  try {
    const [answer] = await Promise.all([answered, send(incoming, call, upstream.bodyBytes)]);
    outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    await pipeline(answer, outgoing);
  } catch (error) {
    call.destroy();
    answered.catch(() => {}); // the first of the two failures is the one to report
    if (outgoing.headersSent) outgoing.destroy();
    else throw error instanceof PlatformError ? error : unavailable('no answer', error);
  }
}

/** How the body is framed on the way in, kept the same on the way on; Node refuses both at once. */
function framingOf(incoming: IncomingMessage, bytesMax: number): Record<string, string> {
  const length = incoming.headers['content-length'];
  const encoding = incoming.headers['transfer-encoding'];
  if (encoding !== undefined) {
    if (encoding !== 'chunked') {
      throw new PlatformError('request_malformed', 'transfer-encoding other than chunked');
    }
    return { 'transfer-encoding': 'chunked' };
  }
  if (length === undefined) return {};
  if (Number(length) > bytesMax) throw tooLarge(bytesMax);
  return { 'content-length': length };
}

async function send(
  incoming: IncomingMessage,
  call: NodeJS.WritableStream & { end(): void },
  bytesMax: number,
): Promise<void> {
  if (incoming.headers['content-length'] === undefined && !isChunked(incoming)) {
    call.end();
    return;
  }
  let bytes = 0;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(tooLarge(bytesMax));
      else done(null, chunk);
    },
  });
  await pipeline(incoming, bounded, call);
}

function isChunked(incoming: IncomingMessage): boolean {
  return incoming.headers['transfer-encoding'] !== undefined;
}

function answerOf(call: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    call.once('response', resolve);
    call.on('error', reject);
  });
}

function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''];
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function tooLarge(bytesMax: number): PlatformError {
  return new PlatformError('body_too_large', `the body is over ${bytesMax} bytes`);
}

function unavailable(why: string, cause?: unknown): PlatformError {
  return new PlatformError('service_unavailable', `the service cannot be reached: ${why}`, {
    cause,
    hint: 'nothing is known to have happened; see the evidence before trying again',
  });
}
