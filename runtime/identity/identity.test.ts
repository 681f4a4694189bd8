// SPIFFE IDs and command patterns against hostile input.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../errors.ts';
import { matchesCommand } from './command-pattern.ts';
import { agentSpiffeId } from './spiffe-id.ts';

const good = { trustDomain: 'platform.local', tenant: 'acme', agent: 'bot', role: 'main' };

test('a part can never add, remove or climb a path segment', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.constantFrom('', '.', '..', 'a/b', '%2e%2e', 'a%2fb', 'bot?x', 'bot#x', 'bö', 'a b', 'a\0'),
  );
  fc.assert(
    fc.property(fc.constantFrom('tenant', 'agent', 'role'), hostile, (part, value) => {
      let id: string;
      try {
        id = agentSpiffeId({ ...good, [part]: value });
      } catch (error) {
        return codeOf(error) === 'spiffe_id_invalid';
      }
      const { hostname, pathname } = new URL(id);
      const segments = pathname.split('/');
      return hostname === 'platform.local' && segments.length === 5 && segments.includes(value);
    }),
    { numRuns: 2000 },
  );
});

test('trust domains hold lower case only and the right length', () => {
  for (const trustDomain of ['', 'A.b', 'a/b', 'a:1', 'x'.repeat(256), 'user@a', 'ä']) {
    assert.throws(
      () => agentSpiffeId({ ...good, trustDomain }),
      (error: unknown) => codeOf(error) === 'spiffe_id_invalid',
    );
  }
  const longest = 'x'.repeat(255);
  assert.match(agentSpiffeId({ ...good, trustDomain: longest }), longest);
});

test('a command pattern matches what the same pattern as an expression matches', () => {
  const piece = fc.constantFrom('a', 'b', '*', '.', '(', 'ab');
  const text = fc.array(fc.constantFrom('a', 'b', '.', '('), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), text, (pieces, letters) => {
      const pattern = pieces.join('');
      const escaped = pattern.replace(/[.(]/g, '\\$&').replaceAll('*', '.*');
      const value = letters.join('');
      return matchesCommand(pattern, value) === new RegExp(`^${escaped}$`, 's').test(value);
    }),
    { numRuns: 5000 },
  );
});

test('the worst pattern on the longest command line ends', () => {
  assert.not(matchesCommand('*a'.repeat(127), `${'a'.repeat(16_000)}b`));
});

test.run();
