// The types on the way out that both adapters share, by PostgreSQL's type ids.
import { DatabaseError } from '../../../runtime/errors.ts';

export const INT8 = 20;
export const BYTEA = 17;

/** A `bigint` as a number; refused where binary64 cannot hold it. */
export function parseInt8(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new DatabaseError('database_query_failed', 'a bigint is beyond 2^53');
}

/** `bytea` in its hex form, such as `\x00ff`. */
export function parseBytea(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
}
