// HTTP/1.1 with JSON bodies to the agent's proxy, over a Unix socket or TCP, bounded in time and size.

import { Agent, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { ErrorCode } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { isJsonObject } from '../../runtime/json.ts';
import {
  AuthenticationError,
  ConfigurationError,
  CredentialError,
  InputError,
  PlatformError,
} from './errors.ts';

const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
/** Shorter than servers keep an idle connection, so that a call is not sent into one that closes. */
const IDLE_MS = 2000;

export interface JsonAnswer {
  status: number;
  /** Empty when the answer was no JSON object. */
  body: JsonObject;
}

interface Address {
  socketPath?: string;
  protocol?: string;
  hostname?: string;
  port?: string;
  prefix: string;
}

/** Reads `unix:/path`, `http://host:port/prefix` or the same with https; throws a ConfigurationError. */
function readAddress(baseUrl: string, service: string): Address {
  if (baseUrl.startsWith('unix:/')) {
    return { socketPath: baseUrl.slice('unix:'.length), prefix: '' };
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new ConfigurationError(`the ${service} is unix:/path, http://host or https://host`);
  }
  const { protocol, port, pathname } = url;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  return { protocol, hostname, port, prefix: pathname.replace(/\/+$/, '') };
}

/** One base address; connections are kept while they are fresh. A request is never sent twice. */
export class JsonClient {
  readonly #address: Address;
  readonly #agent: Agent;
  readonly #isTls: boolean;
  readonly #service: string;

  /** Throws a ConfigurationError without an address, or for one that is none. */
  constructor(baseUrl: string | undefined, service: 'gateway' | 'vault') {
    if (!baseUrl) {
      throw new ConfigurationError(`there is no ${service}`, {
        hint: `run the agent with \`platform run\`, or set PLATFORM_${service.toUpperCase()}_URL`,
      });
    }
    this.#service = service;
    this.#address = readAddress(baseUrl, service);
    this.#isTls = this.#address.protocol === 'https:';
    const options = { keepAlive: true, timeout: IDLE_MS };
    this.#agent = this.#isTls ? new TlsAgent(options) : new Agent(options);
  }

  /**
   * Sends one request; resolves with any answer. Rejects with `service_unavailable` when there is none
   * within `timeoutMs`, and `tool_response_invalid` or `tool_response_too_large` for one that is not
   * JSON or over 16 MiB.
   */
  async request(
    method: string,
    path: string,
    { body, headers = {}, timeoutMs }: RequestOptions,
  ): Promise<JsonAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { prefix, ...target } = this.#address;
    const send = this.#isTls ? requestHttps : requestHttp;
    const signal = AbortSignal.timeout(timeoutMs);
    return new Promise((resolve, reject) => {
      const unavailable = (cause: unknown) => {
        const message = signal.aborted
          ? `the ${this.#service} did not answer within ${timeoutMs / 1000} s`
          : `the ${this.#service} cannot be reached`;
        reject(new PlatformError('service_unavailable', message, { cause }));
      };
      const request = send({
        ...target,
        method,
        path: prefix + path,
        agent: this.#agent,
        signal,
        headers: {
          accept: 'application/json',
          // A socket has no name, and the proxy behind it may tell its services apart by theirs.
          ...(target.socketPath === undefined ? {} : { host: `${this.#service}.platform-system` }),
          ...headers,
          ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        },
      });
      request.on('error', unavailable);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('error', unavailable);
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= RESPONSE_BYTES_MAX) return;
          reject(new PlatformError('tool_response_too_large', 'the answer is over 16 MiB'));
          response.destroy();
        });
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          resolve(readBody(Buffer.concat(chunks)).then((value) => ({ status, body: value })));
        });
      });
      request.end(text);
    });
  }

  /** As `request`; resolves with the body of a success, and rejects with the exception of a refusal. */
  async ask(method: string, path: string, options: RequestOptions): Promise<JsonObject> {
    const answer = await this.request(method, path, options);
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw errorOf(answer);
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }
}

export interface RequestOptions {
  body?: JsonValue;
  headers?: Record<string, string>;
  timeoutMs: number;
}

async function readBody(bytes: Buffer): Promise<JsonObject> {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new PlatformError('tool_response_invalid', 'the answer is not JSON', { cause });
  }
  return isJsonObject(value) ? value : {};
}

/** The exception of a refusal: by status, with the wire's code and facts. */
export function errorOf({ status, body }: JsonAnswer): PlatformError {
  const code = (typeof body.code === 'string' ? body.code : 'internal') as ErrorCode;
  const detail = { data: { ...body, status } };
  const message = detailOf(body);
  if (status === 401) return new AuthenticationError(code, message, detail);
  if (status === 403) return new CredentialError(code, message, detail);
  if ([400, 413, 422].includes(status)) return new InputError(code, message, detail);
  return new PlatformError(code, message, detail);
}

/** What a problem document says to people. */
export function detailOf(body: JsonObject): string {
  for (const text of [body.detail, body.title]) if (typeof text === 'string') return text;
  return 'the platform refused';
}
