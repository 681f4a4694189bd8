// OPA's wire: bodies of answers and of errors, as its REST API documents them.
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonValue } from '../../runtime/json.ts';
import type { HttpRequest, HttpResponse } from '../common/http/port.ts';
import { problemOf } from '../common/problem.ts';
import { parseExactly } from './json-text.ts';

const JSON_TYPE = 'application/json';

/**
 * True for `?name`, `?name=` and `?name=true`, as OPA reads its parameters
 * (v1/server/server.go, getBoolParam).
 */
export function flag(request: HttpRequest, name: string): boolean {
  const values = request.query.getAll(name);
  if (values.length === 1 && values[0] === '') return true;
  return values.some((value) => value.toLowerCase() === 'true');
}

/** Members of JSON text, in order; undefined ones are left out. */
export function objectText(members: Record<string, string | undefined>): string {
  const present = Object.entries(members).filter(([, text]) => text !== undefined);
  return `{${present.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** A body of JSON text, indented where the request says `pretty`. */
export function textResponse(request: HttpRequest, text: string, status = 200): HttpResponse {
  const body = flag(request, 'pretty') ? JSON.stringify(parseExactly(text), null, 2) : text;
  return { status, headers: { 'content-type': JSON_TYPE }, body: `${body}\n` };
}

/** The same for a value. */
export function valueResponse(request: HttpRequest, value: JsonValue, status = 200): HttpResponse {
  return textResponse(request, JSON.stringify(value), status);
}

/** OPA's error codes by ours; a family is named by the first word of its codes. */
const opaCodes: Record<string, string> = {
  document_undefined: 'undefined_document',
  policy_unknown: 'resource_not_found',
  policy_read_only: 'invalid_operation',
  unauthenticated: 'unauthorized',
  denied: 'unauthorized',
  input: 'invalid_parameter',
};

/** `{code, message, errors}`; what was not thrown on purpose says nothing of itself. */
export function errorResponse(error: unknown): HttpResponse {
  const code = codeOf(error);
  const family = code.slice(0, code.indexOf('_'));
  // A body that is too large is an invalid parameter to OPA as well.
  const status = family === 'input' ? 400 : problemOf(code)[0];
  const known = error instanceof PlatformError ? error : undefined;
  const body = {
    code: opaCodes[code] ?? opaCodes[family] ?? 'internal_error',
    message: messageOf(known),
    errors: known?.data.errors,
  };
  const headers: Record<string, string> = { 'content-type': JSON_TYPE };
  if (code === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  if (code === 'policy_read_only') headers.allow = 'GET';
  return { status, headers, body: `${JSON.stringify(body, null, 2)}\n` };
}

function messageOf(error: PlatformError | undefined): string {
  if (error === undefined) return 'something unexpected failed';
  return error.hint === undefined ? error.message : `${error.message}: ${error.hint}`;
}
