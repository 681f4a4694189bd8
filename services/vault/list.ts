// Lists secrets by name, never by value, page by page.
import type { Decision } from '../../runtime/decide/decision.ts';
import { PlatformError } from '../../runtime/errors.ts';
import { requireKey, requireScope } from './names.ts';
import type { Parts } from './parts.ts';
import type { Listed, Position } from './store.ts';
import { type Asker, refused } from './target.ts';

export const pageDefault = 100;
export const pageMax = 1000;

export interface ListRequest {
  prefix: string;
  /** What the page before gave as `next`. */
  after: string | undefined;
  limit: number;
}

/**
 * Live secrets whose keys begin with the prefix, by key and scope. An operator that names no scope
 * sees all. Throws a DeniedError, and `secret_invalid` for a cursor that is none.
 */
export async function listSecrets(
  parts: Parts,
  asker: Asker,
  { prefix, after, limit }: ListRequest,
): Promise<{ secrets: Listed[]; next: string | null; decision: Decision }> {
  const action = parts.ledger.begin(asker, 'secret', { vault: 'list' });
  const decision = await parts.judge.authorize(asker, 'list', {});
  if (!decision.allow) throw await refused(parts, action, [decision], decision);
  const position = after === undefined ? undefined : readCursor(after, parts);
  const scopes = asker.isOperator && asker.scopes.length === 0 ? undefined : asker.scopes;
  const found = await parts.store.page(scopes, prefix, position, limit + 1, parts.clock());
  const secrets = found.slice(0, limit);
  const next = found.length > limit ? writeCursor(secrets.at(-1)!) : null;
  await parts.ledger.event(action, [decision], { detail: { prefix, shown: secrets.length } });
  return { secrets, next, decision };
}

function writeCursor({ key, scope }: Position): string {
  return Buffer.from(JSON.stringify([key, scope])).toString('base64url');
}

/**
 * A cursor is only a place in the order, and every page is cut to the caller's own scopes, so a
 * forged one shows nothing; what is no place is refused all the same.
 */
function readCursor(cursor: string, parts: Parts): Position {
  try {
    if (cursor.length > 4096) throw new RangeError('too long');
    const [key, scope, ...more]: unknown[] = JSON.parse(
      Buffer.from(cursor, 'base64url').toString(),
    );
    if (more.length > 0) throw new RangeError('too many members');
    return { key: requireKey(key), scope: requireScope(scope, parts.scope, parts.trustDomain) };
  } catch (cause) {
    throw new PlatformError('secret_invalid', '`after` is not from a page before', { cause });
  }
}
