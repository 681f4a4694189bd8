// What the processes of one agent may use together: counted exactly, earned back over time, and never more.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Holders } from './holders.ts';

const test = suite('holders');
const limits = {
  ...{ connectionsPerHolder: 3, streamsPerHolder: 5 },
  ...{ openingsPerHolder: 20, openingsPerSecond: 10 },
};

function make() {
  let now = 0;
  const holders = new Holders(limits, () => now);
  const wait = (ms: number) => {
    now += ms;
  };
  return { holders, wait };
}

test('connections and streams have a bound, and what is closed makes room', () => {
  const { holders } = make();
  const holder = holders.of('one');
  for (let count = 0; count < 3; count += 1) assert.is(holder.connect(), undefined);
  assert.is(holder.connect(), 'agent has 3 connections');
  for (let count = 0; count < 5; count += 1) assert.is(holder.call(), undefined);
  assert.is(holder.call(), 'agent has 5 streams');
  holder.streams -= 1;
  assert.is(holder.call(), undefined);
  assert.is(holders.of('two').call(), undefined, 'another agent has its own');
});

test('whatever an agent does, it begins no more than its burst and what time has earned', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 300 });
  fc.assert(
    fc.property(steps, (waits) => {
      const { holders, wait } = make();
      const holder = holders.of('one');
      let begun = 0;
      let passed = 0;
      for (const ms of waits) {
        wait(ms);
        passed += ms;
        if (holder.call() !== undefined) continue;
        begun += 1;
        holder.streams -= 1;
      }
      assert.ok(begun <= 20 + (passed * 10) / 1000 + 1e-6, `${begun} in ${passed} ms`);
    }),
  );
});

test('who goes on against refusals owes for them, and is heard again after a rest', () => {
  const { holders, wait } = make();
  const holder = holders.of('one');
  for (let count = 0; count < 1000; count += 1) {
    if (holder.call() === undefined) holder.streams -= 1;
  }
  wait(2000);
  assert.is(holder.call(), 'agent begins more than 10 calls a second');
  wait(4000);
  assert.is(holder.call(), undefined);
});

test('a refusal is told once a second, and nobody is remembered without need', () => {
  const { holders, wait } = make();
  assert.ok(holders.isNews('one', 'why'));
  assert.not(holders.isNews('one', 'why'));
  assert.ok(holders.isNews('one', 'another reason'));
  assert.ok(holders.isNews('two', 'why'));
  wait(1000);
  assert.ok(holders.isNews('one', 'why'));

  for (let agent = 0; agent < 100; agent += 1) holders.of(`agent ${agent}`);
  const inUse = holders.of('in use');
  inUse.call();
  wait(60_000);
  assert.is(holders.of('in use'), inUse);
  assert.is(holders.size, 1);
  holders.punish(7);
  assert.ok(holders.isPunished(7));
  assert.not(holders.isPunished(8));
  wait(1000);
  assert.not(holders.isPunished(7));
});

test.run();
