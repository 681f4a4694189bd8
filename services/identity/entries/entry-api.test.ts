// SPIRE's Entry API over its socket, on both databases: statuses, words, masks, filters, pages and the sync stream.
import type { Message, MessageInitShape } from '@bufbuild/protobuf';
import { type Client, Code } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  Entry,
  ListEntriesRequest_FilterSchema,
} from '../../../runtime/identity/proto/spire/api/server/entry/v1/entry_pb.js';
import { needs } from '../../../runtime/testing/needs.ts';
import { openPg } from '../../common/database/pg.ts';
import { openPglite } from '../../common/database/pglite.ts';
import { startPostgres } from '../../common/database/testing/postgres.ts';
import { failure } from '../testing/identity.ts';
import { startWithAuthority, type TestPlatform } from '../testing/platform.ts';
import { matchBehavior } from './filter.ts';

type Filter = Exclude<MessageInitShape<typeof ListEntriesRequest_FilterSchema>, Message>;

const trustDomain = 'example.org';
const node = { trustDomain, path: '/node/local' };
const id = (path: string) => ({ trustDomain, path });
const selectors = (...values: string[]) => values.map((value) => ({ type: 'platform', value }));

function cases(name: string, open: () => Promise<TestPlatform>): void {
  const test = suite(`Entry API on ${name}`);
  let platform: TestPlatform;
  let api: Client<typeof Entry>;

  test.before(async () => {
    platform = await open();
    api = platform.entries;
  });
  test.after(() => platform.close());

  async function deleteAll(): Promise<void> {
    const { entries } = await api.listEntries({});
    await api.batchDeleteEntry({ ids: entries.map((entry) => entry.id) });
    assert.is((await api.countEntries({})).count, 0);
  }

  test('an entry is created once, and each of a batch has a status of its own', async () => {
    const entry = {
      ...{ spiffeId: id('/a'), parentId: node, selectors: selectors('x', 'y') },
      ...{ dnsNames: ['a.svc'], x509SvidTtl: 600, jwtSvidTtl: 60, hint: 'h', admin: true },
      ...{ federatesWith: ['other.org'], downstream: true, storeSvid: true },
      ...{ expiresAt: 99_999_999_999n },
    };
    const similar = { spiffeId: id('/a'), parentId: node, selectors: selectors('y', 'x', 'y') };
    const { results } = await api.batchCreateEntry({
      entries: [
        entry,
        similar,
        { spiffeId: id('/a') },
        { ...similar, id: 'own-id', spiffeId: id('/b') },
      ],
    });
    assert.equal(
      results.map(({ status }) => [status?.code, status?.message]),
      [
        [0, 'OK'],
        [Code.AlreadyExists, 'similar entry already exists'],
        [
          Code.InvalidArgument,
          'failed to convert entry: invalid parent ID: request must specify SPIFFE ID',
        ],
        [0, 'OK'],
      ],
    );
    assert.is(results[1]?.entry?.id, results[0]?.entry?.id);
    assert.is(results[3]?.entry?.id, 'own-id');
    const found = await api.getEntry({ id: results[0]?.entry?.id ?? '' });
    const { createdAt, ...rest } = JSON.parse(
      JSON.stringify(found, (key, value) =>
        key.startsWith('$') ? undefined : typeof value === 'bigint' ? Number(value) : value,
      ),
    );
    assert.ok(Math.abs(createdAt - Date.now() / 1000) < 60);
    assert.equal(rest, {
      ...entry,
      ...{ id: found.id, revisionNumber: 0 },
      expiresAt: 99_999_999_999,
    });
    const taken = await api.batchCreateEntry({
      entries: [{ ...similar, id: 'own-id', spiffeId: id('/c') }],
    });
    assert.is(taken.results[0]?.status?.code, Code.AlreadyExists);
    assert.is(taken.results[0]?.entry, undefined);
    await deleteAll();
  });

  test('what is not there, and what is wrong in a call, has SPIRE’s status and words', async () => {
    assert.is(await failure(api.getEntry({})), 'InvalidArgument: missing ID');
    assert.is(await failure(api.getEntry({ id: 'none' })), 'NotFound: entry not found');
    const parent = { byParentId: { trustDomain: 'other.org', path: '/a' } };
    assert.is(
      await failure(api.listEntries({ filter: parent })),
      'InvalidArgument: malformed parent ID filter: "spiffe://other.org/a" is not a member of trust domain "example.org"',
    );
    assert.is(
      await failure(api.countEntries({ filter: { bySelectors: { selectors: [] } } })),
      'InvalidArgument: malformed selectors filter: empty selector set',
    );
    assert.is(
      await failure(api.listEntries({ pageSize: 1, pageToken: 'x' })),
      "InvalidArgument: could not parse token 'x'",
    );
    const { results } = await api.batchUpdateEntry({
      entries: [{ id: 'none', spiffeId: id('/a'), parentId: node, selectors: selectors('x') }],
    });
    assert.equal(
      [results[0]?.status?.code, results[0]?.status?.message],
      [Code.NotFound, 'failed to update entry: record not found'],
    );
    const deleted = await api.batchDeleteEntry({ ids: ['', 'none'] });
    assert.equal(
      deleted.results.map((result) => [result.id, result.status?.code, result.status?.message]),
      [
        ['', Code.InvalidArgument, 'missing entry ID'],
        ['none', Code.NotFound, 'entry not found'],
      ],
    );
    const many = { ids: Array.from({ length: 1001 }, (_, index) => `${index}`) };
    assert.match(await failure(api.batchDeleteEntry(many)), /^ResourceExhausted/);
  });

  test('an update changes what its mask names, and counts the revision', async () => {
    const entry = await platform.enter('/a', ['x'], { hint: 'before', dnsNames: ['a.svc'] });
    const { results } = await api.batchUpdateEntry({
      entries: [{ id: entry, hint: 'after', spiffeId: id('/ignored') }],
      inputMask: { hint: true, dnsNames: false },
      outputMask: { hint: true, revisionNumber: true },
    });
    const changed = results[0]?.entry;
    assert.equal(
      [changed?.hint, changed?.revisionNumber, changed?.spiffeId],
      ['after', 1n, undefined],
    );
    const now = await api.getEntry({ id: entry });
    assert.equal([now.spiffeId?.path, now.dnsNames, now.hint], ['/a', ['a.svc'], 'after']);
    const bad = await api.batchUpdateEntry({ entries: [{ id: entry, hint: 'x' }] });
    assert.is(bad.results[0]?.status?.code, Code.InvalidArgument);
    const moved = await api.batchUpdateEntry({
      entries: [{ id: entry, spiffeId: id('/b') }],
      inputMask: { spiffeId: true },
    });
    assert.is(moved.results[0]?.entry?.spiffeId?.path, '/b');
    assert.ok(platform.authority.denied.isDenied('spiffe://example.org/a', Date.now() / 1000 - 1));
    await deleteAll();
  });

  test('filters and pages give what they say', async () => {
    await platform.enter('/a', ['x'], { hint: 'one' });
    await platform.enter('/b', ['x', 'y'], { downstream: true });
    await platform.enter('/b', ['z'], { federatesWith: ['other.org'] });
    const paths = async (filter: Filter) => {
      const { entries } = await api.listEntries({ filter });
      assert.is((await api.countEntries({ filter })).count, entries.length);
      return entries.map((each) => each.selectors.map(({ value }) => value).join('')).join(' ');
    };
    const match = (behavior: number, ...values: string[]) => ({
      bySelectors: { selectors: selectors(...values), match: behavior },
    });
    assert.is(await paths({}), 'x xy z');
    assert.is(await paths({ bySpiffeId: id('/b') }), 'xy z');
    assert.is(await paths({ byParentId: node, byHint: 'one' }), 'x');
    assert.is(await paths({ byHint: '' }), 'x xy z');
    assert.is(await paths({ byDownstream: true }), 'xy');
    assert.is(await paths({ byDownstream: false }), 'x z');
    assert.is(await paths({ byFederatesWith: { trustDomains: ['other.org'] } }), 'z');
    assert.is(await paths(match(matchBehavior.exact, 'x')), 'x');
    assert.is(await paths(match(matchBehavior.subset, 'x', 'y')), 'x xy');
    assert.is(await paths(match(matchBehavior.superset, 'x')), 'x xy');
    assert.is(await paths(match(matchBehavior.any, 'y', 'z')), 'xy z');
    assert.is(await paths({ byParentId: id('/node/other') }), '');

    const seen: string[] = [];
    for (let pageToken = ''; ; ) {
      const page = await api.listEntries({ pageSize: 2, pageToken, outputMask: { hint: true } });
      seen.push(
        ...page.entries.map((each) => `${each.id !== ''}${each.hint}${each.selectors.length}`),
      );
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    assert.equal(seen, ['trueone0', 'true0', 'true0']);
    await deleteAll();
  });

  test('the sync stream gives revisions, page by page, and then what is asked for', async () => {
    async function* first(message: object) {
      yield message;
    }
    const drain = async (requests: AsyncIterable<object>) => {
      const answers = [];
      for await (const answer of api.syncAuthorizedEntries(requests)) answers.push(answer);
      return answers;
    };
    assert.match(await failure(drain(first({ ids: ['a'] }))), /specifying IDs on initial request/);
    assert.match(
      await failure(drain(first({ outputMask: { hint: true } }))),
      /revision number cannot be masked/,
    );
    const many = Array.from({ length: 501 }, (_, index) => ({
      ...{ id: `entry-${String(index).padStart(4, '0')}`, spiffeId: id(`/w/${index}`) },
      ...{ parentId: node, selectors: selectors(`process:${index}@1`) },
    }));
    await api.batchCreateEntry({ entries: many.slice(0, 2) });
    assert.is((await drain(first({})))[0]?.entries.length, 2);
    await api.batchCreateEntry({ entries: many.slice(2) });
    const elsewhere = { spiffeId: id('/z'), parentId: id('/node/other') };
    await api.batchCreateEntry({ entries: [{ ...elsewhere, selectors: selectors('z') }] });

    let ask = (_: string[]) => {};
    const asked = new Promise<string[]>((resolve) => {
      ask = resolve;
    });
    async function* requests() {
      yield { outputMask: { revisionNumber: true, spiffeId: true } };
      yield { ids: await asked };
    }
    const answers = [];
    for await (const answer of api.syncAuthorizedEntries(requests())) {
      answers.push(answer);
      if (answers.length === 2) ask(['none', ...many.map((each) => each.id).reverse()]);
    }
    assert.equal(
      answers.map((each) => [each.entryRevisions.length, each.entries.length, each.more]),
      [
        [500, 0, true],
        [1, 0, false],
        [0, 500, true],
        [0, 1, false],
      ],
    );
    assert.equal(
      [answers[3]?.entries[0]?.id, answers[3]?.entries[0]?.selectors],
      ['entry-0500', []],
    );
    const authorized = await api.getAuthorizedEntries({});
    assert.is(authorized.entries.length, 501);
  });

  test.run();
}

cases('PGlite', async () => {
  const database = await openPglite();
  const platform = await startWithAuthority({ database });
  return {
    ...platform,
    async close() {
      await platform.close();
      await database.close();
    },
  };
});

if (needs('postgres')) {
  cases('PostgreSQL', async () => {
    const postgres = startPostgres();
    const database = openPg({ url: postgres.url });
    const platform = await startWithAuthority({ database });
    return {
      ...platform,
      async close() {
        await platform.close();
        await database.close();
        postgres.remove();
      },
    };
  });
}
