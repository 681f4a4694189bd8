// A tool and the result of calling it, as the gateway has them on the wire and as agents use them.

import type { JsonObject, JsonValue } from '../../runtime/json.ts';

/** One top-level parameter of a tool. */
export interface ToolParameter {
  name: string;
  type: string;
  required: boolean;
  default?: JsonValue;
  description?: string;
}

/** A tool as the gateway lists it. */
export interface Tool {
  name: string;
  description: string;
  service: string;
  action: 'read' | 'write';
  /** Where it came from, such as `openapi`. */
  source: string;
  tool_type: string;
  tags: string[];
  parameters: ToolParameter[];
  /** JSON Schema 2020-12 that the arguments must fit. */
  schema: JsonObject;
  schema_digest: string;
}

/** A tool and how well it fits the words searched for. */
export interface SearchResult {
  tool: Tool;
  score: number;
}

/** Why a call gave no result; a denial names its `decision_id`, bad arguments their `violations`. */
export interface ToolError {
  code: string;
  message: string;
  /** HTTP status of the gateway's refusal, or of the tool's own answer. */
  status?: number;
  [more: string]: JsonValue | undefined;
}

/** A call that waits for a person. */
export interface PendingApproval {
  id: string;
  question: string;
  expires_at: string;
}

/** What a call gave: a result, or an error when `success` is false. */
export interface ToolResult {
  success: boolean;
  result: JsonValue;
  error: ToolError | null;
  /** Name to decision id, for the audit. */
  decisions: Record<string, string>;
  requestId: string;
  /** Set when nobody has answered yet; call again with its id. */
  approval?: PendingApproval;
}

/** The tool as OpenAI's function calling takes it. */
export function toOpenAiFormat(tool: Tool) {
  const { name, description, schema } = tool;
  return { type: 'function' as const, function: { name, description, parameters: schema } };
}

/** The tool as MCP's `tools/list` lists it. */
export function toMcpFormat(tool: Tool) {
  return { name: tool.name, description: tool.description, inputSchema: tool.schema };
}
