// Writes one argument in the styles of OpenAPI 3.1 section 4.8.12.3, always percent-encoded.

import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonPrimitive, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { ParameterBinding } from '../tools.ts';

/** The error for an argument that cannot be written where it belongs, with its JSON Pointer. */
export function invalidArgument(name: string, message: string): PlatformError {
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return new PlatformError('arguments_invalid', message, { data: { pointer } });
}

/** Percent-encodes all but the unreserved characters of RFC 3986 section 2.3. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** One primitive as text; lone surrogates and nested values are refused. */
function primitive(parameter: ParameterBinding, value: JsonValue): string {
  if (typeof value === 'object' && value !== null) {
    throw invalidArgument(parameter.name, 'a value within the value cannot be written here');
  }
  const text = String(value satisfies JsonPrimitive);
  if (!text.isWellFormed()) throw invalidArgument(parameter.name, 'it holds half a surrogate pair');
  return text;
}

/** Style `simple`: items with commas, members as `k,v` or, exploded, `k=v`. */
export function simpleValue(
  parameter: ParameterBinding,
  value: JsonValue,
  encode: (text: string) => string,
): string {
  if (parameter.style === 'json') return encode(JSON.stringify(value));
  const part = (item: JsonValue) => encode(primitive(parameter, item));
  if (Array.isArray(value)) return value.map(part).join(',');
  if (!isJsonObject(value)) return part(value);
  const sign = parameter.explode ? '=' : ',';
  return Object.entries(value)
    .map(([key, item]) => `${part(key)}${sign}${part(item)}`)
    .join(',');
}

/** A path value; never empty, since that would make another path. */
export function pathValue(parameter: ParameterBinding, value: JsonValue): string {
  const text = value === null ? '' : simpleValue(parameter, value, encodeText);
  if (text === '') throw invalidArgument(parameter.name, 'a part of the path may not be empty');
  return text;
}

/** The pairs of a query argument, each encoded; none for an empty array. */
export function queryPairs(parameter: ParameterBinding, value: JsonValue): string[] {
  const { style = 'form' } = parameter;
  const explode = parameter.explode ?? style === 'form';
  const name = encodeText(parameter.wire);
  const part = (item: JsonValue) => encodeText(primitive(parameter, item));
  if (style === 'json') return [`${name}=${encodeText(JSON.stringify(value))}`];
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    if (style === 'deepObject') throw invalidArgument(parameter.name, 'it is no object');
    if (explode) return value.map((item) => `${name}=${part(item)}`);
    return [`${name}=${value.map(part).join(delimiter(style))}`];
  }
  if (!isJsonObject(value)) return [`${name}=${part(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return [];
  if (style === 'deepObject') {
    return entries.map(([key, item]) => `${name}%5B${part(key)}%5D=${part(item)}`);
  }
  if (explode) return entries.map(([key, item]) => `${part(key)}=${part(item)}`);
  return [`${name}=${entries.map(([key, item]) => `${part(key)},${part(item)}`).join(',')}`];
}

/** What stands between the items of an array that is not exploded. */
function delimiter(style: string): string {
  if (style === 'spaceDelimited') return '%20';
  return style === 'pipeDelimited' ? '%7C' : ',';
}
