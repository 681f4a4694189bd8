// SPIRE's Entry API over the store: every method with SPIRE's semantics, statuses and words.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import type {
  Entry as EntryService,
  SyncAuthorizedEntriesRequest,
  SyncAuthorizedEntriesResponseSchema,
} from '../../../runtime/identity/proto/spire/api/server/entry/v1/entry_pb.js';
import {
  type EntryMask,
  EntrySchema,
  type Entry as WireEntry,
} from '../../../runtime/identity/proto/spire/api/types/entry_pb.js';
import type { StatusSchema } from '../../../runtime/identity/proto/spire/api/types/status_pb.js';
import type { Entry, EntryChange, EntryDraft } from './entry.ts';
import { FilterError, filtered } from './filter.ts';
import { type EntryReader, wireEntry } from './read-entry.ts';
import type { EntryStore } from './store.ts';

type Status = MessageInitShape<typeof StatusSchema>;
type SyncResponse = MessageInitShape<typeof SyncAuthorizedEntriesResponseSchema>;

const ok: Status = { code: 0, message: 'OK' };

/** As SPIRE's default. */
const syncPageSize = 500;
const batchMax = 1000;
const pageMax = 5000;

const updatable = [
  ...['spiffeId', 'parentId', 'selectors', 'x509SvidTtl', 'jwtSvidTtl', 'federatesWith'],
  ...['admin', 'downstream', 'expiresAt', 'dnsNames', 'storeSvid', 'hint'],
] as readonly (keyof EntryChange & keyof EntryMask)[];

/** The service `spire.api.server.entry.v1.Entry`; who may call it is decided by its socket. */
export function entryApi(store: EntryStore, reader: EntryReader): ServiceImpl<typeof EntryService> {
  return {
    async countEntries({ filter }) {
      return { count: (await list(filter)).length };
    },

    async listEntries({ filter, outputMask, pageSize, pageToken }) {
      const entries = await list(filter);
      if (pageSize <= 0) return { entries: entries.map((entry) => masked(entry, outputMask)) };
      const after = pageToken === '' ? 0 : readToken(pageToken);
      const rest = entries.filter(({ ordinal }) => ordinal > after);
      const page = rest.slice(0, Math.min(pageSize, pageMax));
      const last = rest.length > page.length ? page.at(-1) : undefined;
      return {
        entries: page.map((entry) => masked(entry, outputMask)),
        nextPageToken: last === undefined ? '' : String(last.ordinal),
      };
    },

    async getEntry({ id, outputMask }) {
      if (id === '') throw new ConnectError('missing ID', Code.InvalidArgument);
      await ready('failed to fetch entry');
      const entry = store.get(id);
      if (entry === undefined) throw new ConnectError('entry not found', Code.NotFound);
      return masked(entry, outputMask);
    },

    async batchCreateEntry({ entries, outputMask }) {
      bounded(entries.length);
      const results = [];
      for (const each of entries) results.push(await createEntry(each, outputMask));
      return { results };
    },

    async batchUpdateEntry({ entries, inputMask, outputMask }) {
      bounded(entries.length);
      const results = [];
      for (const each of entries) results.push(await updateEntry(each, inputMask, outputMask));
      return { results };
    },

    async batchDeleteEntry({ ids }) {
      bounded(ids.length);
      const results = [];
      for (const id of ids) results.push({ id, status: await deleteEntry(id) });
      return { results };
    },

    async getAuthorizedEntries({ outputMask }) {
      await ready('failed to fetch entries');
      return { entries: store.authorized().map((entry) => masked(entry, outputMask)) };
    },

    syncAuthorizedEntries: (requests) => sync(requests),
  };

  async function list(filter: Parameters<typeof filtered>[2]): Promise<Entry[]> {
    await ready('failed to list entries');
    try {
      return filtered(store, reader, filter);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      throw new ConnectError(error.message, Code.InvalidArgument);
    }
  }

  async function ready(what: string): Promise<void> {
    try {
      await store.ready();
    } catch (error) {
      throw new ConnectError(`${what}: ${wordsOf(error)}`, Code.Unavailable);
    }
  }

  async function createEntry(wire: WireEntry, mask: EntryMask | undefined) {
    let draft: EntryDraft;
    try {
      draft = reader.entry(wire);
    } catch (error) {
      return { status: statusOf('failed to convert entry', error) };
    }
    try {
      const { entry, existing } = await store.create(draft);
      const message = 'similar entry already exists';
      return {
        status: existing ? { code: Code.AlreadyExists, message } : ok,
        entry: masked(entry, mask),
      };
    } catch (error) {
      return { status: statusOf('failed to create entry', error) };
    }
  }

  async function updateEntry(
    wire: WireEntry,
    inputMask: EntryMask | undefined,
    outputMask: EntryMask | undefined,
  ) {
    let draft: EntryDraft;
    try {
      draft = reader.entry(wire, inputMask);
    } catch (error) {
      return { status: statusOf('failed to convert entry', error) };
    }
    const fields = updatable.filter((field) => inputMask === undefined || inputMask[field]);
    const change = Object.fromEntries(fields.map((field) => [field, draft[field]]));
    try {
      return { status: ok, entry: masked(await store.update(wire.id, change), outputMask) };
    } catch (error) {
      return { status: statusOf('failed to update entry', error) };
    }
  }

  async function deleteEntry(id: string): Promise<Status> {
    if (id === '') return { code: Code.InvalidArgument, message: 'missing entry ID' };
    try {
      await store.delete(id);
      return ok;
    } catch (error) {
      if (codeOf(error) !== 'entry_unknown') return statusOf('failed to delete entry', error);
      return { code: Code.NotFound, message: 'entry not found' };
    }
  }

  /**
   * The whole list at once where it fits one page; otherwise its revisions, page by page, and then
   * the entries that the caller asks for.
   */
  async function* sync(
    requests: AsyncIterable<SyncAuthorizedEntriesRequest>,
  ): AsyncGenerator<SyncResponse> {
    let byId: Map<string, WireEntry> | undefined;
    for await (const request of requests) {
      if (byId !== undefined) {
        yield* requestedPages(request.ids, byId);
        continue;
      }
      const mask = checkFirst(request);
      await ready('failed to fetch entries');
      const entries = store.authorized().map((entry) => masked(entry, mask));
      if (entries.length <= syncPageSize) {
        yield { entries };
        return;
      }
      byId = new Map(entries.map((entry) => [entry.id, entry]));
      yield* revisionPages(entries);
    }
  }
}

function checkFirst({ ids, outputMask }: SyncAuthorizedEntriesRequest): EntryMask | undefined {
  if (ids.length > 0) {
    const message = 'specifying IDs on initial request is not supported';
    throw new ConnectError(message, Code.InvalidArgument);
  }
  if (outputMask !== undefined && !outputMask.revisionNumber) {
    throw new ConnectError('revision number cannot be masked', Code.InvalidArgument);
  }
  return outputMask;
}

function* revisionPages(entries: readonly WireEntry[]): Generator<SyncResponse> {
  for (let start = 0; start < entries.length; start += syncPageSize) {
    const page = entries.slice(start, start + syncPageSize);
    const entryRevisions = page.map(({ id, revisionNumber, createdAt }) => ({
      ...{ id, revisionNumber, createdAt },
    }));
    yield { entryRevisions, more: start + syncPageSize < entries.length };
  }
}

function* requestedPages(
  ids: readonly string[],
  byId: ReadonlyMap<string, WireEntry>,
): Generator<SyncResponse> {
  const found = [...new Set(ids)].sort().flatMap((id) => byId.get(id) ?? []);
  let start = 0;
  for (; found.length - start > syncPageSize; start += syncPageSize) {
    yield { entries: found.slice(start, start + syncPageSize), more: true };
  }
  yield { entries: found.slice(start), more: false };
}

/** An entry with only the fields that the mask names; the id is always there. */
function masked(entry: Entry, mask: EntryMask | undefined): WireEntry {
  const wire = wireEntry(entry);
  if (mask === undefined) return create(EntrySchema, wire);
  const kept = Object.entries(wire).filter(
    ([field]) => field === 'id' || mask[field as keyof EntryMask] === true,
  );
  return create(EntrySchema, Object.fromEntries(kept));
}

function readToken(token: string): number {
  const after = /^\d{1,15}$/.test(token) ? Number(token) : Number.NaN;
  if (Number.isSafeInteger(after)) return after;
  const shown = token.slice(0, 64);
  throw new ConnectError(`could not parse token '${shown}'`, Code.InvalidArgument);
}

function bounded(count: number): void {
  if (count <= batchMax) return;
  throw new ConnectError(`more than ${batchMax} entries in one call`, Code.ResourceExhausted);
}

function statusOf(what: string, error: unknown): Status {
  return { code: statusCode(error), message: `${what}: ${wordsOf(error)}` };
}

function statusCode(error: unknown): Code {
  const code = codeOf(error);
  if (code === 'entry_invalid') return Code.InvalidArgument;
  if (code === 'entry_exists') return Code.AlreadyExists;
  if (code === 'entry_unknown') return Code.NotFound;
  return code === 'database_unavailable' ? Code.Unavailable : Code.Internal;
}

/** What we did not throw on purpose says nothing of its inside. */
function wordsOf(error: unknown): string {
  if (codeOf(error) === 'entry_unknown') return 'record not found';
  return error instanceof PlatformError ? error.message : 'internal error';
}
