// One contract of the Entry API, held by our identity server and by a real SPIRE server alike.
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type EntryClient,
  type EntryFilter,
  entryClient,
  type WorkloadEntry,
  type WorkloadEntryChange,
  type WorkloadEntryDraft,
} from '../../runtime/identity/entry-client.ts';
import { Entry as EntryService } from '../../runtime/identity/proto/spire/api/server/entry/v1/entry_pb.js';
import { needs } from '../../runtime/testing/needs.ts';
import {
  differences,
  draft,
  factsOf,
  idOf,
  inOrder,
  invalid,
  parentId,
  refusal,
  selectors,
  trustDomain,
} from './testing/entry-cases.ts';
import { startEntryServer, type TestEntryServer } from './testing/entry-server.ts';
import { grpcTo } from './testing/identity.ts';
import { startSpire } from './testing/spire.ts';

function contract(name: 'ours' | 'spire', open: () => Promise<TestEntryServer>): void {
  const test = suite(`Entry API: ${name}`);
  let server: TestEntryServer;
  let entries: EntryClient;

  test.before(async () => {
    server = await open();
    entries = entryClient(server.adminSocket);
  });
  test.before.each(async () => {
    await entries.delete((await entries.list()).map(({ id }) => id));
    assert.is(await entries.count(), 0);
  });
  test.after(async () => {
    await entries.close();
    await server.remove();
  });

  async function enter(...drafts: WorkloadEntryDraft[]): Promise<WorkloadEntry[]> {
    const results = await entries.create(drafts);
    return results.map(({ entry, error }) => {
      if (error !== undefined) throw error;
      return entry as WorkloadEntry;
    });
  }

  test('an entry is created with all that it says, and with the defaults for the rest', async () => {
    const full = draft({
      ...{ dnsNames: ['bot.tenant-acme.svc', 'Bot-2.svc', 'xn--bcher-kva.svc'] },
      ...{ hint: 'é'.repeat(512) },
      ...{ x509TtlSeconds: 600, jwtTtlSeconds: 120 },
    });
    const [made, bare] = await enter(full, draft({ spiffeId: idOf('/bare') }));
    assert.equal(factsOf(made), factsOf({ ...full, id: '', revision: 0 } as WorkloadEntry));
    assert.match(made?.id ?? '', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    assert.is(made?.revision, 0);
    const { dnsNames, hint, x509TtlSeconds, jwtTtlSeconds } = bare as WorkloadEntry;
    assert.equal(
      { dnsNames, hint, x509TtlSeconds, jwtTtlSeconds },
      {
        ...{ dnsNames: [], hint: '', x509TtlSeconds: 0, jwtTtlSeconds: 0 },
      },
    );
    assert.equal(inOrder(await entries.get(made?.id ?? '')), inOrder(made));
  });

  test('a similar entry exists: the same identity, parent and selectors in any order', async () => {
    const [first] = await enter(draft({ hint: 'first' }));
    const [same, turned] = await entries.create([
      draft({ hint: 'second', dnsNames: ['x.svc'] }),
      draft({ selectors: selectors('agent:bot', 'tenant:acme') }),
    ]);
    for (const result of [same, turned]) {
      assert.is(result?.error?.code, 'entry_exists');
      assert.equal(inOrder(result?.entry), inOrder(first));
    }
    await enter(
      draft({ parentId: idOf('/node/other') }),
      draft({ spiffeId: idOf('/other') }),
      draft({ selectors: selectors('tenant:acme') }),
      draft({ selectors: selectors('tenant:acme', 'agent:bot', 'more:1') }),
    );
    assert.is(await entries.count(), 5);
  });

  test('whoever creates may choose the id, once', async () => {
    const [made] = await enter(draft({ id: 'my.own_id-1' }));
    assert.is(made?.id, 'my.own_id-1');
    const [taken, wrong, long] = await entries.create([
      draft({ id: 'my.own_id-1', spiffeId: idOf('/other') }),
      draft({ id: 'my own', spiffeId: idOf('/other') }),
      draft({ id: 'i'.repeat(256), spiffeId: idOf('/other') }),
    ]);
    assert.equal(
      [taken, wrong, long].map((result) => [result?.error?.code, result?.entry]),
      [
        ['entry_exists', undefined],
        ['entry_invalid', undefined],
        ['entry_invalid', undefined],
      ],
    );
  });

  test('what is wrong is refused, and the others of the call are not', async () => {
    const changes = Object.entries(invalid);
    const good = draft({ spiffeId: idOf('/good') });
    const results = await entries.create([...changes.map(([, change]) => draft(change)), good]);
    const last = results.pop();
    assert.is(last?.error, undefined);
    for (const [index, [word]] of changes.entries()) {
      assert.equal([word, results[index]?.error?.code], [word, 'entry_invalid']);
      assert.is(results[index]?.entry, undefined, word);
    }
    assert.equal(
      (await entries.list()).map(({ spiffeId }) => spiffeId),
      [good.spiffeId],
    );
  });

  test('where ours and SPIRE’s judgement differ, it is known how', async () => {
    const drafts = differences.map(([change], index) =>
      draft({ spiffeId: idOf(`/${index}`), ...change }),
    );
    assert.equal(
      (await entries.create(drafts)).map(({ error }) => error?.code),
      differences.map(([, said]) => said[name]),
    );
  });

  test('each filter finds what it says, and counts it', async () => {
    const made = await enter(
      draft({ spiffeId: idOf('/a'), hint: 'h', selectors: selectors('1') }),
      draft({ spiffeId: idOf('/b'), hint: 'h', selectors: selectors('1', '2') }),
      draft({ spiffeId: idOf('/c'), hint: 'i', selectors: selectors('1', '2', '3') }),
      draft({ spiffeId: idOf('/c'), parentId: idOf('/node/x'), selectors: selectors('3') }),
    );
    const names = new Map(made.map(({ id }, index) => [id, 'abcd'[index] ?? '?']));
    const by = (match: NonNullable<EntryFilter['selectors']>['match'], ...values: string[]) => ({
      selectors: { match, of: selectors(...values) },
    });
    const found: [EntryFilter | undefined, string][] = [
      [undefined, 'abcd'],
      [{ spiffeId: idOf('/c') }, 'cd'],
      [{ spiffeId: idOf('/C') }, ''],
      [{ spiffeId: idOf('/none') }, ''],
      [{ parentId }, 'abc'],
      [{ parentId: idOf('/node/x') }, 'd'],
      [{ hint: 'h' }, 'ab'],
      [{ hint: 'none' }, ''],
      [{ hint: '' }, 'abcd'],
      [by('exact', '1', '2'), 'b'],
      [by('exact', '2', '1'), 'b'],
      [by('exact', '2'), ''],
      [by('superset', '1', '2'), 'bc'],
      [by('superset', '3'), 'cd'],
      [by('subset', '1', '2'), 'ab'],
      [by('subset', '3', '4'), 'd'],
      [by('any', '2', '3'), 'bcd'],
      [by('any', '4'), ''],
      [{ ...by('any', '1', '3'), hint: 'h', parentId }, 'ab'],
      [{ ...by('superset', '3'), spiffeId: idOf('/c'), parentId }, 'c'],
    ];
    for (const [filter, expected] of found) {
      const ids = (await entries.list(filter)).map(({ id }) => names.get(id)).sort();
      assert.is(ids.join(''), expected, JSON.stringify(filter));
      assert.is(await entries.count(filter), expected.length, JSON.stringify(filter));
    }
    const wrong: EntryFilter[] = [
      { spiffeId: 'spiffe://other.org/a' },
      { spiffeId: idOf('/a//b') },
      { spiffeId: idOf('') },
      { spiffeId: idOf('/spire/server') },
      { parentId: 'spiffe://other.org/a' },
      { parentId: idOf('') },
      { selectors: { match: 'any', of: [] } },
      { selectors: { match: 'any', of: [{ type: 'a:b', value: 'c' }] } },
    ];
    for (const filter of wrong) {
      assert.is(await refusal(entries.list(filter)), 'entry_invalid', JSON.stringify(filter));
      assert.is(await refusal(entries.count(filter)), 'entry_invalid', JSON.stringify(filter));
    }
  });

  test('a list is read page by page, each entry once, though some go meanwhile', async () => {
    const drafts = Array.from({ length: 130 }, (_, index) =>
      draft({ spiffeId: idOf(`/many/${index}`), hint: index % 2 === 0 ? 'even' : 'odd' }),
    );
    const ids = (await enter(...drafts)).map(({ id }) => id);
    assert.equal((await entries.list()).map(({ id }) => id).sort(), [...ids].sort());
    assert.is((await entries.list({ hint: 'even' })).length, 65);

    const raw = createClient(EntryService, grpcTo(server.adminSocket));
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await raw.listEntries({ pageSize: 50, pageToken });
      seen.push(...page.entries.map(({ id }) => id));
      if (pageToken === '') await entries.delete(seen.slice(0, 20));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    assert.equal([...seen].sort(), [...ids].sort());
    assert.is((await raw.listEntries({})).entries.length, 110);
    const error = await raw.listEntries({ pageSize: 5, pageToken: 'x' }).catch(ConnectError.from);
    assert.ok(error instanceof ConnectError);
    // SPIRE hides its own `InvalidArgument` in an internal error.
    assert.is(Code[error.code], name === 'ours' ? 'InvalidArgument' : 'Internal');
    assert.match(error.rawMessage, /could not parse token 'x'/);
  });

  test('an entry that is not there is not found', async () => {
    assert.is(await refusal(entries.get('nobody')), 'entry_unknown');
    assert.is(await refusal(entries.get('')), 'entry_invalid');
  });

  test('an update changes what its mask names, and nothing else', async () => {
    const [before] = await enter(
      draft({ dnsNames: ['a.svc'], hint: 'h', x509TtlSeconds: 600, jwtTtlSeconds: 60 }),
    );
    const { id = '' } = before ?? {};
    let expected = before as WorkloadEntry;
    const changes: Omit<WorkloadEntryChange, 'id'>[] = [
      { hint: 'other' },
      { dnsNames: ['b.svc', 'c.svc'] },
      { dnsNames: [] },
      { x509TtlSeconds: 900 },
      { jwtTtlSeconds: 0 },
      { selectors: selectors('tenant:acme') },
      { spiffeId: idOf('/agent/acme/bot/writer'), parentId: idOf('/node/other') },
      { hint: '' },
      {},
    ];
    for (const change of changes) {
      const [result] = await entries.update([{ id, ...change }]);
      expected = { ...expected, ...change, revision: expected.revision + 1 };
      assert.is(result?.error, undefined);
      assert.equal(factsOf(result?.entry), factsOf(expected), JSON.stringify(change));
      assert.equal(inOrder(await entries.get(id)), inOrder(result?.entry));
      assert.is(result?.entry?.revision, expected.revision);
    }
    const refused = await entries.update([
      ...Object.values(invalid).map((change) => ({ id, ...change })),
      { id: 'nobody', hint: 'x' },
    ]);
    assert.is(refused.pop()?.error?.code, 'entry_unknown');
    for (const [index, word] of Object.keys(invalid).entries()) {
      assert.equal([word, refused[index]?.error?.code], [word, 'entry_invalid']);
    }
    assert.equal(factsOf(await entries.get(id)), factsOf(expected));
  });

  test('what a mask leaves out is not looked at', async () => {
    const [entry] = await enter(draft({ hint: 'h', x509TtlSeconds: 600 }));
    const raw = createClient(EntryService, grpcTo(server.adminSocket));
    const { results } = await raw.batchUpdateEntry({
      entries: [
        {
          ...{ id: entry?.id ?? '', hint: 'new', x509SvidTtl: -1, jwtSvidTtl: -1 },
          ...{ dnsNames: ['a b'], selectors: [{ type: '', value: '' }] },
          spiffeId: { trustDomain: 'other.org', path: 'x' },
        },
      ],
      inputMask: { hint: true },
      outputMask: { hint: true, x509SvidTtl: true },
    });
    const [result] = results;
    assert.is(result?.status?.code, 0, result?.status?.message);
    assert.equal([result?.entry?.hint, result?.entry?.x509SvidTtl], ['new', 600]);
    assert.equal([result?.entry?.spiffeId, result?.entry?.selectors], [undefined, []]);
  });

  test('entries are deleted one by one, each with a result of its own', async () => {
    const [first, second] = await enter(draft(), draft({ spiffeId: idOf('/second') }));
    const ids = [first?.id ?? '', 'nobody', '', first?.id ?? ''];
    assert.equal(
      (await entries.delete(ids)).map(({ error }) => error?.code),
      [undefined, 'entry_unknown', 'entry_invalid', 'entry_unknown'],
    );
    assert.equal((await entries.list()).map(inOrder), [inOrder(second)]);
    const [again] = await enter(draft());
    assert.is.not(again?.id, first?.id);
  });

  test.run();
}

contract('ours', () => startEntryServer(trustDomain));
if (needs('spire')) contract('spire', () => startSpire(trustDomain));
