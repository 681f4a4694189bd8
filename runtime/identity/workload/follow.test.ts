// Streams that end, fail, fall silent or cannot be read, and what their follower makes of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf, IdentityError } from '../../errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { firstOf, follow } from './follow.ts';

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

const test = suite('follow');

test('a stream that ends is opened again, and what ails it is told once', async () => {
  const troubles: string[] = [];
  const taken: number[] = [];
  let opened = 0;
  const stream = follow<number>({
    async *open(signal) {
      opened += 1;
      if (opened < 4) return;
      yield opened;
      await aborted(signal);
    },
    take: (message) => void taken.push(message),
    onTrouble: (trouble) => troubles.push(codeOf(trouble)),
  });
  await stream.first;
  assert.equal(taken, [4]);
  assert.equal(troubles, ['identity_unavailable']);
  assert.ok(stream.isConnected);
  await stream.close();
  assert.is(opened, 4);
});

test('a message that is refused opens the stream anew, and another trouble is told too', async () => {
  const troubles: string[] = [];
  let opened = 0;
  const stream = follow<number>({
    async *open() {
      opened += 1;
      yield opened;
    },
    take(message) {
      if (message === 1) throw new IdentityError('svid_invalid', 'refused');
      throw new IdentityError('svid_missing', 'refused');
    },
    onTrouble: (trouble) => troubles.push(codeOf(trouble)),
  });
  await eventually(() => opened >= 3);
  assert.equal(troubles, ['svid_invalid', 'svid_missing']);
  assert.not(stream.isConnected);
  await stream.close();
});

test('a stream without a sign of life is given up, one with is not', async () => {
  const troubles: string[] = [];
  let opened = 0;
  let messages = 0;
  const stream = follow<number>({
    silenceMsMax: 150,
    async *open(signal) {
      opened += 1;
      const isSilent = opened === 1;
      yield opened;
      for (let i = 0; !isSilent && i < 10; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 30));
        yield opened;
      }
      await aborted(signal);
      throw new Error('cut');
    },
    take: () => {
      messages += 1;
    },
    onTrouble: (trouble) => troubles.push(trouble.message),
  });
  await eventually(() => messages === 12);
  assert.is(opened, 2);
  assert.equal(troubles, ['the identity server has fallen silent']);
  await stream.close();
});

test('whoever waits for the first message waits no longer than asked', async () => {
  const stream = follow<number>({
    async *open(signal) {
      await aborted(signal);
      yield* [];
    },
    take() {},
    onTrouble() {},
  });
  const said = (trouble?: IdentityError) =>
    firstOf([stream], 20, () => trouble).then(
      () => 'came',
      (error: unknown) => codeOf(error),
    );
  assert.is(await said(), 'identity_unavailable');
  assert.is(await said(new IdentityError('svid_missing', 'none')), 'svid_missing');
  await stream.close();
});

test('closing ends a wait between two attempts at once', async () => {
  let opened = 0;
  const stream = follow<number>({
    async *open() {
      opened += 1;
      yield* [];
    },
    take() {},
    onTrouble() {},
  });
  await eventually(() => opened >= 2);
  const at = opened;
  await stream.close();
  assert.is(opened, at);
  assert.not(stream.isConnected);
});

test.run();
