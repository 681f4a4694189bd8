// Turns what the drivers throw into the codes of the port.
import { DatabaseError, PlatformError } from '../../../runtime/errors.ts';

// PostgreSQL manual, appendix A: class 08 connection, 57P01 to 57P03 shutdown, 53 resources.
const AWAY = ['57P01', '57P02', '57P03'];
const CONFLICT = ['23505', '40001', '40P01'];
const networkCodes = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH'],
];

/**
 * The DatabaseError of anything a driver threw. The message never repeats the statement's values,
 * which may be secret.
 */
export function databaseError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (isAway(error, code)) {
    return new DatabaseError('database_unavailable', 'the database cannot be reached', {
      cause: error,
    });
  }
  if (CONFLICT.includes(code)) {
    return new DatabaseError('database_conflict', 'another row or transaction stands against it', {
      cause: error,
      data: { sqlstate: code },
    });
  }
  const message = `the database refused a statement (${code || 'no SQLSTATE'})`;
  return new DatabaseError('database_query_failed', message, {
    cause: error,
    data: code ? { sqlstate: code } : {},
  });
}

function isAway(error: unknown, code: string): boolean {
  if (code.startsWith('08') || code.startsWith('53') || AWAY.includes(code)) return true;
  if (networkCodes.includes(code)) return true;
  // pg and PGlite have no code for these.
  const message = error instanceof Error ? error.message : '';
  return (
    message.startsWith('Connection terminated') ||
    // A connection that broke between two statements of a transaction.
    message.endsWith('is not queryable') ||
    message.includes('timeout exceeded when trying to connect') ||
    message.includes('PGlite is closed') ||
    message.includes('Cannot use a pool after calling end')
  );
}
