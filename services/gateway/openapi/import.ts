// Turns an OpenAPI 3.0 or 3.1 document into tools; every operation becomes a tool or is rejected with a reason.

import type { ErrorCode } from '../../../runtime/errors.ts';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import { checkBaseUrl } from './base-url.ts';
import type { OpenApiDocument } from './document.ts';
import {
  dereference,
  invalid,
  listMember,
  member,
  objectMember,
  openDocument,
  stringMember,
  unsupported,
} from './document.ts';
import { snakeCase, toolNames } from './names.ts';
import { SchemaConverter } from './schema.ts';
import { operationTool } from './tool.ts';
import type { ImportedTool, ImportOptions, ImportResult, RejectedOperation } from './types.ts';

const OPERATIONS_MAX = 10_000;
const PREFIX_LENGTH_MAX = 32;
const SCHEMA_BYTES_MAX = 64 * 1024;
const ALL_SCHEMAS_BYTES_MAX = 64 * 1024 * 1024;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const encoder = new TextEncoder();

/** One operation of the document, not yet read. */
interface Operation {
  method: string;
  path: string;
  pathItem: JsonObject;
  operation: JsonObject;
}

/**
 * Imports every operation of a parsed document. Throws a PlatformError only for the document as a whole
 * (`openapi_invalid`: no OpenAPI 3.0 or 3.1, over 10,000 operations; `configuration_invalid`: the
 * options); what is wrong with one operation is in `rejected`. Names do not depend on the order of the
 * operations.
 */
export function importOpenApi(document: JsonValue, options: ImportOptions): ImportResult {
  const opened = openDocument(document);
  const prefix = checkPrefix(options.prefix);
  const baseUrl = checkBaseUrl(options.baseUrl);
  const rejected: RejectedOperation[] = [];
  const operations = listOperations(opened, rejected);
  const names = toolNames(
    operations.map(({ method, path, operation }) => {
      return { prefix, method, path, operationId: stringMember(operation, 'operationId') };
    }),
  );
  const converter = new SchemaConverter(opened);
  const tools = new Map<string, ImportedTool>();
  let bytesLeft = ALL_SCHEMAS_BYTES_MAX;
  operations.forEach((entry, index) => {
    try {
      const name = names[index]!;
      if (tools.has(name)) throw invalid(`another operation is named ${name} too`);
      checkServers(opened, entry);
      const tool = operationTool(opened, converter, entry, { ...options, name, baseUrl });
      bytesLeft -= checkSchema(tool, options, bytesLeft);
      tools.set(name, tool);
    } catch (error) {
      rejected.push(rejection(`${entry.method} ${entry.path}`, error));
    }
  });
  return { tools: [...tools.values()], rejected };
}

function checkPrefix(prefix: string): string {
  const snake = snakeCase(prefix);
  if (snake.length > PREFIX_LENGTH_MAX || (snake === '' && prefix !== '')) {
    throw new PlatformError(
      'configuration_invalid',
      `the prefix needs letters or digits, and at most ${PREFIX_LENGTH_MAX} characters`,
    );
  }
  return snake;
}

function listOperations(document: OpenApiDocument, rejected: RejectedOperation[]): Operation[] {
  const paths = objectMember(document.root, 'paths');
  if (paths === undefined) throw invalid('the document has no paths', '/paths');
  const operations: Operation[] = [];
  for (const [path, value] of Object.entries(paths)) {
    if (path.startsWith('x-')) continue;
    try {
      const pathItem = dereference(document, value);
      for (const method of METHODS) {
        const operation = member(pathItem, method);
        if (operation === undefined) continue;
        const entry = { method: method.toUpperCase(), path, pathItem };
        if (isJsonObject(operation)) operations.push({ ...entry, operation });
        else rejected.push(rejection(`${entry.method} ${path}`, invalid('it is no object')));
      }
    } catch (error) {
      rejected.push(rejection(path, error));
    }
    if (operations.length + rejected.length > OPERATIONS_MAX) {
      throw invalid(`the document has over ${OPERATIONS_MAX} operations`, '/paths');
    }
  }
  return operations;
}

/** Refuses an operation that names another server: its requests would go to the wrong place. */
function checkServers({ root }: OpenApiDocument, { operation, pathItem }: Operation): void {
  const own = [...listMember(operation, 'servers'), ...listMember(pathItem, 'servers')][0];
  if (own === undefined) return;
  const common = listMember(root, 'servers')[0];
  const url = (server: JsonValue | undefined) =>
    isJsonObject(server) ? stringMember(server, 'url') : undefined;
  if (url(own) !== url(common)) throw unsupported('the operation has a server of its own');
}

/** Checks the schema's size and keywords; returns its size in bytes. */
function checkSchema(tool: ImportedTool, options: ImportOptions, bytesLeft: number): number {
  const bytes = encoder.encode(JSON.stringify(tool.schema));
  if (bytes.length > SCHEMA_BYTES_MAX) {
    throw new PlatformError('schema_too_large', `the schema has ${bytes.length} bytes`);
  }
  if (bytes.length > bytesLeft) {
    throw new PlatformError('schema_too_large', 'the schemas of the document are too large');
  }
  options.checkSchema?.(bytes);
  return bytes.length;
}

function rejection(operation: string, error: unknown): RejectedOperation {
  if (!(error instanceof PlatformError)) throw error;
  const { keyword, pointer } = error.data;
  const code: ErrorCode = error.code;
  return {
    operation: operation.slice(0, 256),
    code,
    message: error.message,
    ...(typeof pointer === 'string' ? { pointer } : {}),
    ...(typeof keyword === 'string' ? { keyword } : {}),
  };
}
