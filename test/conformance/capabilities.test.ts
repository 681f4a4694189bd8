// policies/capabilities.json is what the engine has, no more and no less, without what answers from outside.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { builtinsOf, exportName } from '../../runtime/plan/builtins.ts';
import { readEngine } from '../../runtime/plan/engine.ts';
import { builtEngine } from './engine.ts';
import { argumentCounts, NONDETERMINISTIC, portableBuiltins } from './portable.ts';

const { builtins } = JSON.parse(
  readFileSync(new URL('../../policies/capabilities.json', import.meta.url), 'utf8'),
) as { builtins: { name: string; decl: { args?: unknown[] } }[] };
const counts = argumentCounts(builtins);
const engine = readFileSync(builtEngine);

test('each built-in that policies may use is in the engine, with as many arguments', () => {
  assert.equal(portableBuiltins(counts, engine), [...counts.keys()]);
});

test('each built-in of the engine may be used, but those whose answers come from outside', () => {
  const listed = new Set([...counts.keys()].map(exportName));
  const unlisted = [...builtinsOf(readEngine(engine)).keys()].filter((name) => !listed.has(name));
  const outside = NONDETERMINISTIC.map(exportName);
  assert.equal(
    unlisted.filter((name) => !outside.includes(name)),
    [],
    'run node scripts/capabilities.ts',
  );
});

test('nothing whose answer comes from outside may be used', () => {
  for (const name of NONDETERMINISTIC) assert.not.ok(counts.has(name), name);
});

test('a built-in that the engine lacks, or takes with other arguments, is not portable', () => {
  const names = new Map([
    ['no.such', 1],
    ['count', 2],
    ['lower', 1],
    ['rand.intn', 2],
  ]);
  assert.equal(portableBuiltins(names, engine), ['lower']);
});

test.run();
