// The tool gateway: list, search, call and register tools under the agent's own identity.

import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { isJsonObject } from '../../runtime/json.ts';
import { ATTRIBUTE, SPAN } from '../../runtime/telemetry/names.ts';
import type { JsonAnswer } from './http.ts';
import { detailOf, errorOf, JsonClient } from './http.ts';
import { inSpan, traceHeaders } from './telemetry.ts';
import type { PendingApproval, SearchResult, Tool, ToolError, ToolResult } from './tool.ts';

export type {
  PendingApproval,
  SearchResult,
  Tool,
  ToolError,
  ToolParameter,
  ToolResult,
} from './tool.ts';
export { toMcpFormat, toOpenAiFormat } from './tool.ts';

const TIMEOUT_MS = 60_000;
/** How much sooner than the client the gateway gives up, so that its answer arrives. */
const MARGIN_MS = 5_000;

export interface GatewayOptions {
  /** `unix:/path` or an http URL; `PLATFORM_GATEWAY_URL` by default. */
  baseUrl?: string;
  /** 60 s by default. */
  timeoutMs?: number;
}

export interface CallOptions {
  /** How long a call that a person must allow may wait; by default a little less than the timeout. */
  waitSeconds?: number;
  /** The approval that an earlier call was told to wait for. */
  approval?: string;
}

export interface RegisterOptions {
  baseUrl: string;
  /** Begins every tool's name. */
  prefix: string;
  service?: string;
  /** The credential that the gateway adds to each request; agents never see it. */
  credential?: { name: string; header: string; format: string };
}

/** What became of an OpenAPI document. */
export interface Registered {
  tools: string[];
  rejected: { operation: string; code: string; message: string }[];
}

/** A client of one gateway; the default address is the agent's own proxy. */
export class GatewayClient {
  readonly #http: JsonClient;
  readonly #timeoutMs: number;
  readonly #listed = new Map<string, Tool[]>();

  /** Throws a ConfigurationError without an address, or for one that is none. */
  constructor(options: GatewayOptions = {}) {
    const baseUrl = options.baseUrl ?? process.env.PLATFORM_GATEWAY_URL;
    this.#http = new JsonClient(baseUrl, 'gateway');
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /**
   * The tools that the agent may see and that have every tag; kept until `refresh`. Throws a
   * CredentialError when policy refuses the list, and an AuthenticationError without an identity.
   */
  async listTools(options: { tags?: readonly string[]; refresh?: boolean } = {}): Promise<Tool[]> {
    const tags = [...(options.tags ?? [])].toSorted();
    const query = new URLSearchParams(tags.map((tag) => ['tag', tag])).toString();
    const known = options.refresh ? undefined : this.#listed.get(query);
    if (known !== undefined) return structuredClone(known);
    const { tools } = await this.#ask('GET', `/api/v1/tools${query && `?${query}`}`);
    this.#listed.set(query, tools as unknown as Tool[]);
    return structuredClone(tools as unknown as Tool[]);
  }

  /** One tool; throws a PlatformError `tool_unknown`, or a CredentialError when policy hides it. */
  async getTool(name: string): Promise<Tool> {
    const tool = await this.#ask('GET', `/api/v1/tools/${encodeURIComponent(name)}`);
    return tool as unknown as Tool;
  }

  /** The tools that fit the words, best first. */
  async searchTools(query: string): Promise<SearchResult[]> {
    const path = `/api/v1/tools/search?${new URLSearchParams({ q: query })}`;
    const { results } = await this.#ask('GET', path);
    return results as unknown as SearchResult[];
  }

  /**
   * Calls a tool. A denial, arguments that do not fit, a failing tool and a call that nobody has
   * allowed yet (`approval_required`) are results with `success` false; throws only without an
   * identity (AuthenticationError) or without an answer (PlatformError).
   */
  async callTool(
    name: string,
    args: JsonObject = {},
    options: CallOptions = {},
  ): Promise<ToolResult> {
    const waitMs =
      options.waitSeconds === undefined
        ? Math.max(0, this.#timeoutMs - MARGIN_MS)
        : options.waitSeconds * 1000;
    const headers: Record<string, string> = {
      ...traceHeaders(),
      prefer: `wait=${Math.floor(waitMs / 1000)}`,
    };
    if (options.approval !== undefined) headers['x-platform-approval'] = options.approval;
    return inSpan(SPAN.gatewayCall, { [ATTRIBUTE.toolName]: name }, async (span) => {
      const path = `/api/v1/tools/${encodeURIComponent(name)}/execute`;
      const timeoutMs = Math.max(this.#timeoutMs, waitMs + MARGIN_MS);
      const body = { arguments: args };
      const result = toResult(await this.#http.request('POST', path, { body, headers, timeoutMs }));
      span.set({ [ATTRIBUTE.status]: result.success ? 'ok' : 'error' });
      if (!result.success) span.fail(result.error?.code ?? 'error');
      return result;
    });
  }

  /** Calls a tool and answers in the shape of MCP's `tools/call` (JSON-RPC 2.0). */
  async callToolMcp(name: string, args: JsonObject = {}, id: string | number = 1) {
    const { success, result, error } = await this.callTool(name, args);
    const value = success ? result : error;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const content = [{ type: 'text' as const, text }];
    return { jsonrpc: '2.0' as const, id, result: { content, isError: !success } };
  }

  /** Registers the operations of an OpenAPI 3.0 or 3.1 document as tools. */
  async registerOpenapi(spec: JsonObject, options: RegisterOptions): Promise<Registered> {
    const { baseUrl, ...rest } = options;
    const body = { spec, base_url: baseUrl, ...rest } as JsonObject;
    const answer = await this.#ask('POST', '/api/v1/tools/register', body);
    this.#listed.clear();
    return { tools: answer.tools, rejected: answer.rejected } as unknown as Registered;
  }

  /** Closes idle connections. */
  close(): void {
    this.#http.close();
  }

  async #ask(method: string, path: string, body?: JsonValue): Promise<JsonObject> {
    const options = { headers: traceHeaders(), timeoutMs: this.#timeoutMs };
    return this.#http.ask(method, path, { ...options, body });
  }
}

function toResult({ status, body }: JsonAnswer): ToolResult {
  const requestId = typeof body.request_id === 'string' ? body.request_id : '';
  if (status === 200) {
    return {
      success: body.success === true,
      result: body.result ?? null,
      error: isJsonObject(body.error) ? (body.error as ToolError) : null,
      decisions: (body.decisions ?? {}) as Record<string, string>,
      requestId,
    };
  }
  if (status === 401) throw errorOf({ status, body });
  const failed = { success: false, result: null, decisions: {}, requestId };
  if (status === 202) {
    const error = { code: 'approval_required', message: 'a person has not answered yet', status };
    return { ...failed, error, approval: body.approval as unknown as PendingApproval };
  }
  const code = typeof body.code === 'string' ? body.code : 'internal';
  return { ...failed, error: { ...body, code, message: detailOf(body), status } };
}
