// How many rows of refusals one peer can cause, so that nobody fills the disk by asking for what it may not have.

/** At once, and a second after that. */
const rows = { burst: 100, perSecond: 10 };
/** Peers whose rows are counted; beyond it those go that have been quiet. */
const peersMax = 10_000;

/** A bucket of rows a peer, which fills again as time passes. */
export class RowBudget {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** False when this peer has had its rows for now. */
  take(peer: string): boolean {
    const now = performance.now();
    const bucket = this.#buckets.get(peer) ?? { left: rows.burst, at: now };
    const gained = ((now - bucket.at) / 1000) * rows.perSecond;
    bucket.left = Math.min(rows.burst, bucket.left + gained);
    bucket.at = now;
    // The peer that was heard last stands last, so that the first ones are the quiet ones.
    this.#buckets.delete(peer);
    this.#buckets.set(peer, bucket);
    if (this.#buckets.size > peersMax) {
      this.#buckets.delete(this.#buckets.keys().next().value as string);
    }
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }
}
