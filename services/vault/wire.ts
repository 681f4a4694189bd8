// Reads what requests ask for and writes what answers show: names and types of the JSON wire.
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { HttpRequest } from '../common/http/port.ts';
import { type ListRequest, pageDefault, pageMax } from './list.ts';
import { requireKey, requirePrefix } from './names.ts';
import type { BatchItem, OpenSecret } from './read.ts';
import type { Listed, ListedVersion } from './store.ts';

const valueBytesMax = 64 * 1024;
const batchMax = 100;

/** The one value of a query parameter. Throws `request_malformed` when there are more. */
export function single(request: HttpRequest, name: string): string | undefined {
  const values = request.query.getAll(name);
  if (values.length > 1) throw new PlatformError('request_malformed', `${name} is given twice`);
  return values[0];
}

/** The value to keep, as bytes to be erased. Throws `secret_invalid` or `secret_too_large`. */
export function secretValueOf(body: JsonObject): Buffer {
  if (typeof body.value !== 'string') throw invalid('`value` is not a text');
  const bytes = Buffer.from(body.value);
  if (bytes.length <= valueBytesMax) return bytes;
  throw new PlatformError('secret_too_large', `a value has at most ${valueBytesMax} bytes`);
}

/** RFC 3339, in the future; null and absent: never. Throws `secret_invalid`. */
export function expiryOf(body: JsonObject, now: Date): Date | null {
  const { expires_at: text } = body;
  if (text === undefined || text === null) return null;
  const isText =
    typeof text === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isText ? new Date(text) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) {
    throw invalid('`expires_at` is not a time as in RFC 3339');
  }
  if (time.getTime() <= now.getTime()) throw invalid('`expires_at` is not in the future');
  return time;
}

/** The version that must be the current one. Throws `secret_invalid`. */
export function checkOf(body: JsonObject): number | undefined {
  const { check } = body;
  if (check === undefined || check === null) return undefined;
  if (typeof check === 'number' && Number.isSafeInteger(check) && check >= 0) return check;
  throw invalid('`check` is not a version');
}

/** A version's number. Throws `secret_invalid`. */
export function versionOf(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number > 0) return number;
  throw invalid('`version` is not a version');
}

/** `true` and `false` only. Throws `secret_invalid`. */
export function flag(request: HttpRequest, name: string): boolean {
  const value = single(request, name) ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalid(`${name} is true or false`);
}

/** Up to 100 different keys. Throws `secret_invalid`. */
export function keysOf(body: JsonObject): string[] {
  const { keys } = body;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > batchMax) {
    throw invalid(`\`keys\` is a list of 1 to ${batchMax}`);
  }
  return [...new Set(keys.map(requireKey))];
}

/** What a list is asked for; throws `secret_invalid` for a limit that is none. */
export function listRequestOf(request: HttpRequest): ListRequest {
  const limit = single(request, 'limit') ?? String(pageDefault);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > pageMax) {
    throw invalid(`limit is 1 to ${pageMax}`);
  }
  return {
    prefix: requirePrefix(single(request, 'prefix') ?? ''),
    after: single(request, 'after'),
    limit: Number(limit),
  };
}

/** A secret with its value, as an answer to the agent has it. */
export function secretJson({ value, version }: OpenSecret): JsonObject {
  return {
    ...{ key: version.key, value, version: version.version, scope: version.scope },
    created_at: version.secretCreatedAt.toISOString(),
    updated_at: version.updatedAt.toISOString(),
    expires_at: version.expiresAt?.toISOString() ?? null,
  };
}

/** One secret of a batch, or why that one cannot be read. */
export function batchItemJson(item: BatchItem): JsonObject {
  const { key } = item;
  if ('opened' in item) {
    const { value, version } = item.opened;
    return { key, value, version: version.version, scope: version.scope };
  }
  const error: JsonObject = { code: item.code, reason: { ...item.reason } };
  if (item.decision !== undefined) error.decision_id = item.decision.id;
  return { key, error };
}

/** One page of a list; never a value. */
export function listedJson(secrets: readonly Listed[], next: string | null): JsonObject {
  return {
    secrets: secrets.map(({ key, scope, version, updatedAt }) => ({
      ...{ key, scope, version },
      updated_at: updatedAt.toISOString(),
    })),
    keys: [...new Set(secrets.map(({ key }) => key))],
    next,
  };
}

/** The versions of one secret; never a value. */
export function versionsJson(versions: readonly ListedVersion[]): JsonObject {
  return {
    versions: versions.map(({ version, createdAt, deletedAt, expiresAt }) => ({
      version,
      created_at: createdAt.toISOString(),
      ...(deletedAt === null ? {} : { deleted_at: deletedAt.toISOString() }),
      ...(expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }),
    })),
  };
}

function invalid(message: string): PlatformError {
  return new PlatformError('secret_invalid', message);
}
