// Reads secrets: decided, looked up in the caller's own scopes, and evidenced before a value leaves.
import type { Decision } from '../../runtime/decide/decision.ts';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import { type Action, DeniedError } from '../common/ledger.ts';
import type { Parts } from './parts.ts';
import { isLive, type StoredVersion } from './schema.ts';
import { open } from './seal.ts';
import { type ListedVersion, live } from './store.ts';
import { type Asker, absent, coverage, refused, usable } from './target.ts';
import { unknownVersion } from './writer.ts';

/** A secret in the clear: nothing that holds one is logged or kept. */
export interface OpenSecret {
  value: string;
  version: StoredVersion;
  decision: Decision;
}

/** One of a batch: opened, or why not. */
export type BatchItem = { key: string } & (
  | { opened: OpenSecret }
  | { code: ErrorCode; reason: { code: string; message: string }; decision?: Decision }
);

/**
 * The value of a secret: the current version, or a given one of those kept. What is not there and
 * what is out of scope cost and say the same: one decision each of policy and of the scope module,
 * one query, one row. Throws a DeniedError, `secret_version_unknown` or `secret_corrupt`.
 */
export async function getSecret(
  parts: Parts,
  asker: Asker,
  key: string,
  version?: number,
): Promise<OpenSecret> {
  const read = await begin(parts, asker, key);
  const found = await parts.reader.find(asker.scopes, [key], version);
  return finish(parts, asker, read, found, version);
}

/**
 * The values of several secrets, in the order of `keys`. Each has a row of its own, as if it had been
 * read alone, so that the audit of one secret need not look into batches; the rows are written
 * together, and nothing is released before all of them are durable. Rejects as a whole when evidence
 * or the database is away.
 */
export async function getSecrets(
  parts: Parts,
  asker: Asker,
  keys: readonly string[],
): Promise<BatchItem[]> {
  const begun = await Promise.all(
    keys.map((key) => begin(parts, asker, key).catch((error: unknown) => deniedItem(key, error))),
  );
  const allowed = begun.filter((each): each is Begun => 'authorized' in each);
  const found =
    allowed.length === 0
      ? []
      : await parts.reader.find(
          asker.scopes,
          allowed.map(({ key }) => key),
        );
  return Promise.all(
    begun.map(async (each) => {
      if (!('authorized' in each)) return each;
      try {
        return { key: each.key, opened: await finish(parts, asker, each, found) };
      } catch (error) {
        return deniedItem(each.key, error);
      }
    }),
  );
}

/** The versions that are kept of the most specific secret of this name, the newest first. */
export async function listVersions(
  parts: Parts,
  asker: Asker,
  key: string,
): Promise<{ versions: ListedVersion[]; decision: Decision }> {
  const action = parts.ledger.begin(asker, 'secret', { secret: key, versions: true });
  const authorized = await parts.judge.authorize(asker, 'list', { key });
  if (!authorized.allow) throw await refused(parts, action, [authorized], authorized);
  const all = await parts.store.versions(asker.scopes, key, parts.clock());
  const scope = asker.scopes.find((each) => all.some((version) => version.scope === each));
  const decisions = [authorized, ...coverage(parts, asker, scope)];
  const refusing = decisions.find((decision) => !decision.allow);
  if (refusing !== undefined) throw await refused(parts, action, decisions, refusing);
  if (scope === undefined) throw await absent(parts, action, decisions);
  await parts.ledger.event(action, decisions, { detail: { scope } });
  const versions = all.filter((version) => version.scope === scope);
  return { versions, decision: authorized };
}

interface Begun {
  key: string;
  action: Action;
  authorized: Decision;
}

async function begin(parts: Parts, asker: Asker, key: string): Promise<Begun> {
  const action = parts.ledger.begin(asker, 'secret', { secret: key });
  const authorized = await parts.judge.authorize(asker, 'read', { key });
  if (!authorized.allow) throw await refused(parts, action, [authorized], authorized);
  return { key, action, authorized };
}

async function finish(
  parts: Parts,
  asker: Asker,
  { key, action, authorized }: Begun,
  stored: readonly StoredVersion[],
  wanted?: number,
): Promise<OpenSecret> {
  const { ledger, clock } = parts;
  const now = clock();
  const found = usable(parts, asker, stored);
  const current = live(found, asker.scopes, key, now);
  const decisions = [authorized, ...coverage(parts, asker, current?.scope)];
  const refusing = decisions.find((decision) => !decision.allow);
  if (refusing !== undefined) throw await refused(parts, action, decisions, refusing);
  if (current === undefined) throw await absent(parts, action, decisions);
  const version =
    wanted === undefined
      ? current
      : found.find((row) => row.scope === current.scope && row.version === wanted);
  if (version === undefined || !isLive(version, now)) {
    const { code, message } = unknownVersion();
    throw await ledger.denial(action, decisions, code, { code, message });
  }
  const value = await opened(parts, action, decisions, version);
  const { scope, version: number } = version;
  await ledger.event(action, decisions, { detail: { scope, version: number } });
  return { value, version, decision: authorized };
}

async function opened(
  parts: Parts,
  action: Action,
  decisions: readonly Decision[],
  version: StoredVersion,
): Promise<string> {
  try {
    const plaintext = await openVersion(parts, version);
    try {
      return plaintext.toString();
    } finally {
      plaintext.fill(0);
    }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { code, message } = error;
    throw await parts.ledger.denial(action, decisions, code, { code, message });
  }
}

/** Decrypts a version; the caller erases it. Throws `secret_corrupt` or `master_key_wrong`. */
export async function openVersion(parts: Parts, version: StoredVersion): Promise<Buffer> {
  if (!version.intact) {
    throw new PlatformError('secret_corrupt', 'the stored ciphertext is not the one written', {
      hint: 'restore the database, or an older version of the secret',
    });
  }
  return open(version, version, await parts.rotation.key(version.keyId));
}

function deniedItem(key: string, error: unknown): BatchItem {
  if (!(error instanceof DeniedError)) throw error;
  const { code, reason, decision } = error;
  return { key, code, reason, ...(decision === undefined ? {} : { decision }) };
}
