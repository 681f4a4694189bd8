// Checks a tool's arguments against its JSON Schema in process, as the gateway will.

import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { ArgumentsResult } from '../../runtime/modules/arguments.ts';
import { ArgumentsModule } from '../../runtime/modules/arguments.ts';
import { sdkModule } from './modules.ts';

export type { ArgumentsResult, Violation } from '../../runtime/modules/arguments.ts';

let validator: ArgumentsModule | undefined;
const encoder = new TextEncoder();

/**
 * Whether arguments fit a schema (2020-12), with a JSON Pointer for each violation. Throws a SchemaError
 * for a schema that uses a keyword which is not implemented, and an InputError for arguments that cannot
 * be read alike everywhere.
 */
export function validate(schema: JsonObject | boolean, args: JsonValue): ArgumentsResult {
  validator ??= ArgumentsModule.create(sdkModule('arguments'));
  return validator.validate(
    encoder.encode(JSON.stringify(schema)),
    encoder.encode(JSON.stringify(args)),
  );
}
