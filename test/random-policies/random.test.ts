// A small run of the random comparison: no answer differs, every statement is covered, both decisions are met.
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RegoCompiler } from '../../runtime/modules/rego.ts';
import { builtEngine } from '../conformance/engine.ts';
import { comparePolicy } from './compare.ts';
import { STATEMENTS } from './cover.ts';
import { randomInput } from './documents.ts';
import { randomPolicy } from './policy.ts';
import { Random } from './random.ts';
import { compareRandom } from './run.ts';

test('compiled random policies answer as OPA does, and cover every statement of its plans', async () => {
  const report = await compareRandom({ inputs: 800, each: 20, seed: 1 });
  assert.equal(report.differences, []);
  assert.equal(report.unsupported, []);
  assert.equal(
    STATEMENTS.filter((name) => report.cover[name] === undefined),
    [],
  );
  assert.equal(Object.keys(report.cover).sort(), [...STATEMENTS].sort());
  assert.ok(report.allowed > report.inputs / 4 && report.denied > report.inputs / 4);
  assert.ok(report.optimised > report.policies / 2);
});

test('a compiler that answers another thing is found, with the policy and the input', async () => {
  const compiler = await RegoCompiler.load();
  const engine = readFileSync(builtEngine);
  const lying = {
    plan: compiler.plan.bind(compiler),
    answers: (sources: Parameters<RegoCompiler['answers']>[0]) => {
      const answer = compiler.answers(sources);
      const results = [{ bindings: { x: { allow: 'perhaps' } } }];
      return { ...answer, replies: answer.replies.map((reply) => ({ ...reply, results })) };
    },
  } as unknown as RegoCompiler;
  const { difference } = await comparePolicy(1, 3, { compiler: lying, engine });
  assert.is(difference?.seed, 1);
  assert.match(difference?.expected ?? '', /perhaps/);
  assert.ok(difference?.modules.join('').includes('package gen'));
});

test('a seed gives the same policy and the same inputs', () => {
  const made = (seed: number) => {
    const of = new Random(seed);
    return JSON.stringify([randomPolicy(of), randomInput(of)]);
  };
  assert.is(made(7), made(7));
  assert.is.not(made(7), made(8));
});

test.run();
