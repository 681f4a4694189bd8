// Writes a tool call as an HTTP request: arguments become path, query, headers and body, and nothing else.

import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { HttpBinding, ParameterBinding } from '../tools.ts';
import { isHeaderName, isHeaderValue, isReservedHeader } from './headers.ts';
import { invalidArgument, pathValue, queryPairs, simpleValue } from './serialize.ts';

const URL_LENGTH_MAX = 16 * 1024;

/** A request ready to send, but for the credential. */
export interface ToolRequest {
  method: string;
  /** Percent-encoded, with the base URL's path in front. */
  path: string;
  /** Percent-encoded, without the question mark; may be empty. */
  query: string;
  /** Base URL, path and query in one. */
  url: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** UTF-8 JSON. */
  body?: Uint8Array;
}

/**
 * The request of one tool call. The arguments must have passed the tool's schema; even when they have
 * not, no value leaves its place: a path value stays within its segment and is never a dot segment, a
 * query value within its pair, a header value within its line. Throws `arguments_invalid` for a value
 * that cannot be written in its place, with the argument's JSON Pointer.
 */
export function httpRequestFor(tool: { binding: HttpBinding }, args: JsonObject): ToolRequest {
  const { method, baseUrl, parameters, body } = tool.binding;
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
  const query: string[] = [];
  const values = new Map<string, string>();
  const members = new Map(Object.entries(args));
  const bodyMembers: [string, JsonValue][] = [];
  for (const parameter of parameters) {
    const value = members.get(parameter.name) ?? null;
    members.delete(parameter.name);
    if (parameter.in === 'path') values.set(parameter.wire, pathValue(parameter, value));
    else if (value === null) continue;
    else if (parameter.in === 'query') {
      refuseDisguise(parameter, value, parameters);
      query.push(...queryPairs(parameter, value));
    } else if (parameter.in === 'header') setHeader(headers, parameter, value);
    else if (parameter.in === 'body') bodyMembers.push([parameter.wire, value]);
    else throw invalidArgument(parameter.name, 'agents send no cookies');
  }
  const path = new URL(baseUrl).pathname.replace(/\/+$/, '') + fillPath(tool.binding.path, values);
  const bytes = writeBody(body, method, members, bodyMembers, query);
  if (bytes !== undefined) headers['content-type'] = body?.contentType ?? 'application/json';
  const joined = query.join('&');
  const url = `${new URL(baseUrl).origin}${path}${joined === '' ? '' : `?${joined}`}`;
  if (url.length > URL_LENGTH_MAX) {
    throw new PlatformError('arguments_invalid', `the URL is over ${URL_LENGTH_MAX} characters`);
  }
  return { method, path, query: joined, url, headers, ...(bytes ? { body: bytes } : {}) };
}

/** Members of an exploded object stand in the query by their own names; none may pass for a parameter. */
function refuseDisguise(
  parameter: ParameterBinding,
  value: JsonValue,
  parameters: readonly ParameterBinding[],
): void {
  if (!isJsonObject(value) || parameter.explode === false) return;
  if ((parameter.style ?? 'form') !== 'form') return;
  for (const key of Object.keys(value)) {
    if (parameters.some((other) => other.in === 'query' && other.wire === key)) {
      throw invalidArgument(parameter.name, 'a member has the name of another parameter');
    }
  }
}

function setHeader(
  headers: Record<string, string>,
  parameter: ParameterBinding,
  value: JsonValue,
): void {
  const text = simpleValue(parameter, value, (part) => part);
  if (!isHeaderName(parameter.wire) || isReservedHeader(parameter.wire)) {
    throw invalidArgument(parameter.name, 'agents may not set this header');
  }
  if (!isHeaderValue(text)) {
    throw invalidArgument(parameter.name, 'a header holds visible ASCII and inner spaces only');
  }
  headers[parameter.wire.toLowerCase()] = text;
}

/** Puts the encoded values into the template; each segment is checked as a server would read it. */
function fillPath(template: string, values: ReadonlyMap<string, string>): string {
  const path = template.replace(/\{([^{}/?#]*)\}/g, (_, wire: string) => {
    const value = values.get(wire);
    if (value === undefined) throw new PlatformError('internal', `the path has no ${wire}`);
    return value;
  });
  for (const segment of path.split('/')) {
    if (/^(\.|%2e){1,2}$/i.test(segment)) {
      throw new PlatformError('arguments_invalid', 'an argument makes a dot segment of the path');
    }
  }
  return path;
}

/** The body: one argument, or the members that no parameter took; without a body they go to the query. */
function writeBody(
  body: HttpBinding['body'],
  method: string,
  rest: Map<string, JsonValue>,
  bodyMembers: [string, JsonValue][],
  query: string[],
): Uint8Array | undefined {
  const encode = (value: JsonValue) => new TextEncoder().encode(JSON.stringify(value));
  if (body?.name !== undefined) {
    const value = rest.get(body.name);
    rest.delete(body.name);
    refuseRest(rest);
    return value === undefined ? undefined : encode(value);
  }
  if (body === undefined && bodyMembers.length === 0) {
    for (const [name, value] of rest) {
      if (value === null) continue;
      const binding = { name, wire: name, in: 'query', style: 'form', explode: true } as const;
      query.push(...queryPairs(binding, value));
    }
    return undefined;
  }
  const members = [...bodyMembers, ...rest];
  const expected = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return members.length > 0 || expected ? encode(Object.fromEntries(members)) : undefined;
}

function refuseRest(rest: ReadonlyMap<string, JsonValue>): void {
  for (const name of rest.keys()) throw invalidArgument(name, 'the tool has no such argument');
}
