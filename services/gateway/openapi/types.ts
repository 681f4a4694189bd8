// What an OpenAPI import answers: plain JSON, so that the gateway can store it.

import type { ErrorCode } from '../../../runtime/errors.ts';
import type { JsonObject } from '../../../runtime/json.ts';
import type { HttpBinding } from '../tools.ts';

/** One operation as a tool. */
export interface ImportedTool {
  /** At most 64 of `a` to `z`, `0` to `9` and `_`. */
  name: string;
  description: string;
  service: string;
  action: 'read' | 'write';
  tags: string[];
  /** JSON Schema 2020-12 of the arguments, an object that takes no others; at most 64 KiB as JSON. */
  schema: JsonObject;
  /** How a call becomes a request, see request.ts. */
  binding: HttpBinding;
}

/** One operation that did not become a tool, and why. */
export interface RejectedOperation {
  /** Method and path, such as `POST /markdown/raw`. */
  operation: string;
  code: ErrorCode;
  message: string;
  /** Where in the document or in the tool's schema. */
  pointer?: string;
  keyword?: string;
}

export interface ImportOptions {
  /** Begins every tool's name; put into snake case, at most 32 characters, may be empty. */
  prefix: string;
  service: string;
  /** An http or https URL without credentials, query and fragment. */
  baseUrl: string;
  /**
   * Refuses a schema by throwing a PlatformError, whose data may hold `keyword` and `pointer`; given
   * the schema as UTF-8 JSON.
   */
  checkSchema?: (schema: Uint8Array) => void;
}

export interface ImportResult {
  tools: ImportedTool[];
  rejected: RejectedOperation[];
}
