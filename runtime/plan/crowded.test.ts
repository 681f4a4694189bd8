// Data made so that a constant of the policy loses its place among the interned strings: it stays equal to its text.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bool, local, PlanUnderTest, planOf, string } from './testing.ts';

const SLOTS = 1024;
const WORD = (1n << 64n) - 1n;

const times = (word: bigint): bigint => (word * 0x9e3779b97f4a7c15n) & WORD;

/** The hash of ten ASCII characters, as wasm/engine/text.ts computes it. */
function hashOf(text: string): number {
  const bytes = Buffer.from(text);
  let hash = 10n;
  for (const at of [0, 2]) {
    hash = times((((hash << 5n) | (hash >> 59n)) & WORD) ^ bytes.readBigUInt64LE(at));
  }
  return Number(times(hash ^ (hash >> 29n)) >> 32n);
}

/** Texts whose hashes have these lowest eleven bits. */
function textsAt(bits: number, count: number): string[] {
  const found: string[] = [];
  for (let number = 0; found.length < count; number++) {
    const text = `a${String(number).padStart(9, '0')}`;
    if ((hashOf(text) & (2 * SLOTS - 1)) === bits) found.push(text);
  }
  return found;
}

test('a constant whose place others take when the table grows equals its text in the data', async () => {
  // In the last slot, so that those behind it are moved before it, to where it would be found.
  const [moved, constant] = textsAt(SLOTS - 1, 2) as [string, string];
  const others = Array.from({ length: 1950 }, (_, at) => `b${String(at).padStart(9, '0')}`);
  const apart = others.filter((text) => (hashOf(text) & (SLOTS - 1)) > 200);
  const list = [moved, ...textsAt(SLOTS, 1), ...textsAt(SLOTS + 1, 70), ...apart];
  const plan = planOf(
    ['state', constant],
    [
      { type: 'DotStmt', stmt: { source: local(1), key: string(0), target: 3 } },
      { type: 'EqualStmt', stmt: { a: local(3), b: string(1) } },
      { type: 'AssignVarStmt', stmt: { source: bool(true), target: 2 } },
    ],
  );
  const policy = await PlanUnderTest.of(plan, { list, state: constant });
  assert.equal(policy.evaluate(), { value: true });
});

test.run();
