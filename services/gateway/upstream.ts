// The port of outgoing HTTP and its one adapter: bounded in time and size, no redirects, no proxies.
import { Agent, request } from 'undici';
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonValue } from '../../runtime/json.ts';
import type { Canonicalizer } from '../common/http/json.ts';

export interface OutgoingRequest {
  method: string;
  url: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  body?: Uint8Array;
}

export interface OutgoingResponse {
  status: number;
  /** Lower case, without parameters. */
  contentType: string;
  body: Uint8Array;
}

export interface Outgoing {
  /** Rejects with `tool_unreachable`, `tool_timeout` or `tool_response_too_large`. */
  send(request: OutgoingRequest): Promise<OutgoingResponse>;
  close(): Promise<void>;
}

/**
 * Sends with undici through an agent of its own, so that neither a proxy of the environment nor a
 * global dispatcher comes between. A redirect is an answer like any other: it is never followed,
 * and so cannot carry a credential to another origin.
 */
export function undiciOutgoing(limits: { toolTimeoutMs: number; responseBytes: number }): Outgoing {
  const agent = new Agent({
    connect: { timeout: Math.min(10_000, limits.toolTimeoutMs) },
    headersTimeout: limits.toolTimeoutMs,
    bodyTimeout: limits.toolTimeoutMs,
    maxHeaderSize: 64 * 1024,
  });
  const ending = new AbortController();
  return {
    async send({ method, url, headers, body }) {
      const timeout = AbortSignal.timeout(limits.toolTimeoutMs);
      try {
        const response = await request(url, {
          method,
          headers: { 'user-agent': 'agent-runtime-platform', ...headers },
          body: body ?? null,
          dispatcher: agent,
          signal: AbortSignal.any([timeout, ending.signal]),
        });
        const contentType = String(response.headers['content-type'] ?? '');
        return {
          status: response.statusCode,
          contentType: (contentType.split(';')[0] ?? '').trim().toLowerCase(),
          body: await readBounded(response.body, limits.responseBytes),
        };
      } catch (error) {
        if (error instanceof PlatformError) throw error;
        // No cause: it can name headers, and one of them is the credential.
        if (timeout.aborted || isTimeout(error)) {
          const seconds = limits.toolTimeoutMs / 1000;
          throw new PlatformError('tool_timeout', `the tool did not answer within ${seconds} s`);
        }
        throw new PlatformError('tool_unreachable', `the tool cannot be reached${why(error)}`);
      }
    },
    async close() {
      ending.abort();
      await agent.destroy();
    },
  };
}

async function readBounded(
  body: AsyncIterable<Uint8Array> & { destroy(): unknown },
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      const message = `the tool answered more than ${bytesMax} bytes`;
      throw new PlatformError('tool_response_too_large', message);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

function isTimeout(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && code.endsWith('_TIMEOUT');
}

/** Only codes of the system and of undici, which are plain words. */
function why(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? `: ${code}` : '';
}

/**
 * What an agent gets to see of a response: JSON where it is JSON, else text; null when empty.
 * Throws `tool_response_invalid` for what no host could read alike, such as numbers that do not
 * survive binary64 or text that is not UTF-8.
 */
export function readResult(response: OutgoingResponse, record: Canonicalizer): JsonValue {
  if (response.body.byteLength === 0) return null;
  const { contentType } = response;
  const isJson = contentType === 'application/json' || contentType.endsWith('+json');
  try {
    if (isJson) return JSON.parse(new TextDecoder().decode(record.canonicalize(response.body)));
    return new TextDecoder('utf-8', { fatal: true }).decode(response.body);
  } catch (error) {
    const detail = error instanceof PlatformError ? error.code : 'not UTF-8 text';
    throw new PlatformError('tool_response_invalid', `the tool's answer is unreadable: ${detail}`);
  }
}
