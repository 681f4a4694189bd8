// Tests of SPIFFE ID rules and scopes: every rule's own code, near misses, and hostile text.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { hostileJson, hostileText } from '../testing/json-arbitraries.ts';
import { Scope } from './scope.ts';
import { moduleBytes } from './source.ts';

const scope = Scope.create(moduleBytes('scope'));

function code(id: string): string {
  try {
    scope.parse(id);
  } catch (error) {
    return codeOf(error);
  }
  return 'accepted';
}

const pathCharacters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_';
const trustDomainCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789.-_';
const segment = fc
  .string({ unit: fc.constantFrom(...pathCharacters), minLength: 1, maxLength: 12 })
  .filter((text) => text !== '.' && text !== '..');
const trustDomain = fc.string({
  unit: fc.constantFrom(...trustDomainCharacters),
  minLength: 1,
  maxLength: 20,
});
const path = fc.array(segment, { maxLength: 6 });
const idOf = (domain: string, segments: readonly string[]) =>
  ['spiffe:/', domain, ...segments].join('/');

test('takes well-formed IDs apart', () => {
  fc.assert(
    fc.property(trustDomain, path, (domain, segments) => {
      assert.equal(scope.parse(idOf(domain, segments)), { trustDomain: domain, path: segments });
    }),
  );
  assert.equal(scope.parse('spiffe://platform.local/agent/acme/bot/main'), {
    trustDomain: 'platform.local',
    path: ['agent', 'acme', 'bot', 'main'],
  });
  assert.equal(scope.parse('spiffe://td/.../..a/a..').path, ['...', '..a', 'a..']);
});

test('refuses each broken rule of SPIFFE-ID section 2 with its own code', () => {
  const cases: [string, string][] = [
    ['', 'spiffe_id_empty'],
    [`spiffe://td/${'x'.repeat(2037)}`, 'spiffe_id_too_long'],
    ['http://td/a', 'spiffe_scheme_wrong'],
    ['SPIFFE://td/a', 'spiffe_scheme_wrong'],
    ['spiffe:/td/a', 'spiffe_scheme_wrong'],
    ['spiffe:td/a', 'spiffe_scheme_wrong'],
    ['spiffe', 'spiffe_scheme_wrong'],
    [' spiffe://td/a', 'spiffe_scheme_wrong'],
    ['//td/a', 'spiffe_scheme_wrong'],
    ['spiffe://', 'spiffe_trust_domain_missing'],
    ['spiffe:///a', 'spiffe_trust_domain_missing'],
    [`spiffe://${'t'.repeat(256)}/a`, 'spiffe_trust_domain_too_long'],
    ['spiffe://TD/a', 'spiffe_trust_domain_character'],
    ['spiffe://t d/a', 'spiffe_trust_domain_character'],
    ['spiffe://tést/a', 'spiffe_trust_domain_character'],
    ['spiffe://[::1]/a', 'spiffe_trust_domain_character'],
    ['spiffe://td\0/a', 'spiffe_trust_domain_character'],
    ['spiffe://user@td/a', 'spiffe_user_info'],
    ['spiffe://td:8443/a', 'spiffe_port'],
    ['spiffe://td:/a', 'spiffe_port'],
    ['spiffe://td?a=b', 'spiffe_query'],
    ['spiffe://td/a?b', 'spiffe_query'],
    ['spiffe://td#a', 'spiffe_fragment'],
    ['spiffe://td/a#', 'spiffe_fragment'],
    ['spiffe://t%64/a', 'spiffe_percent_encoding'],
    ['spiffe://td/%61', 'spiffe_percent_encoding'],
    ['spiffe://td/a%2fb', 'spiffe_percent_encoding'],
    ['spiffe://td/*', 'spiffe_wildcard'],
    ['spiffe://*/a', 'spiffe_wildcard'],
    ['spiffe://td/a b', 'spiffe_path_character'],
    ['spiffe://td/a:b', 'spiffe_path_character'],
    ['spiffe://td/a@b', 'spiffe_path_character'],
    ['spiffe://td/a\\b', 'spiffe_path_character'],
    ['spiffe://td/é', 'spiffe_path_character'],
    ['spiffe://td/a\n', 'spiffe_path_character'],
    ['spiffe://td/a;b=c', 'spiffe_path_character'],
    ['spiffe://td//a', 'spiffe_path_empty_segment'],
    ['spiffe://td/a//b', 'spiffe_path_empty_segment'],
    ['spiffe://td/./a', 'spiffe_path_dot_segment'],
    ['spiffe://td/a/..', 'spiffe_path_dot_segment'],
    ['spiffe://td/../td2/a', 'spiffe_path_dot_segment'],
    ['spiffe://td/', 'spiffe_path_trailing_slash'],
    ['spiffe://td/a/', 'spiffe_path_trailing_slash'],
    ['spiffe://td/\ud800', 'input_lone_surrogate'],
  ];
  for (const [id, expected] of cases) assert.is(code(id), expected, id.slice(0, 40));
  assert.is(new Set(cases.map(([, expected]) => expected)).size, 17);
});

test('takes what is exactly at the limits', () => {
  assert.is(code(`spiffe://${'t'.repeat(255)}/a`), 'accepted');
  assert.is(code(`spiffe://td/${'x'.repeat(2036)}`), 'accepted');
});

test('accepts no text that a plain reading of the standard refuses', () => {
  const shape = /^spiffe:\/\/[a-z0-9._-]{1,255}(\/[A-Za-z0-9._-]+)*$/;
  const plain = (id: string) =>
    id.length <= 2048 &&
    shape.test(id) &&
    !id
      .split('/')
      .slice(3)
      .some((part) => part === '.' || part === '..');
  const insert = fc.oneof(
    fc.constantFrom(..."/.*%:@?#[]!$&'()+,;= \0\n\\~ÀA", '//', '/..', '/./', '%2e', '\u2215', '﹒'),
    hostileText(),
  );
  fc.assert(
    fc.property(
      trustDomain,
      path,
      insert,
      fc.nat(),
      fc.nat(2),
      (domain, segments, text, at, cut) => {
        const id = idOf(domain, segments);
        const where = at % (id.length + 1);
        const mutated = id.slice(0, where) + text + id.slice(where + cut);
        assert.is(code(mutated) === 'accepted', plain(mutated), JSON.stringify(mutated));
      },
    ),
    { numRuns: 5000 },
  );
});

test('covers the forms of scope that there are, segment by segment', () => {
  const cases: [string, string, boolean][] = [
    ['/agent/acme/bot/main', '/agent/acme/bot/main', true],
    ['/agent/acme/bot/main', '/agent/acme/bot/writer', false],
    ['/agent/acme/bot/*', '/agent/acme/bot/main', true],
    ['/agent/acme/bot/*', '/agent/acme/bot/main/deeper', true],
    ['/agent/acme/bot/*', '/agent/acme/bot', false],
    ['/agent/acme/bot/*', '/agent/acme/botnet/x', false],
    ['/agent/acme/bot/*', '/agent/acme/bot-2/x', false],
    ['/agent/acme/bot/*', '/agent/acme/bo/t', false],
    ['/agent/acme/*', '/agent/acme/bot/main', true],
    ['/agent/acme/*', '/agent/acme2/bot/main', false],
    ['/agent/acme', '/agent/acme/bot', false],
    ['/agent/acme/BOT/*', '/agent/acme/bot/main', false],
    ['/*', '/agent', true],
    ['/*', '', false],
    ['', '', true],
    ['', '/agent', false],
  ];
  for (const [scopePath, idPath, covered] of cases) {
    const decision = scope.decide(`spiffe://td${scopePath}`, `spiffe://td${idPath}`);
    assert.is(decision.allow, covered, `${scopePath} ${idPath}`);
    assert.is(decision.reason.code, covered ? 'scope_covers' : 'scope_does_not_cover');
    assert.not(scope.decide(`spiffe://td${scopePath}`, `spiffe://td2${idPath}`).allow);
    assert.not(scope.decide(`spiffe://td${scopePath}`, `spiffe://t${idPath}`).allow);
  }
});

test('denies malformed scopes and IDs with the rule that they break', () => {
  const cases: [string, string, string][] = [
    ['spiffe://td/a/*/b', 'spiffe://td/a/x/b', 'spiffe_wildcard'],
    ['spiffe://td/a*', 'spiffe://td/ab', 'spiffe_wildcard'],
    ['spiffe://td/a/**', 'spiffe://td/a/b', 'spiffe_wildcard'],
    ['spiffe://td/*/*', 'spiffe://td/a/b', 'spiffe_wildcard'],
    ['spiffe://*', 'spiffe://td', 'spiffe_scheme_wrong'],
    ['*', 'spiffe://td', 'spiffe_scheme_wrong'],
    ['/*', 'spiffe://td', 'spiffe_id_empty'],
    ['spiffe:///*', 'spiffe://td/a', 'spiffe_trust_domain_missing'],
    ['spiffe://td//*', 'spiffe://td/a', 'spiffe_path_trailing_slash'],
    ['spiffe://td/a/', 'spiffe://td/a/', 'spiffe_path_trailing_slash'],
    ['', '', 'spiffe_id_empty'],
    ['spiffe://td/a/*', 'spiffe://td/a/*', 'spiffe_wildcard'],
    ['spiffe://td/a/*', 'spiffe://td/a/../b', 'spiffe_path_dot_segment'],
    ['spiffe://td/a/*', 'spiffe://td/a/', 'spiffe_path_trailing_slash'],
    ['spiffe://td/a/*', 'spiffe://td/a/%2e%2e/b', 'spiffe_percent_encoding'],
  ];
  for (const [pattern, id, expected] of cases) {
    const decision = scope.decide(pattern, id);
    assert.not(decision.allow);
    assert.is(decision.reason.code, expected, `${pattern} ${id}`);
    assert.match(decision.reason.message, /^the (scope|SPIFFE ID) (is|has|does|ends) /);
  }
});

test('covers exactly the IDs that have the scope as leading segments', () => {
  const word = fc.constantFrom('a', 'ab', 'b', 'bot', 'botnet', 'bo', 't', 'A');
  const words = fc.array(word, { maxLength: 4 });
  fc.assert(
    fc.property(words, words, fc.boolean(), (base, below, wildcard) => {
      for (const id of [below, [...base, ...below]]) {
        const leads = base.every((part, i) => id[i] === part);
        const expected = leads && (wildcard ? id.length > base.length : id.length === base.length);
        const pattern = idOf('td', base) + (wildcard ? '/*' : '');
        assert.is(scope.decide(pattern, idOf('td', id)).allow, expected);
      }
    }),
    { numRuns: 3000 },
  );
});

test('refuses inputs of another shape and never traps', () => {
  const refusal = (input: Uint8Array) => {
    try {
      return JSON.parse(Buffer.from(scope.decideBytes(input)).toString()).allow;
    } catch (error) {
      return codeOf(error);
    }
  };
  for (const shape of [
    ...['null', '[]', '{}', '{"scope":"a"}', '{"spiffe_id":"a"}', '{"scope":1,"spiffe_id":"a"}'],
    ...['{"scope":"a","spiffe_id":null}', '{"scope":"a","spiffe_id":"a","more":1}'],
  ]) {
    assert.is(refusal(Buffer.from(shape)), 'input_invalid', shape);
  }
  assert.is(refusal(Buffer.from('{"scope":"a","scope":"b"}')), 'input_duplicate_key');
  fc.assert(
    fc.property(hostileJson(), (bytes) => {
      const result = refusal(bytes);
      assert.ok(result === false || String(result).startsWith('input_'), String(result));
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(hostileText(), hostileText(), (pattern, id) => {
      assert.is(scope.decide(pattern, id).allow, false);
    }),
  );
});

test.run();
