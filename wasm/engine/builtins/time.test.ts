// Compares the time built-ins with JavaScript's Date and Intl over wide ranges, and with OPA on everything else.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../../runtime/testing/needs.ts';
import type { Call } from '../opa-testing.ts';
import { EngineFailure, engineUnderTest } from '../testing.ts';
import { agreesWithOpa } from './opa-agreement-testing.ts';
import { duration, layout, moment, spoiled, zone, zones } from './time-testing.ts';

const engine = await engineUnderTest('time');
const MILLISECOND = 1_000_000n;
const DAY = 86_400_000_000_000n;

/** Milliseconds since 1970 in all the years that nanoseconds reach. */
const millisecond = fc.integer({ min: -9_223_372_036_854, max: 9_223_372_036_854 });

function runs<T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, property), { numRuns: 3000 });
}

/** Numbers as the engine gives them: small ones are no bigints. */
function bigint(value: unknown): bigint {
  return BigInt(value as number | bigint);
}

test('has the dates, times and weekdays of Date', () => {
  runs(millisecond, (ms) => {
    const date = new Date(ms);
    const ns = BigInt(ms) * MILLISECOND;
    const days = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    assert.equal(engine.call('time.date', ns), days);
    const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
    assert.equal(engine.call('time.clock', [ns, 'UTC']), clock);
    const weekday = date.toLocaleString('en', { weekday: 'long', timeZone: 'UTC' });
    assert.is(engine.call('time.weekday', [ns]), weekday);
    const text = engine.call('time.format', [ns, '', '2006-01-02T15:04:05.000Z07:00']);
    assert.is(text, date.toISOString());
    assert.is(bigint(engine.call('time.parse_rfc3339_ns', text)), ns);
  });
});

test('adds years, months and days as Date does', () => {
  const step = fc.integer({ min: -5000, max: 5000 });
  runs(fc.tuple(millisecond, step, step, step), ([ms, years, months, days]) => {
    const date = new Date(ms);
    date.setUTCFullYear(
      date.getUTCFullYear() + years,
      date.getUTCMonth() + months,
      date.getUTCDate() + days,
    );
    const ns = BigInt(date.getTime()) * MILLISECOND;
    const inRange = BigInt.asIntN(64, ns) === ns;
    const sum = engine.call('time.add_date', BigInt(ms) * MILLISECOND, years, months, days);
    if (inRange) assert.is(bigint(sum), ns);
    else assert.is(sum, undefined);
  });
});

test('has a difference that leads from one moment to the other', () => {
  runs(fc.tuple(millisecond, millisecond), ([a, b]) => {
    const from = BigInt(Math.min(a, b)) * MILLISECOND;
    const to = BigInt(Math.max(a, b)) * MILLISECOND;
    const difference = engine.call('time.diff', from, to) as number[];
    assert.equal(engine.call('time.diff', to, from), difference);
    const [years, months, days, hours, minutes, seconds] = difference as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    assert.ok(months < 12 && days < 31 && hours < 24 && minutes < 60 && seconds < 60);
    const reached = bigint(engine.call('time.add_date', from, years, months, days));
    const rest = BigInt((hours * 60 + minutes) * 60 + seconds) * 1_000_000_000n;
    const missed = to - (reached + rest);
    // A borrowed month has the days of the first one, whichever it is.
    const allowed = 4n * DAY;
    assert.ok(missed < allowed && missed > -allowed, `${from} ${to}`);
  });
});

test('knows the offsets of time zones that Intl knows', () => {
  // Between these years no two releases of the database disagree about these zones.
  const seconds = fc.integer({ min: 0, max: Date.UTC(2035, 0) / 1000 });
  runs(fc.tuple(seconds, fc.constantFrom(...zones)), ([second, name]) => {
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    }).formatToParts(second * 1000);
    const part = (type: string) => parts.find((found) => found.type === type)!.value;
    const expected = `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}`;
    const ns = BigInt(second) * 1_000_000_000n;
    assert.is(engine.call('time.format', [ns, name, '2006-01-02 15:04:05']), expected, name);
  });
});

test('answers at the ends of what 64 bits hold, and not beyond', () => {
  const first = '1677-09-21T00:12:43.145224192Z';
  const last = '2262-04-11T23:47:16.854775807Z';
  assert.is(engine.call('time.parse_rfc3339_ns', first), -(2n ** 63n));
  assert.is(engine.call('time.parse_rfc3339_ns', last), 2n ** 63n - 1n);
  assert.is(engine.call('time.format', -(2n ** 63n)), first);
  assert.is(engine.call('time.format', 2n ** 63n - 1n), last);
  for (const beyond of ['1677-09-21T00:12:43.145224191Z', '2262-04-11T23:47:16.854775808Z']) {
    assert.is(engine.call('time.parse_rfc3339_ns', beyond), undefined);
  }
  assert.is(engine.call('time.add_date', 2n ** 63n - 1n, 0, 0, 1), undefined);
  assert.is(engine.call('time.date', 2n ** 63n), undefined);
  assert.is(engine.call('time.parse_duration_ns', '-292y'), -292n * 31_536_000_000_000_000n);
  assert.is(engine.call('time.parse_duration_ns', '293y'), undefined);
});

test('tells wrong types from times that are none', () => {
  const failure = (...call: Call) => {
    try {
      return engine.callStrict(...call);
    } catch (error) {
      return (error as EngineFailure).failure;
    }
  };
  const builtin = 1;
  const type = 2;
  assert.is(failure('time.date', 'today'), type);
  assert.is(failure('time.date', []), type);
  assert.is(failure('time.date', [1, 2]), type);
  assert.is(failure('time.date', [1, 'Nowhere/Land']), builtin);
  assert.is(failure('time.date', 0.5), builtin);
  assert.is(failure('time.add_date', 0, 1.5, 0, 0), type);
  assert.is(failure('time.parse_ns', '2006', 'soon'), builtin);
  assert.is(failure('time.parse_duration_ns', 5), type);
});

test('agrees with OPA on layouts, zones, durations and their mistakes', () => {
  if (!needs('go')) return;
  // OPA reads the zones of the machine unless it is told where they are; the table is of Go's own.
  const root = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
  process.env.ZONEINFO = join(root, 'lib', 'time', 'zoneinfo.zip');
  process.env.TZ = 'UTC';
  const samples = fc.sample(fc.tuple(moment, moment, zone, zone, layout, duration), 2500);
  const steps = fc.sample(
    fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 3, maxLength: 3 }),
    2500,
  );
  const calls = samples.flatMap(([a, b, one, other, form, text], i): Call[] => [
    ['time.format', [a, one, form]],
    ['time.diff', [a, one], [b, other]],
    ['time.add_date', [a, one], ...(steps[i] as [number, number, number])],
    ['time.parse_duration_ns', text],
  ]);
  agreesWithOpa(engine, calls);
  const written = samples
    .map(([a, , one, , form]) => [form, engine.call('time.format', [a, one, form])])
    .filter(([, text]) => text !== undefined);
  const parsed = fc
    .sample(fc.tuple(fc.nat(written.length - 1), spoiled), 4000)
    .map(([index, spoil]): Call => {
      const [form, text] = written[index] as [string, string];
      return ['time.parse_ns', form, spoil(text)];
    });
  agreesWithOpa(engine, parsed);
  const read = parsed.filter((call) => engine.call(...call) !== undefined).length;
  assert.ok(read > 200, `${read} of ${parsed.length} are times`);
});

test.run();
