// The filters of SPIRE's Entry API: which entries a list or a count means.
import type { ListEntriesRequest_Filter } from '../../../runtime/identity/proto/spire/api/server/entry/v1/entry_pb.js';
import { type Entry, selectorKey } from './entry.ts';
import { type EntryReader, readSelectors } from './read-entry.ts';
import type { EntryStore } from './store.ts';

/** The numbers of `SelectorMatch.MatchBehavior` and `FederatesWithMatch.MatchBehavior`. */
export const matchBehavior = { exact: 0, subset: 1, superset: 2, any: 3 } as const;

type Filter = Omit<ListEntriesRequest_Filter, '$typeName' | '$unknown'>;

/** What is wrong in a filter, in SPIRE's words. */
export class FilterError extends Error {}

/** The entries that a filter lets through, oldest first. Throws a FilterError. */
export function filtered(store: EntryStore, reader: EntryReader, filter?: Filter): Entry[] {
  const tests: ((entry: Entry) => boolean)[] = [];
  let candidates: Iterable<Entry> = store.all();
  if (filter?.byParentId !== undefined) {
    const parent = said('malformed parent ID filter', () => reader.parentId(filter.byParentId));
    tests.push((entry) => entry.parentId === parent);
  }
  if (filter?.bySpiffeId !== undefined) {
    const id = said('malformed SPIFFE ID filter', () => reader.workloadId(filter.bySpiffeId));
    candidates = store.everyWithSpiffeId(id);
  }
  if (filter?.bySelectors !== undefined) {
    const { match, selectors } = filter.bySelectors;
    const wanted = said('malformed selectors filter', () => {
      if (selectors.length === 0) throw new Error('empty selector set');
      return new Set(readSelectors(selectors).map(selectorKey));
    });
    tests.push((entry) => compare(entry.selectors.map(selectorKey), wanted, match));
  }
  if (filter?.byFederatesWith !== undefined) {
    const { match, trustDomains } = filter.byFederatesWith;
    const wanted = said('malformed federates with filter', () => {
      if (trustDomains.length === 0) throw new Error('empty trust domain set');
      return new Set(trustDomains.map((each) => reader.trustDomain(each)));
    });
    tests.push((entry) => compare(entry.federatesWith, wanted, match));
  }
  // As in SPIRE, an empty hint filters nothing.
  if (filter?.byHint) tests.push((entry) => entry.hint === filter.byHint);
  if (filter?.byDownstream !== undefined) {
    tests.push((entry) => entry.downstream === filter.byDownstream);
  }
  return [...candidates].filter((entry) => tests.every((test) => test(entry)));
}

/** Whether what an entry has stands in the asked relation to what is wanted. */
export function compare(
  has: readonly string[],
  wanted: ReadonlySet<string>,
  match: number,
): boolean {
  const own = new Set(has);
  const isSubset = [...own].every((each) => wanted.has(each));
  const isSuperset = [...wanted].every((each) => own.has(each));
  switch (match) {
    case matchBehavior.exact:
      return isSubset && isSuperset;
    case matchBehavior.subset:
      return isSubset && own.size > 0;
    case matchBehavior.superset:
      return isSuperset;
    case matchBehavior.any:
      return [...own].some((each) => wanted.has(each));
    default:
      throw new FilterError(`unhandled match behavior "${match}"`);
  }
}

function said<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new FilterError(`${what}: ${(error as Error).message}`);
  }
}
