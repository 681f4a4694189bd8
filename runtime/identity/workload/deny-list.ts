// Follows the deny-list of the identity server: which identities were taken away before their SVIDs ran out.
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { createClient } from '@connectrpc/connect';
import { compactVerify } from 'jose';
import { IdentityError, type PlatformError } from '../../errors.ts';
import { isJsonObject } from '../../json.ts';
import { Scope } from '../../modules/scope.ts';
import { moduleBytes } from '../../modules/source.ts';
import { socketTransport } from '../grpc.ts';
import { DenyList } from '../proto/platform/identity/v1/deny_list_pb.js';
import { SpiffeWorkloadAPI } from '../proto/spiffe/workload/workload_pb.js';
import { type JwtBundle, readJwtBundles } from './answer.ts';
import { deniedKey } from './denied-key.ts';
import { firstOf, follow } from './follow.ts';
import { securityHeader } from './source.ts';
import type { DenyView } from './x509.ts';

export interface FollowDenyListConfig {
  /** The Workload API's Unix socket. */
  socketPath: string;
  /** The only trust domain whose list is taken. */
  trustDomain: string;
  clock?: () => Date;
  /** Told once an outage: `identity_unavailable`, `svid_missing` or `deny_list_invalid`. */
  onTrouble?: (trouble: PlatformError) => void;
  /** How long to wait for the first list. */
  timeoutMs?: number;
}

export interface FollowedDenyList extends DenyView {
  close(): Promise<void>;
}

interface List {
  sequence: number;
  /** By the hash of the SPIFFE ID (see denied-key.ts), the second since 1970 before which its SVIDs are refused. */
  denied: ReadonlyMap<string, number>;
}

const firstListMs = 30_000;
/** The server sends the list again every five seconds. */
const silenceMsMax = 20_000;
const listType = 'platform-deny-list';
/** 32 bytes, base64url. */
const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Follows the list and resolves with the first one. While the server is away the last list stays in
 * force; `staleForMs` says for how long that has been so. A list is taken only with a signature (RS256,
 * RFC 7515) by a key of the trust domain's JWT bundle, and never when it is older than the last one.
 * Throws what the server said last, when there is no list within `timeoutMs` (30 s).
 */
export async function followDenyList(config: FollowDenyListConfig): Promise<FollowedDenyList> {
  const clock = config.clock ?? (() => new Date());
  const scope = Scope.create(moduleBytes('scope'));
  const { transport, close } = socketTransport(config.socketPath);
  const listeners = new Set<() => void>();
  let keys: ReadonlyMap<string, KeyObject> = new Map();
  let list: List = { sequence: -1, denied: new Map() };
  let heardAt = 0;
  let lastTrouble: PlatformError | undefined;

  const bundles = follow({
    open: (signal) =>
      createClient(SpiffeWorkloadAPI, transport).fetchJWTBundles(
        {},
        { headers: securityHeader, signal },
      ),
    take(answer) {
      keys = keysOf(readJwtBundles(answer, scope).get(config.trustDomain));
    },
    onTrouble(trouble) {
      lastTrouble = trouble;
      // Later on, what matters is whether lists still come and can be verified.
      if (heardAt === 0) config.onTrouble?.(trouble);
    },
  });
  const lists = follow({
    async *open(signal) {
      await Promise.race([bundles.first, aborted(signal)]);
      yield* createClient(DenyList, transport).watch({}, { signal });
    },
    async take({ jws }) {
      const next = await readDenyList(jws, keys, config.trustDomain);
      if (next.sequence < list.sequence) {
        throw invalid(`it is older than the one in force: ${next.sequence}, not ${list.sequence}`);
      }
      const isNew = next.sequence > list.sequence;
      list = next;
      heardAt = clock().getTime();
      if (isNew) for (const listener of [...listeners]) listener();
    },
    onTrouble(trouble) {
      lastTrouble = trouble;
      config.onTrouble?.(trouble);
    },
    silenceMsMax,
  });
  async function closeAll(): Promise<void> {
    listeners.clear();
    await Promise.all([bundles.close(), lists.close()]);
    close();
  }
  try {
    await firstOf([lists], config.timeoutMs ?? firstListMs, () => lastTrouble);
  } catch (error) {
    await closeAll();
    throw error;
  }
  return {
    isDenied: (spiffeId, issuedAt) => issuedAt < (list.denied.get(deniedKey(spiffeId)) ?? 0),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    staleForMs: () => Math.max(0, clock().getTime() - heardAt),
    close: closeAll,
  };
}

/** Verifies one list and takes it apart. Throws `deny_list_invalid`. */
async function readDenyList(
  jws: string,
  keys: ReadonlyMap<string, KeyObject>,
  trustDomain: string,
): Promise<List> {
  let payload: unknown;
  try {
    const verified = await compactVerify(
      jws,
      ({ kid, typ }) => {
        if (typ !== listType) throw invalid('it is something else that the server has signed');
        const key = keys.get(kid ?? '');
        if (key === undefined) throw invalid('it is signed with a key that is not in the bundle');
        return key;
      },
      { algorithms: ['RS256'] },
    );
    payload = JSON.parse(Buffer.from(verified.payload).toString('utf8'));
  } catch (cause) {
    if (cause instanceof IdentityError) throw cause;
    throw invalid('its signature does not hold', cause);
  }
  if (!isJsonObject(payload)) throw invalid('it is no object');
  const { trust_domain, sequence, denied } = payload;
  if (trust_domain !== trustDomain) throw invalid('it is of another trust domain');
  if (!isWhole(sequence)) throw invalid('it has no sequence number');
  if (!isJsonObject(denied)) throw invalid('it names nobody');
  const entries = Object.entries(denied).map(([key, issuedBefore]): [string, number] => {
    // A list of another form would refuse nobody, and nobody would notice.
    if (!keyPattern.test(key)) throw invalid('it has an entry that is no hash');
    if (!isWhole(issuedBefore)) throw invalid('it has an entry without a time');
    return [key, issuedBefore];
  });
  return { sequence, denied: new Map(entries) };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The RSA keys of a bundle, by `kid`. */
function keysOf(bundle: JwtBundle | undefined): ReadonlyMap<string, KeyObject> {
  const keys = new Map<string, KeyObject>();
  for (const jwk of bundle?.keys ?? []) {
    if (jwk.kty !== 'RSA') continue;
    try {
      keys.set(jwk.kid, createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }));
    } catch {
      // One malformed key takes nothing from the others; what it has signed is not believed.
    }
  }
  return keys;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function invalid(why: string, cause?: unknown): IdentityError {
  return new IdentityError('deny_list_invalid', `the deny-list is refused: ${why}`, { cause });
}
