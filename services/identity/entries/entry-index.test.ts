// Matching entries: as a look at every entry would, without looking at every entry.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Entry, type Selector, selectorKey } from './entry.ts';
import { EntryIndex } from './entry-index.ts';

const test = suite('entry index');

function entry(id: string, selectors: readonly Selector[], more: Partial<Entry> = {}): Entry {
  return {
    ...{ id, ordinal: Number(id), spiffeId: `spiffe://td/${id}`, parentId: 'spiffe://td/node' },
    ...{ selectors, x509SvidTtl: 0, jwtSvidTtl: 0, federatesWith: [], admin: false },
    ...{ downstream: false, expiresAt: 0, dnsNames: [], revisionNumber: 0, storeSvid: false },
    ...{ hint: '', createdAt: 0, ...more },
  };
}

const selector = fc.record({
  type: fc.constantFrom('a', 'b'),
  value: fc.constantFrom('x', 'y', ':x', 'a:x', 'tenant:acme'),
});

test('it finds what a look at every entry finds, whatever came and went', () => {
  const operation = fc.record({
    id: fc.integer({ min: 1, max: 12 }).map(String),
    selectors: fc.array(selector, { minLength: 1, maxLength: 4 }),
    isDeletion: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), fc.array(selector), (steps, caller) => {
      const index = new EntryIndex();
      const all = new Map<string, Entry>();
      for (const { id, selectors, isDeletion } of steps) {
        if (isDeletion) {
          assert.is(index.delete(id) !== undefined, all.delete(id));
        } else {
          all.set(id, entry(id, selectors));
          index.set(entry(id, selectors));
        }
      }
      const has = new Set(caller.map(selectorKey));
      const wanted = [...all.values()]
        .filter(({ selectors }) => selectors.every((each) => has.has(selectorKey(each))))
        .map(({ id }) => Number(id))
        .sort((a, b) => a - b);
      assert.equal(
        index.matching(has).map(({ id }) => Number(id)),
        wanted,
      );
      assert.is(index.size, all.size);
    }),
    { numRuns: 1000 },
  );
});

test('of a hundred thousand entries it looks at a few', () => {
  const index = new EntryIndex();
  let looks = 0;
  for (let i = 1; i <= 100_000; i += 1) {
    const own: Selector[] = [
      { type: 'platform', value: 'tenant:acme' },
      { type: 'platform', value: `agent:${i % 100}` },
      { type: 'platform', value: `process:${i}@1` },
    ];
    const one = entry(String(i), own);
    index.set(
      Object.defineProperty(one, 'selectors', {
        get() {
          looks += 1;
          return own;
        },
      }),
    );
  }
  looks = 0;
  const caller = new Set(['platform:tenant:acme', 'platform:agent:77', 'platform:process:77@1']);
  assert.equal(
    index.matching(caller).map(({ id }) => id),
    ['77'],
  );
  assert.ok(looks < 200, `${looks} entries were looked at`);
});

test('expiry is told of those that expire only', () => {
  const index = new EntryIndex();
  const own = [{ type: 'a', value: 'x' }];
  index.set(entry('1', own, { expiresAt: 10 }));
  index.set(entry('2', own, { expiresAt: 11 }));
  index.set(entry('3', own));
  assert.equal(
    index.expired(10).map(({ id }) => id),
    ['1'],
  );
  index.set(entry('1', own));
  assert.equal(index.expired(10), []);
});

test.run();
