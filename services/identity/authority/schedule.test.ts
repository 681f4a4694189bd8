// When keys are made, sign and go: no gap, and nothing signs that was not published for long before.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { activeOf, type Lifetime, nextOf, planOf } from './schedule.ts';

const ttl = 24 * 3_600_000;
const ahead = 1000;

test('at half life the next is made, at 5/6 it signs, at the end the first is gone', () => {
  const first = planOf([], 0, ttl, ahead)!;
  assert.equal(first, { preparedAt: 0, activatesAt: 0, expiresAt: ttl });
  assert.is(planOf([first], ttl / 2 - 1, ttl, ahead), undefined);
  const second = planOf([first], ttl / 2, ttl, ahead)!;
  assert.equal(second, {
    preparedAt: ttl / 2,
    activatesAt: (ttl * 5) / 6,
    expiresAt: (ttl * 3) / 2,
  });
  const both = [second, first];
  assert.is(nextOf(both, ttl / 2), second);
  assert.is(activeOf(both, (ttl * 5) / 6 - 1), first);
  assert.is(activeOf(both, (ttl * 5) / 6), second);
  assert.is(nextOf(both, (ttl * 5) / 6), undefined);
  assert.is(activeOf([first], ttl), undefined);
});

test('after a standstill past 5/6 the next is published before it signs', () => {
  const first: Lifetime = { preparedAt: 0, activatesAt: 0, expiresAt: ttl };
  const now = ttl - 10_000;
  assert.is(planOf([first], now, ttl, ahead)?.activatesAt, now + ahead);
  // No time left to publish ahead: it signs when the first ends, not after.
  assert.is(planOf([first], ttl - 2, ttl, ahead)?.activatesAt, ttl - 1);
  assert.is(planOf([first], ttl, ttl, ahead)?.activatesAt, ttl);
});

test('a clock that was set back finds the first key, and makes no other', () => {
  const first: Lifetime = { preparedAt: ttl, activatesAt: ttl, expiresAt: 2 * ttl };
  assert.is(activeOf([first], ttl - 300_000), first);
  assert.is(planOf([first], ttl - 300_000, ttl, ahead), undefined);
});

test('however often it is looked at, there is a key, and whoever knows the bundle trusts it', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 3 * 3_600_000 }), {
    minLength: 20,
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: 60_000, max: ttl }), (pauses, lifetime) => {
      let keys: Lifetime[] = [];
      let now = 0;
      const publishedAt = new Map<Lifetime, number>();
      let active: Lifetime | undefined;
      for (const pause of pauses) {
        const made = planOf(keys, now, lifetime, ahead);
        keys = keys.filter((key) => now < key.expiresAt);
        if (made) {
          keys.push(made);
          publishedAt.set(made, now);
        }
        const signs = activeOf(keys, now)!;
        assert.ok(signs !== undefined && now < signs.expiresAt);
        // A change of keys while the old one lives is one that everybody saw coming.
        if (active && signs !== active && now < active.expiresAt - ahead) {
          assert.ok(now - publishedAt.get(signs)! >= Math.min(ahead, pause));
        }
        assert.ok(keys.length <= 3, `${keys.length} keys`);
        active = signs;
        now += pause;
      }
    }),
  );
});

test.run();
