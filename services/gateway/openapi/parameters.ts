// Reads the parameters of an operation and says where each argument goes in the request.

import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { ParameterBinding } from '../tools.ts';
import type { OpenApiDocument } from './document.ts';
import {
  dereference,
  invalid,
  listMember,
  member,
  objectMember,
  stringMember,
  unsupported,
} from './document.ts';
import { isHeaderName, isReservedHeader } from './headers.ts';
import { reservedName } from './schema.ts';

const PARAMETERS_MAX = 256;

/** One parameter that becomes an argument. */
export interface Parameter {
  binding: ParameterBinding;
  required: boolean;
  description: string | undefined;
  schema: JsonValue;
}

/**
 * The parameters of an operation and its path, the operation's own first where both name one, path
 * parameters before query and header ones. Throws `openapi_invalid` or `openapi_unsupported`.
 */
export function readParameters(
  document: OpenApiDocument,
  pathItem: JsonObject,
  operation: JsonObject,
  path: string,
): Parameter[] {
  const declared = new Map<string, JsonObject>();
  const entries = [...listMember(operation, 'parameters'), ...listMember(pathItem, 'parameters')];
  if (entries.length > PARAMETERS_MAX) throw invalid(`over ${PARAMETERS_MAX} parameters`);
  for (const entry of entries) {
    const parameter = dereference(document, entry);
    const key = `${stringMember(parameter, 'in')} ${stringMember(parameter, 'name')}`;
    if (!declared.has(key)) declared.set(key, parameter);
  }
  const names = templateNames(path);
  const parameters = [...declared.values()]
    .map((parameter) => readParameter(parameter))
    .filter((parameter) => parameter !== undefined)
    .filter(({ binding }) => binding.in !== 'path' || names.includes(binding.wire));
  for (const name of names) {
    if (!parameters.some(({ binding }) => binding.in === 'path' && binding.wire === name)) {
      throw invalid(`the path parameter ${JSON.stringify(name)} is not described`);
    }
  }
  const order = ['path', 'query', 'header'];
  parameters.sort((a, b) => order.indexOf(a.binding.in) - order.indexOf(b.binding.in));
  nameArguments(parameters);
  return parameters;
}

/** The names in the braces of a path template; throws `openapi_invalid` for one that is no path. */
export function templateNames(path: string): string[] {
  const literal = path.replace(/\{[^{}/?#]{1,128}\}/g, '');
  // RFC 3986 section 3.3: pchar and slashes.
  if (!path.startsWith('/') || !/^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/.test(literal)) {
    throw invalid('the path is no path template');
  }
  for (const segment of path.split('/')) {
    if (/^(\.|%2e){1,2}$/i.test(segment)) throw invalid('the path has a dot segment');
  }
  return [...path.matchAll(/\{([^{}/?#]{1,128})\}/g)].map((match) => match[1]!);
}

/** One parameter; undefined for one that a request can do without and this import leaves out. */
function readParameter(parameter: JsonObject): Parameter | undefined {
  const name = stringMember(parameter, 'name') ?? '';
  const place = stringMember(parameter, 'in') ?? '';
  const required = place === 'path' || member(parameter, 'required') === true;
  if (name === '' || name.length > 256) throw invalid('a parameter has no name');
  if (name === '__proto__') throw reservedName();
  if (place === 'cookie') {
    if (required) throw unsupported('a cookie is required, and agents send none');
    return undefined;
  }
  if (place === 'header' && isReservedHeader(name)) {
    // OpenAPI says to ignore Accept, Content-Type and Authorization; the others are the platform's.
    if (required && !/^(accept|content-type|authorization)$/i.test(name)) {
      throw unsupported(`the header ${name} is required, and agents may not set it`);
    }
    return undefined;
  }
  if (place === 'header' && !isHeaderName(name)) throw invalid('a header has no valid name');
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    throw invalid('a parameter has no place');
  }
  const { style, explode, schema } = readStyle(parameter, place);
  const binding: ParameterBinding = { name, wire: name, in: place, style, explode };
  return { binding, required, description: stringMember(parameter, 'description'), schema };
}

function readStyle(parameter: JsonObject, place: 'path' | 'query' | 'header') {
  const schema = member(parameter, 'schema');
  if (schema === undefined) {
    const content = Object.entries(objectMember(parameter, 'content') ?? {});
    const json = content.find(([type]) => /^application\/([^;]+\+)?json\b/i.test(type));
    if (json === undefined) throw invalid('a parameter has neither a schema nor JSON content');
    const inner = isJsonObject(json[1]) ? member(json[1], 'schema') : undefined;
    return { style: 'json' as const, explode: false, schema: inner ?? true };
  }
  const style = stringMember(parameter, 'style') ?? (place === 'query' ? 'form' : 'simple');
  const explode = (member(parameter, 'explode') ?? style === 'form') === true;
  if (place !== 'query') {
    if (style !== 'simple') throw unsupported(`parameters of style ${style} are not supported`);
    return { style: 'simple' as const, explode, schema };
  }
  switch (style) {
    case 'form':
    case 'spaceDelimited':
    case 'pipeDelimited':
    case 'deepObject':
      return { style, explode, schema } as const;
    default:
      throw unsupported(`query parameters of style ${style} are not supported`);
  }
}

/** Parameters of one name in two places become `query_<name>` and `header_<name>` after the first. */
function nameArguments(parameters: Parameter[]): void {
  const taken = new Set<string>();
  for (const { binding } of parameters) {
    while (taken.has(binding.name)) binding.name = `${binding.in}_${binding.name}`;
    taken.add(binding.name);
  }
}
