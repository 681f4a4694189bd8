// What a tool is, and the store of tools with its in-memory implementation.
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { CredentialUse } from './credentials.ts';

/** Tags by which an operator says that a tool takes secrets (a new password) or returns them (mail). */
export const takesSecrets = 'secrets:takes';
export const returnsSecrets = 'secrets:returns';
export const secretTags: readonly string[] = [takesSecrets, returnsSecrets];

/** No secret leaves or comes back but where the operator said that this is what the tool is for. */
export function scannersFor({ tags }: Tool, direction: 'input' | 'output'): string[] {
  if (direction === 'input') return [tags.includes(takesSecrets) ? 'InvisibleText' : 'Secrets'];
  return tags.includes(returnsSecrets) ? ['InvisibleText'] : ['InvisibleText', 'Secrets'];
}

/** A tool as agents see it. */
export interface Tool {
  name: string;
  description: string;
  /** What grants speak of; a tool belongs to one service. */
  service: string;
  /** Whether a call changes anything; policies grant the two apart. */
  action: 'read' | 'write';
  source: 'openapi' | 'schema';
  tool_type: 'function';
  tags: string[];
  parameters: ToolParameter[];
  /** JSON Schema 2020-12 of the arguments. */
  schema: JsonObject;
  /** `sha256:<hex>` of the schema's canonical form. */
  schema_digest: string;
  /** As an operator registered it; a tool without it cannot be called under a budget. */
  cost?: Cost;
}

/** What a call costs, in whole minor units (cents) of a currency. */
export type Cost = { currency: string; minor: number };

export interface ToolParameter {
  name: string;
  type: string;
  required: boolean;
  default?: JsonValue;
  description?: string;
}

/** Where an argument goes in the upstream request. */
export interface ParameterBinding {
  /** The argument's name. */
  name: string;
  /** The name on the wire. */
  wire: string;
  in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** OpenAPI's serialisation (Parameter Object, `style` and `explode`). */
  style?: string;
  explode?: boolean;
}

/** How a call becomes an HTTP request. */
export interface HttpBinding {
  /** Origin and path prefix, without a trailing slash. */
  baseUrl: string;
  method: string;
  /** With `{wire}` for path parameters. */
  path: string;
  /** Arguments that are not listed go to the body, or to the query where there is none. */
  parameters: ParameterBinding[];
  /** The argument that is the whole body, and its media type. */
  body?: { name?: string; contentType: string };
}

/** A tool with what only the gateway knows of it. */
export interface ToolRecord {
  tool: Tool;
  binding: HttpBinding;
  credential?: CredentialUse;
  /** SPIFFE ID of who registered it: an agent may only replace what it registered itself. */
  registeredBy: string;
}

/** Keeps tools by name. Implementations return copies. Failures are `database_unavailable`. */
export interface ToolStore {
  get(name: string): Promise<ToolRecord | undefined>;
  /** In the order of their names. */
  list(): Promise<ToolRecord[]>;
  /** Adds or replaces all of them, or none. */
  put(records: readonly ToolRecord[]): Promise<void>;
}

export class MemoryToolStore implements ToolStore {
  readonly #records = new Map<string, ToolRecord>();

  async get(name: string): Promise<ToolRecord | undefined> {
    const record = this.#records.get(name);
    return record === undefined ? undefined : structuredClone(record);
  }

  async list(): Promise<ToolRecord[]> {
    const names = [...this.#records.keys()].sort();
    return names.map((name) => structuredClone(this.#records.get(name)!));
  }

  async put(records: readonly ToolRecord[]): Promise<void> {
    for (const record of records) this.#records.set(record.tool.name, structuredClone(record));
  }
}

/** Scheme, host and port that calls of the tool go to. */
export function originOf({ binding }: ToolRecord): string {
  return new URL(binding.baseUrl).origin;
}

/** What policies learn of a tool. */
export function toolResource(tool: Tool): JsonObject {
  const { name, service, action, source, tags, cost } = tool;
  const resource = { kind: 'tool', name, service, action, source, tags: [...tags] };
  return cost === undefined ? resource : { ...resource, cost: { ...cost } };
}
