// Reads the body of a registration: an OpenAPI document, or tools with their JSON Schemas.
import { PlatformError } from '../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';
import type { Identity } from '../common/caller.ts';
import type { CredentialUse } from './credentials.ts';
import type { Described } from './judge.ts';
import { checkBaseUrl } from './openapi/base-url.ts';
import { isHeaderName } from './openapi/headers.ts';
import { importOpenApi } from './openapi/import.ts';
import type { Parts } from './parts.ts';
import type { Rejection } from './register.ts';
import {
  type Cost,
  type HttpBinding,
  secretTags,
  type Tool,
  type ToolParameter,
  type ToolRecord,
} from './tools.ts';

type Reading = Pick<Parts, 'record' | 'schemas' | 'limits'>;

export interface Registration {
  /** What the decision reads of it; counts the tools that can be registered. */
  described: Described;
  records: ToolRecord[];
  rejected: Rejection[];
}

interface Common {
  baseUrl: string;
  prefix: string;
  service: string;
  credential: CredentialUse | undefined;
  cost: Cost | undefined;
  registeredBy: string;
  byOperator: boolean;
}

/** Throws `input_invalid`, `openapi_invalid` or `configuration_invalid` for the body as a whole. */
export function readRegistration(
  parts: Reading,
  identity: Identity,
  body: JsonObject,
): Registration {
  const prefix = text(body, 'prefix', '');
  const common: Common = {
    baseUrl: checkBaseUrl(text(body, 'base_url')),
    prefix,
    service: serviceName(text(body, 'service', prefix)),
    credential: readCredential(body.credential),
    cost: readCost(body.cost, { byOperator: identity.agent === '' }),
    registeredBy: identity.spiffe_id,
    byOperator: identity.agent === '',
  };
  // Whoever chooses both the address and the credential can have the credential sent anywhere.
  if (common.credential !== undefined && !common.byOperator) {
    throw invalid('only an operator may register tools that use a credential');
  }
  const kept =
    body.spec !== undefined
      ? fromOpenApi(parts, body.spec, common)
      : fromSchemas(parts, body.tools, common);
  const { origin } = new URL(common.baseUrl);
  const source = body.spec !== undefined ? 'openapi' : 'schema';
  const { service } = common;
  return { ...kept, described: { service, source, origin, tools: kept.records.length } };
}

type Kept = Omit<Registration, 'described'>;

function fromOpenApi(parts: Reading, spec: JsonValue, common: Common): Kept {
  const { tools, rejected } = importOpenApi(spec, { ...common });
  const registration: Kept = { records: [], rejected: rejected.map((one) => ({ ...one })) };
  for (const { binding, ...tool } of tools) {
    keep(registration, tool.name, () =>
      toRecord(parts, { ...tool, source: 'openapi' }, binding, common),
    );
  }
  return registration;
}

function fromSchemas(parts: Reading, tools: JsonValue | undefined, common: Common): Kept {
  if (!Array.isArray(tools)) throw invalid('give `spec` (an OpenAPI document) or `tools`');
  const registration: Kept = { records: [], rejected: [] };
  if (tools.length > parts.limits.tools) throw invalid('too many tools');
  for (const [index, entry] of tools.entries()) {
    const label = isJsonObject(entry) && typeof entry.name === 'string' ? entry.name : `#${index}`;
    keep(registration, label, () => fromSchema(parts, entry, common));
  }
  return registration;
}

function keep(registration: Kept, operation: string, read: () => ToolRecord): void {
  try {
    registration.records.push(read());
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { keyword, pointer } = error.data;
    registration.rejected.push({
      operation: operation.slice(0, 256),
      code: error.code,
      message: error.message,
      ...(typeof keyword === 'string' ? { keyword } : {}),
      ...(typeof pointer === 'string' ? { pointer } : {}),
    });
  }
}

function fromSchema(parts: Reading, entry: JsonValue, common: Common): ToolRecord {
  if (!isJsonObject(entry)) throw invalid('a tool is not an object');
  const { http, input_schema: schema, action, tags = [] } = entry;
  if (!isJsonObject(http)) throw invalid('a tool needs `http` with `method` and `path`');
  if (!isJsonObject(schema)) throw invalid('a tool needs `input_schema`, a JSON Schema object');
  if (action !== 'read' && action !== 'write') throw invalid('`action` is `read` or `write`');
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string') || tags.length > 32) {
    throw invalid('`tags` is a list of at most 32 strings');
  }
  const prefix = common.prefix === '' ? '' : `${common.prefix}_`;
  const name = `${prefix}${text(entry, 'name')}`;
  const description = text(entry, 'description', '');
  const binding = bindingOf(http, common.baseUrl);
  const { service } = common;
  const tool = { name, description, service, tags: tags as string[], schema };
  const cost = readCost(entry.cost, common) ?? common.cost;
  return toRecord(parts, { ...tool, action, source: 'schema' }, binding, { ...common, cost });
}

function toRecord(
  parts: Reading,
  tool: Pick<Tool, 'name' | 'description' | 'service' | 'action' | 'tags' | 'schema' | 'source'>,
  binding: HttpBinding,
  { credential, cost, registeredBy, byOperator }: Common,
): ToolRecord {
  requireName(tool.name);
  if (!byOperator && tool.tags.some((tag) => secretTags.includes(tag))) {
    throw invalid('only an operator may register tools that take or return secrets');
  }
  const canonical = parts.record.canonicalizeValue(tool.schema);
  if (canonical.byteLength > parts.limits.schemaBytes) {
    throw new PlatformError('schema_too_large', `over ${parts.limits.schemaBytes} bytes`);
  }
  parts.schemas.register(canonical);
  const digest = Buffer.from(parts.record.sha256(canonical)).toString('hex');
  const full: Tool = {
    ...tool,
    // Documents over the record module's limit were read by the host's parser alone.
    description: tool.description.toWellFormed(),
    tags: tool.tags.map((tag) => tag.toWellFormed()),
    tool_type: 'function',
    parameters: parametersOf(tool.schema),
    schema_digest: `sha256:${digest}`,
    ...(cost === undefined ? {} : { cost }),
  };
  return { tool: full, binding, registeredBy, ...(credential === undefined ? {} : { credential }) };
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']);

/** Arguments named in the path go there; the others into the JSON body, or the query without one. */
function bindingOf(http: JsonObject, baseUrl: string): HttpBinding {
  const method = text(http, 'method').toUpperCase();
  const path = text(http, 'path');
  if (!methods.has(method)) throw invalid('`http.method` is not one that tools use');
  if (!/^\/[A-Za-z0-9_.~\-/{}:@!$&'()*+,;=%]*$/.test(path) || path.split('/').includes('..')) {
    throw invalid('`http.path` begins with a slash and has neither query nor fragment');
  }
  const named = new Set([...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]!));
  if (path.replace(/\{[^{}]+\}/g, '').match(/[{}]/)) throw invalid('`http.path` has a stray brace');
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  // Unlisted arguments go into the body, where there is one, otherwise into the query.
  return {
    baseUrl,
    method,
    path,
    parameters: [...named].map((name) => ({ name, wire: name, in: 'path' })),
    ...(hasBody ? { body: { contentType: 'application/json' } } : {}),
  };
}

function parametersOf(schema: JsonObject): ToolParameter[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, property]) => {
    const facts = isJsonObject(property) ? property : {};
    const { type, description, default: fallback } = facts;
    return {
      name,
      type: typeof type === 'string' ? type : Array.isArray(type) ? type.join('|') : 'any',
      required: required.includes(name),
      ...(fallback === undefined ? {} : { default: fallback }),
      ...(typeof description === 'string' ? { description } : {}),
    };
  });
}

function readCredential(value: JsonValue | undefined): CredentialUse | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw invalid('`credential` is an object');
  const name = text(value, 'name');
  const header = text(value, 'header', 'authorization').toLowerCase();
  const format = text(value, 'format', 'Bearer {value}');
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(name)) throw invalid('`credential.name`');
  if (!isHeaderName(header) || forbiddenHeaders.has(header) || header.startsWith('x-platform-')) {
    throw invalid('`credential.header` cannot carry a credential');
  }
  if (!/^[ -~]*\{value\}[ -~]*$/.test(format)) throw invalid('`credential.format` holds `{value}`');
  return { name, header, format };
}

/** Whoever says what a call costs decides how far a budget reaches. */
function readCost(
  value: JsonValue | undefined,
  { byOperator }: Pick<Common, 'byOperator'>,
): Cost | undefined {
  if (value === undefined || value === null) return undefined;
  if (!byOperator) throw invalid('only an operator says what a call costs');
  const { currency, minor } = isJsonObject(value) ? value : {};
  const isCurrency = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  if (!isCurrency || !Number.isSafeInteger(minor) || !((minor as number) >= 0)) {
    throw invalid('`cost` is `{"currency": "EUR", "minor": 250}`, in whole minor units');
  }
  return { currency, minor: minor as number };
}

/** Headers that decide where a message ends or goes. */
const forbiddenHeaders = new Set([
  ...['connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade'],
]);

/** Paths of the gateway's own; a tool of this name could not be asked for. */
const reservedNames = new Set(['search', 'register']);

function requireName(name: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(name) || reservedNames.has(name)) {
    throw invalid(`a tool cannot be named ${JSON.stringify(name.slice(0, 64))}`);
  }
}

function serviceName(service: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(service)) {
    throw invalid('`service` (or `prefix`) names the service in letters, digits, `_`, `.`, `-`');
  }
  // Grants of this name are about the catalog itself.
  if (service === 'catalog') throw invalid('no service may be named `catalog`');
  return service;
}

function text(object: JsonObject, name: string, fallback?: string): string {
  const value = object[name] ?? fallback;
  if (typeof value !== 'string') throw invalid(`\`${name}\` is not a string`);
  return value;
}

function invalid(message: string): PlatformError {
  return new PlatformError('input_invalid', message);
}
