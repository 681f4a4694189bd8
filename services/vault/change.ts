// Changes secrets: the intent is durable before the database changes, the outcome before the answer.
import type { Decision } from '../../runtime/decide/decision.ts';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { type Action, DeniedError } from '../common/ledger.ts';
import type { Parts } from './parts.ts';
import { openVersion } from './read.ts';
import { isExpired, isLive, type StoredVersion } from './schema.ts';
import { type Place, type Sealed, seal } from './seal.ts';
import { mostSpecific } from './store.ts';
import { type Asker, absent, mayChange } from './target.ts';
import type { Ingredients, Put, SecretId } from './writer.ts';

export interface PutSecret extends SecretId {
  /** Erased once it is sealed. */
  value: Buffer;
  expiresAt: Date | null;
  check: number | undefined;
}

export interface Changed<Result> {
  id: SecretId;
  result: Result;
  decision: Decision;
}

/** Adds a version. Throws a DeniedError or `secret_version_conflict`. */
export async function putSecret(
  parts: Parts,
  asker: Asker,
  { scope, key, value, expiresAt, check }: PutSecret,
): Promise<Changed<Put>> {
  const { ledger, writer, clock } = parts;
  const action = ledger.begin(asker, 'secret', { secret: key, scope });
  const decisions = await mayChange(parts, asker, action, 'write', key, scope);
  const detail = {
    change: 'write',
    ...(check === undefined ? {} : { check }),
    ...(expiresAt === null ? {} : { expires_at: expiresAt.toISOString() }),
  };
  const sealing = (place: Place, from: Ingredients) => sealWith(parts, value, place, from);
  try {
    const writtenBy = asker.identity.spiffe_id;
    const request = { scope, key, expiresAt, writtenBy, check, now: clock(), seal: sealing };
    const result = await effect(
      parts,
      { action, decisions, id: { scope, key }, detail },
      () => writer.put(request),
      ({ version }) => ({ version }),
    );
    return { id: { scope, key }, result, decision: decisions[0]! };
  } finally {
    value.fill(0);
  }
}

/** Deletes the most specific secret of this name so that it can be restored, or for good. */
export async function deleteSecret(
  parts: Parts,
  asker: Asker,
  key: string,
  purge: boolean,
): Promise<Changed<Date>> {
  const { writer, clock } = parts;
  const counts = (version: StoredVersion) => purge || isLive(version, clock());
  const change = await begin(parts, asker, key, 'delete', counts);
  const now = clock();
  const act = async () => {
    const done = purge ? await writer.purge(change.id) : await writer.delete(change.id, now);
    if (!done) throw gone();
    return now;
  };
  const plan = { ...change, detail: { change: purge ? 'purge' : 'delete' } };
  const result = await effect(parts, plan, act, () => ({}));
  return { id: change.id, result, decision: change.decisions[0]! };
}

/** Takes a deletion back, or makes an older version's value the current one. */
export async function restoreSecret(
  parts: Parts,
  asker: Asker,
  key: string,
  version: number | undefined,
): Promise<Changed<number>> {
  const { writer, clock } = parts;
  const counts = (found: StoredVersion) => !isExpired(found, clock());
  const change = await begin(parts, asker, key, 'restore', counts);
  const reseal = async (from: StoredVersion, place: Place, ingredients: Ingredients) => {
    const value = await openVersion(parts, from);
    try {
      return await sealWith(parts, value, place, ingredients);
    } finally {
      value.fill(0);
    }
  };
  const act = async () => {
    const who = { now: clock(), by: asker.identity.spiffe_id };
    const current = await writer.restore(change.id, version, who, reseal);
    if (current === undefined) throw gone();
    return current;
  };
  const detail = { change: 'restore', ...(version === undefined ? {} : { from: version }) };
  const result = await effect(parts, { ...change, detail }, act, (current) => ({
    version: current,
  }));
  return { id: change.id, result, decision: change.decisions[0]! };
}

interface Change {
  action: Action;
  decisions: Decision[];
  id: SecretId;
}

/** Looks the secret up first, because what may be done depends on its scope. */
async function begin(
  parts: Parts,
  asker: Asker,
  key: string,
  what: 'delete' | 'restore',
  counts: (version: StoredVersion) => boolean,
): Promise<Change> {
  const found = await parts.reader.find(asker.scopes, [key]);
  const current = mostSpecific(found, asker.scopes, key, counts);
  const scope = current?.scope ?? asker.scopes[0]!;
  const action = parts.ledger.begin(asker, 'secret', { secret: key, scope });
  const decisions = await mayChange(parts, asker, action, what, key, scope);
  if (current === undefined) throw await absent(parts, action, decisions);
  return { action, decisions, id: { scope, key } };
}

/**
 * Runs a change between its two rows. When the database goes away in the middle, the change may have
 * been made or not, and the outcome says `unknown`.
 */
async function effect<Result>(
  parts: Parts,
  { action, decisions, id, detail }: Change & { detail: JsonObject },
  act: () => Promise<Result>,
  facts: (result: Result) => JsonObject,
): Promise<Result> {
  const { ledger } = parts;
  await ledger.intent(action, decisions, detail);
  parts.forget(id.scope, id.key);
  let result: Result;
  try {
    result = await act();
  } catch (error) {
    const code = codeOf(error);
    const isKnown = error instanceof PlatformError && !code.startsWith('database_');
    const message = isKnown ? error.message : 'the database did not say whether it changed';
    const outcome = isKnown || code === 'database_conflict' ? 'error' : 'unknown';
    await ledger.outcome(action, [], { outcome, reason: { code, message }, detail });
    const data = error instanceof PlatformError ? (error.data as JsonObject) : {};
    throw new DeniedError(code, { code, message }, undefined, data);
  } finally {
    parts.forget(id.scope, id.key);
  }
  await ledger.outcome(action, [], { outcome: 'ok', detail: { ...detail, ...facts(result) } });
  return result;
}

async function sealWith(
  parts: Parts,
  value: Uint8Array,
  place: Place,
  { nonce, keyId }: Ingredients,
): Promise<Sealed> {
  return seal(value, place, nonce, await parts.rotation.key(keyId));
}

function gone(): PlatformError {
  return new PlatformError('secret_denied', 'the secret went while it was being changed');
}
