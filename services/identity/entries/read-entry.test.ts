// Entries off the wire, as somebody who wants another's identity would write them.
import { create, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../../runtime/errors.ts';
import { EntrySchema } from '../../../runtime/identity/proto/spire/api/types/entry_pb.js';
import { Scope } from '../../../runtime/modules/scope.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { compare, matchBehavior } from './filter.ts';
import { EntryReader } from './read-entry.ts';

const test = suite('reading entries');
const trustDomain = 'example.org';
const scope = Scope.create(moduleBytes('scope'));
const reader = new EntryReader(scope, trustDomain);
const good = {
  spiffeId: { trustDomain, path: '/agent/acme/bot/main' },
  parentId: { trustDomain, path: '/node/local' },
  selectors: [{ type: 'platform', value: 'process:1@1' }],
};

type Init = Exclude<MessageInitShape<typeof EntrySchema>, Message>;

function read(change: Init) {
  return reader.entry(create(EntrySchema, { ...good, ...change }));
}

function refusal(change: Init): string {
  try {
    read(change);
    return '';
  } catch (error) {
    assert.is(codeOf(error), 'entry_invalid');
    return (error as Error).message;
  }
}

test('what is wrong is said in SPIRE’s words', () => {
  const spiffeId = (domain: string, path: string) => ({
    spiffeId: { trustDomain: domain, path },
  });
  const cases: [Init, RegExp][] = [
    [{ spiffeId: undefined }, /^invalid spiffe ID: request must specify SPIFFE ID$/],
    [{ parentId: undefined }, /^invalid parent ID: request must specify SPIFFE ID$/],
    [spiffeId('example.com', '/a'), /is not a member of trust domain "example.org"$/],
    [spiffeId(trustDomain, ''), /is not a workload in trust domain "example.org"; path is empty$/],
    [spiffeId(trustDomain, '/spire/server'), /path is in the reserved namespace$/],
    [spiffeId(trustDomain, 'a'), /path must have a leading slash$/],
    [spiffeId('example', '.org/a'), /path must have a leading slash$/],
    [spiffeId('example.org/a', '/b'), /./],
    [spiffeId('EXAMPLE.ORG', '/b'), /./],
    [spiffeId(trustDomain, '/a/../b'), /./],
    [spiffeId(trustDomain, '/a%2fb'), /./],
    [spiffeId(trustDomain, '/a/'), /./],
    [{ selectors: [] }, /^selector list is empty$/],
    [{ selectors: [{ type: '', value: 'x' }] }, /^missing selector type$/],
    [{ selectors: [{ type: 'a:b', value: 'x' }] }, /^selector type contains ':'$/],
    [{ selectors: [{ type: 'a', value: '' }] }, /^missing selector value$/],
    [{ selectors: [{ type: '\0', value: 'a' }] }, /^selector holds a NUL$/],
    [{ selectors: [{ type: 'a', value: 'a\0' }] }, /^selector holds a NUL$/],
    [{ hint: '\0' }, /^hint holds a NUL$/],
    [{ x509SvidTtl: -1 }, /X509SvidTtl is not set$/],
    [{ jwtSvidTtl: -1 }, /JwtSvidTtl is not set$/],
    [{ x509SvidTtl: 299 }, /less than 300 seconds$/],
    [{ x509SvidTtl: 86_401 }, /more than 86400 seconds$/],
    [{ expiresAt: -1n }, /^expiry is not a time$/],
    [{ hint: 'x'.repeat(1025) }, /^hint is too long/],
    [{ hint: 'é'.repeat(513) }, /^hint is too long/],
    [{ id: 'a/b' }, /^entry ID contains invalid characters$/],
    [{ id: 'a'.repeat(256) }, /^entry ID too long$/],
    [{ federatesWith: ['not a domain'] }, /^invalid federated trust domain: /],
  ];
  for (const [change, words] of cases) assert.match(refusal(change), words);
  assert.is(read({}).spiffeId, 'spiffe://example.org/agent/acme/bot/main');
  assert.is(read({ x509SvidTtl: 300, hint: 'é'.repeat(512) }).x509SvidTtl, 300);
});

test('a SPIFFE ID in two parts is taken only where the two are those of the whole', () => {
  const part = fc.constantFrom(
    ...['example.org', 'example', '.org', 'EXAMPLE.org', '/', '//', '/a', 'a', '.', '..', '%2f'],
    ...[':80', '@', '?', '#', '*', ' ', '\0', 'é', 'spiffe://', '\ud800'],
  );
  const text = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(fc.constant(trustDomain), text), text, (domain, path) => {
      if (refusal({ spiffeId: { trustDomain: domain, path } }) !== '') return;
      taken += 1;
      assert.is(domain, trustDomain);
      assert.ok(path.startsWith('/') && path.length > 1);
      assert.is(scope.parse(`spiffe://${domain}${path}`).path.join('/'), path.slice(1));
    }),
    { numRuns: 5000 },
  );
  assert.ok(taken > 10, `${taken} taken`);
});

test('a DNS name is a host name, and no wildcard', () => {
  for (const name of ['bot.tenant-acme.svc', 'A-1', 'x'.repeat(63), 'xn--bcher-kva.a--b']) {
    assert.equal(read({ dnsNames: [name] }).dnsNames, [name]);
  }
  const part = fc.constantFrom('a', 'A1', '-', '.', '*', '_', ' ', 'é', '\0', '/', '..');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const name = parts.join('');
      const isHost =
        /^([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;
      const isReserved = name.split('.').some((label) => label.startsWith('--', 2));
      const isTaken = isHost.test(name) && !isReserved;
      assert.is(refusal({ dnsNames: [name] }) === '', isTaken, JSON.stringify(name));
    }),
    { numRuns: 2000 },
  );
});

test('under a mask, what the mask leaves out need not be there, nor be right', () => {
  const mask = { hint: true };
  const wrong = { x509SvidTtl: -1, dnsNames: [' '], spiffeId: { trustDomain: 'other.org' } };
  const empty = reader.entry(create(EntrySchema, { id: 'a', hint: 'h', ...wrong }), mask);
  assert.equal([empty.spiffeId, empty.parentId, empty.selectors, empty.hint], ['', '', [], 'h']);
  assert.throws(() => reader.entry(create(EntrySchema, { id: 'a' }), { ...mask, selectors: true }));
});

test('the four ways to match are those of sets', () => {
  const few = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }), few, (wanted, has) => {
      const [set, own] = [new Set(wanted), new Set(has)];
      const { exact, subset, superset, any } = matchBehavior;
      const isSubset = [...own].every((each) => set.has(each));
      const isSuperset = [...set].every((each) => own.has(each));
      const shared = [...own].filter((each) => set.has(each));
      assert.is(compare(has, set, any), shared.length > 0);
      assert.is(compare(has, set, superset), isSuperset);
      assert.is(compare(has, set, subset), own.size > 0 && isSubset);
      assert.is(compare(has, set, exact), [...own].sort().join() === [...set].sort().join());
    }),
  );
  assert.throws(() => compare(['a'], new Set('a'), 4), /unhandled match behavior/);
});

test.run();
