// SPIRE's Entry API as a client: registration entries of an identity server, ours or SPIRE's, over a Unix socket.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { type ErrorCode, IdentityError, PlatformError } from '../errors.ts';
import type { Selector } from './attestor.ts';
import { callTimeoutMs, socketTransport } from './grpc.ts';
import { Entry as EntryService } from './proto/spire/api/server/entry/v1/entry_pb.js';
import type { EntrySchema, Entry as WireEntry } from './proto/spire/api/types/entry_pb.js';
import { SelectorMatch_MatchBehavior } from './proto/spire/api/types/selector_pb.js';
import type { SPIFFEIDSchema } from './proto/spire/api/types/spiffeid_pb.js';
import type { Status } from './proto/spire/api/types/status_pb.js';

/** Which workload may have which SPIFFE ID: whoever has all of the selectors. */
export interface WorkloadEntry {
  /** Given by the server. */
  id: string;
  spiffeId: string;
  /** Which node's workloads it is for. */
  parentId: string;
  selectors: Selector[];
  dnsNames: string[];
  /** 0: the server's default. */
  x509TtlSeconds: number;
  /** 0: the server's default. */
  jwtTtlSeconds: number;
  hint: string;
  /** Counts the changes. */
  revision: number;
}

/** An entry to create; what is left out is empty, and times are the server's defaults. */
export type WorkloadEntryDraft = Pick<WorkloadEntry, 'spiffeId' | 'parentId' | 'selectors'> &
  Partial<WorkloadEntry>;

/** What to change in an entry; what is left out stays. */
export type WorkloadEntryChange = Pick<WorkloadEntry, 'id'> &
  Partial<Omit<WorkloadEntry, 'revision'>>;

/**
 * How one of several went. `error` has the code `entry_invalid`, `entry_exists` (then `entry` is the
 * one that is there), `entry_unknown`, or `identity_unavailable` when the server could not do it.
 */
export interface EntryResult {
  entry?: WorkloadEntry;
  error?: PlatformError;
}

/** Which entries; all conditions must hold, none means all entries. */
export interface EntryFilter {
  spiffeId?: string;
  parentId?: string;
  hint?: string;
  /** `exact`: these and no others; `superset`: at least these; `subset`: only of these; `any`: one of these. */
  selectors?: { match: 'exact' | 'superset' | 'subset' | 'any'; of: Selector[] };
}

/**
 * Every method throws `identity_unavailable` when the server does not answer, and `entry_invalid`
 * when it refuses the whole call; what befalls one entry of several is in its result.
 */
export interface EntryClient {
  /** One result for each entry, in their order. */
  create(entries: readonly WorkloadEntryDraft[]): Promise<EntryResult[]>;
  list(filter?: EntryFilter): Promise<WorkloadEntry[]>;
  count(filter?: EntryFilter): Promise<number>;
  /** Throws `entry_unknown` too. */
  get(id: string): Promise<WorkloadEntry>;
  update(changes: readonly WorkloadEntryChange[]): Promise<EntryResult[]>;
  /** One result for each id, in their order; no error: the identity is refused from now on. */
  delete(ids: readonly string[]): Promise<{ error?: PlatformError }[]>;
  close(): Promise<void>;
}

/** Servers bound a request; so many entries stay under it. */
const batchSize = 50;
const pageSize = 100;

const matchBehavior = {
  exact: SelectorMatch_MatchBehavior.MATCH_EXACT,
  subset: SelectorMatch_MatchBehavior.MATCH_SUBSET,
  superset: SelectorMatch_MatchBehavior.MATCH_SUPERSET,
  any: SelectorMatch_MatchBehavior.MATCH_ANY,
} as const;

/** A client of the Entry API on this socket; it connects when first used. */
export function entryClient(socketPath: string): EntryClient {
  const { transport, close } = socketTransport(socketPath);
  const client = createClient(EntryService, transport);
  const call = { timeoutMs: callTimeoutMs };
  return {
    async create(entries) {
      const results: EntryResult[] = [];
      for (const batch of batches(entries.map(wireEntry))) {
        const answer = await answered(client.batchCreateEntry({ entries: batch }, call));
        results.push(...answer.results.map(resultOf));
      }
      return results;
    },
    async list(filter) {
      const entries: WorkloadEntry[] = [];
      let pageToken = '';
      do {
        const request = { filter: wireFilter(filter), pageSize, pageToken };
        const page = await answered(client.listEntries(request, call));
        for (const entry of page.entries) entries.push(entryOf(entry));
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      return entries;
    },
    async count(filter) {
      const request = { filter: wireFilter(filter) };
      return (await answered(client.countEntries(request, call))).count;
    },
    async get(id) {
      return entryOf(await answered(client.getEntry({ id }, call)));
    },
    async update(changes) {
      const results: EntryResult[] = [];
      // A call has one mask for all of its entries: each change is a call of its own.
      for (const change of changes) {
        const request = { entries: [wireEntry(change)], inputMask: maskOf(change) };
        const answer = await answered(client.batchUpdateEntry(request, call));
        results.push(...answer.results.map(resultOf));
      }
      return results;
    },
    async delete(ids) {
      const results: { error?: PlatformError }[] = [];
      for (const batch of batches(ids)) {
        const answer = await answered(client.batchDeleteEntry({ ids: batch }, call));
        for (const { status } of answer.results) results.push(failureOf(status));
      }
      return results;
    },
    async close() {
      close();
    },
  };
}

function* batches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += batchSize) {
    yield items.slice(start, start + batchSize);
  }
}

function wireEntry(entry: Partial<WorkloadEntry>): MessageInitShape<typeof EntrySchema> {
  return {
    id: entry.id,
    spiffeId: entry.spiffeId === undefined ? undefined : wireId(entry.spiffeId),
    parentId: entry.parentId === undefined ? undefined : wireId(entry.parentId),
    selectors: entry.selectors,
    dnsNames: entry.dnsNames,
    x509SvidTtl: entry.x509TtlSeconds,
    jwtSvidTtl: entry.jwtTtlSeconds,
    hint: entry.hint,
  };
}

function maskOf(change: WorkloadEntryChange) {
  return {
    spiffeId: change.spiffeId !== undefined,
    parentId: change.parentId !== undefined,
    selectors: change.selectors !== undefined,
    dnsNames: change.dnsNames !== undefined,
    x509SvidTtl: change.x509TtlSeconds !== undefined,
    jwtSvidTtl: change.jwtTtlSeconds !== undefined,
    hint: change.hint !== undefined,
  };
}

/** The filters of both calls have the same fields. */
function wireFilter(filter: EntryFilter = {}) {
  const { spiffeId, parentId, hint, selectors } = filter;
  return {
    bySpiffeId: spiffeId === undefined ? undefined : wireId(spiffeId),
    byParentId: parentId === undefined ? undefined : wireId(parentId),
    byHint: hint,
    bySelectors:
      selectors === undefined
        ? undefined
        : { selectors: selectors.of, match: matchBehavior[selectors.match] },
  };
}

/** Split, not judged: the rules are the server's, and its refusal says which one is broken. */
function wireId(spiffeId: string): MessageInitShape<typeof SPIFFEIDSchema> {
  const scheme = 'spiffe://';
  if (!spiffeId.startsWith(scheme)) {
    throw new IdentityError('entry_invalid', `${JSON.stringify(spiffeId)} is no SPIFFE ID`);
  }
  const slash = spiffeId.indexOf('/', scheme.length);
  const end = slash < 0 ? spiffeId.length : slash;
  return { trustDomain: spiffeId.slice(scheme.length, end), path: spiffeId.slice(end) };
}

function entryOf(wire: WireEntry): WorkloadEntry {
  const idOf = (id: WireEntry['spiffeId']) => `spiffe://${id?.trustDomain ?? ''}${id?.path ?? ''}`;
  return {
    id: wire.id,
    spiffeId: idOf(wire.spiffeId),
    parentId: idOf(wire.parentId),
    selectors: wire.selectors.map(({ type, value }) => ({ type, value })),
    dnsNames: wire.dnsNames,
    x509TtlSeconds: wire.x509SvidTtl,
    jwtTtlSeconds: wire.jwtSvidTtl,
    hint: wire.hint,
    revision: Number(wire.revisionNumber),
  };
}

function resultOf(result: { status?: Status; entry?: WireEntry }): EntryResult {
  const entry = result.entry === undefined ? {} : { entry: entryOf(result.entry) };
  return { ...entry, ...failureOf(result.status) };
}

function failureOf(status: Status | undefined): { error?: PlatformError } {
  if (status?.code === 0) return {};
  const message = `the entry was refused: ${status?.message ?? 'the server says nothing of it'}`;
  return { error: new IdentityError(codeOfStatus(status?.code), message) };
}

async function answered<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    const { code, rawMessage } = ConnectError.from(error);
    const message = `the Entry API has failed: ${rawMessage}`;
    throw new IdentityError(codeOfStatus(code), message, { cause: error });
  }
}

/** google.rpc.Code, which gRPC statuses are numbered by too. */
function codeOfStatus(code: number | undefined): ErrorCode {
  if (code === Code.InvalidArgument) return 'entry_invalid';
  if (code === Code.AlreadyExists) return 'entry_exists';
  return code === Code.NotFound ? 'entry_unknown' : 'identity_unavailable';
}
