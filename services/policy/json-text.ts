// JSON whose numbers keep the digits that they were written with, as OPA keeps them.
import type { JsonValue } from '../../runtime/json.ts';

/** JSON.rawJSON of ECMAScript's proposal "JSON.parse source text access", which Node has. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): JsonValue };

/** Parses; a number that binary64 would write differently stays its text. Throws a SyntaxError. */
export function parseExactly(text: string): JsonValue {
  return JSON.parse(text, (_key, value: JsonValue, context?: { source?: string }) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : rawJSON(context.source);
  }) as JsonValue;
}

/** True for a value that `parseExactly` kept as text. */
export function isRawNumber(value: JsonValue): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}
