// Decides when a signing key is made, when it signs and when it is gone; only arithmetic on times.

/** Milliseconds since 1970. The key is published from `preparedAt` until `expiresAt`. */
export interface Lifetime {
  preparedAt: number;
  activatesAt: number;
  expiresAt: number;
}

/**
 * The key that signs: of those not expired the last that may sign already. A clock that was set back
 * behind all of them finds the first, so that it never looks as if there were none.
 */
export function activeOf<Key extends Lifetime>(keys: readonly Key[], now: number): Key | undefined {
  const live = keys.filter((key) => now < key.expiresAt);
  live.sort((a, b) => a.activatesAt - b.activatesAt || a.preparedAt - b.preparedAt);
  return live.findLast((key) => key.activatesAt <= now) ?? live[0];
}

/** The key that is published and does not sign yet. */
export function nextOf<Key extends Lifetime>(keys: readonly Key[], now: number): Key | undefined {
  const active = activeOf(keys, now);
  if (active === undefined) return undefined;
  return keys.find((key) => key.activatesAt > active.activatesAt && now < key.expiresAt);
}

/**
 * The key that has to be made now, if any. The next one is made at half life of the one that signs
 * and signs from 5/6 of it on. One that is made late, after a standstill, is still published for
 * `publishAheadMs` before it signs.
 */
export function planOf(
  keys: readonly Lifetime[],
  now: number,
  ttlMs: number,
  publishAheadMs: number,
): Lifetime | undefined {
  const active = activeOf(keys, now);
  if (active === undefined) return { preparedAt: now, activatesAt: now, expiresAt: now + ttlMs };
  if (nextOf(keys, now) !== undefined || now < within(active, 1 / 2)) return undefined;
  const activatesAt = ordinaryActivation(active, now, publishAheadMs);
  return { preparedAt: now, activatesAt, expiresAt: now + ttlMs };
}

/** When a key that is published now signs: from 5/6 of the active one's life on. */
export function ordinaryActivation(active: Lifetime, now: number, publishAheadMs: number): number {
  const soonest = Math.min(now + publishAheadMs, active.expiresAt - 1);
  return Math.max(within(active, 5 / 6), soonest, active.activatesAt + 1);
}

function within(key: Lifetime, part: number): number {
  return Math.ceil(key.preparedAt + (key.expiresAt - key.preparedAt) * part);
}
