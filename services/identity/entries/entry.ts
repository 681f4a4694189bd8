// The registration entry as the identity server keeps it: who gets which SPIFFE ID, and for how long.

/** One fact that an attestor states of a workload, such as `platform` and `tenant:acme`. */
export interface Selector {
  type: string;
  value: string;
}

/** What SPIRE's `types.Entry` holds; lifetimes in seconds, times in seconds since 1970, 0 = none. */
export interface Entry {
  id: string;
  /** The order of creation; pages of a list go by it. */
  ordinal: number;
  spiffeId: string;
  parentId: string;
  selectors: readonly Selector[];
  x509SvidTtl: number;
  jwtSvidTtl: number;
  federatesWith: readonly string[];
  admin: boolean;
  downstream: boolean;
  expiresAt: number;
  dnsNames: readonly string[];
  revisionNumber: number;
  storeSvid: boolean;
  hint: string;
  createdAt: number;
}

/** An entry before the store has numbered it; an empty `id` asks for a new one. */
export type EntryDraft = Omit<Entry, 'ordinal' | 'revisionNumber' | 'createdAt'>;

/** The part of an entry that an update gives. */
export type EntryChange = Partial<Omit<EntryDraft, 'id'>>;

/** One selector as text; a type holds no colon, so that two selectors never look alike. */
export function selectorKey({ type, value }: Selector): string {
  return `${type}:${value}`;
}

/** Equal for entries that say the same of the same workload (SPIRE: similar entries). */
export function similarityKey(entry: Pick<Entry, 'spiffeId' | 'parentId' | 'selectors'>): string {
  const selectors = [...new Set(entry.selectors.map(selectorKey))].sort();
  return JSON.stringify([entry.spiffeId, entry.parentId, selectors]);
}
