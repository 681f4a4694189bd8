import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeFiles } from './files.ts';
import { encodeFrame, type Frame, readFrames } from './frame.ts';
import { MemoryFiles } from './memory.ts';
import { digestOf, openObjects } from './objects.ts';
import { exportOpenings, importOpenings, OpeningsStore } from './openings.ts';
import { temporaryState } from './testing/drafts.ts';
import { bytesSource } from './testing/walk.ts';

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => error.code,
  );

async function framesIn(bytes: Uint8Array): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(bytesSource(bytes))) frames.push(frame);
  return frames;
}

test('any frames come back, and any other bytes end the reading without an error', async () => {
  const frame = fc.tuple(fc.constantFrom('row' as const, 'checkpoint' as const), fc.uint8Array());
  await fc.assert(
    fc.asyncProperty(fc.array(frame), fc.uint8Array(), async (frames, tail) => {
      const bytes = Buffer.concat([...frames.map(([kind, body]) => encodeFrame(kind, body)), tail]);
      const found = await framesIn(bytes);
      assert.equal(
        found.map(({ kind, body }) => [kind, Buffer.from(body).toString('hex')]),
        frames.map(([kind, body]) => [kind, Buffer.from(body).toString('hex')]),
      );
    }),
  );
  await fc.assert(fc.asyncProperty(fc.uint8Array(), async (bytes) => void (await framesIn(bytes))));
});

test('frames larger than what is read at once come back whole', async () => {
  const large = Buffer.alloc(3 << 20, 7);
  const frames = await framesIn(
    Buffer.concat([encodeFrame('row', large), encodeFrame('row', Buffer.from('x'))]),
  );
  assert.equal(
    frames.map(({ body }) => body.byteLength),
    [3 << 20, 1],
  );
  assert.throws(() => encodeFrame('row', Buffer.alloc((64 << 20) + 1)));
});

test('an object is kept under its digest, and one that was changed is refused', async () => {
  const state = temporaryState();
  const objects = openObjects(state.dir);
  const bytes = Buffer.from('{"type":"object"}');
  const digest = await objects.put(bytes);
  assert.is(digest, digestOf(bytes));
  assert.is(await objects.put(bytes), digest);
  assert.equal(Buffer.from((await objects.get(digest))!), bytes);
  assert.is(await objects.get(`sha256:${'0'.repeat(64)}`), undefined);
  const path = join(state.dir, 'objects', digest.slice(7, 9), digest.slice(9));
  assert.is(statSync(path).mode & 0o777, 0o600);
  writeFileSync(path, '{"type":"string"}');
  assert.is(await codeOf(objects.get(digest)), 'object_corrupt');
  state.remove();
});

test('the same object is kept many times at once, by one store and by two', async () => {
  const state = temporaryState();
  const stores = [openObjects(state.dir), openObjects(state.dir)];
  for (let object = 0; object < 10; object++) {
    const bytes = Buffer.alloc(20_000, object);
    const puts = [...stores, ...stores, ...stores].map((store) => store.put(bytes));
    assert.equal(new Set(await Promise.all(puts)), new Set([digestOf(bytes)]));
    assert.equal(Buffer.from((await stores[0]!.get(digestOf(bytes)))!), bytes);
  }
  const names = readdirSync(join(state.dir, 'objects'), { recursive: true }).map(String);
  assert.equal(
    names.filter((name) => name.endsWith('.new')),
    [],
  );
  state.remove();
});

test('a digest is never a path', async () => {
  const objects = openObjects('/nonexistent');
  const hostile = ['', 'sha256:', `sha256:${'../'.repeat(22)}`, `sha256:${'A'.repeat(64)}`];
  for (const digest of [...hostile, `sha512:${'0'.repeat(64)}`, `sha256:${'0'.repeat(65)}`]) {
    assert.is(await codeOf(objects.get(digest)), 'input_invalid', digest);
    assert.is(await codeOf(objects.getBundle(digest)), 'input_invalid', digest);
  }
});

test('a bundle comes back file by file; one with a lost file is an error', async () => {
  const state = temporaryState();
  const objects = openObjects(state.dir);
  const revision = `sha256:${'a'.repeat(64)}`;
  const files = new Map([
    ['tool/tool.rego', Buffer.from('package x')],
    ['__proto__', Buffer.from('y')],
  ]);
  await objects.putBundle(revision, files);
  const found = await objects.getBundle(revision);
  assert.equal([...found!.keys()].sort(), [...files.keys()].sort());
  const digest = digestOf(Buffer.from('y'));
  await nodeFiles.remove(join(state.dir, 'objects', digest.slice(7, 9), digest.slice(9)));
  assert.is(await codeOf(objects.getBundle(revision)), 'object_missing');
  state.remove();
});

const opening = (value: string | Uint8Array) => ({
  field: 'arguments',
  salt: '5'.repeat(64),
  value: typeof value === 'string' ? Buffer.from(value) : value,
});

test('openings come back by what they open, also bytes that are no text', async () => {
  const fs = new MemoryFiles();
  const store = new OpeningsStore({ dir: '/o', keysDir: '/k', fs });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), async (bytes) => {
      await store.keep([opening(bytes)]);
    }),
  );
  await store.keep([opening('"é\\n"'), opening(Uint8Array.of(0xff, 0x00))]);
  const all = await store.read();
  const hexes = new Set([...all.values()].map(({ value }) => Buffer.from(value).toString('hex')));
  assert.ok(hexes.has('ff00'));
  assert.ok(hexes.has(Buffer.from('"é\\n"').toString('hex')));
  assert.equal([...importOpenings(exportOpenings(all)).keys()], [...all.keys()]);
  await store.close();
});

test('days are erased for good, and a running store goes on with a new key', async () => {
  const state = temporaryState();
  let now = new Date('2026-01-30T10:00:00Z');
  const options = { dir: state.dir, keysDir: join(state.dir, 'keys'), clock: () => now };
  const store = new OpeningsStore(options);
  await store.keep([opening('1')]);
  now = new Date('2026-01-31T10:00:00Z');
  await store.keep([opening('2')]);
  assert.equal(await store.days(), ['2026-01-30', '2026-01-31']);

  const elsewhere = new OpeningsStore(options);
  const stolen = readFileSync(join(state.dir, '2026-01-30.openings'));
  assert.equal(await elsewhere.erase('2026-01-31'), ['2026-01-30']);
  assert.is((await store.read()).size, 1);
  writeFileSync(join(state.dir, '2026-01-30.openings'), stolen);
  assert.is((await store.read()).size, 1, 'a copy of the ciphertext is worth nothing');

  await elsewhere.erase();
  assert.is((await elsewhere.read()).size, 0);
  await store.keep([opening('3')]);
  const left = await store.read();
  assert.equal(
    [...left.values()].map(({ value }) => Buffer.from(value).toString()),
    ['3'],
  );
  await store.close();
  state.remove();
});

test('a key that a crash lost or left empty costs what was under it, and no more', async () => {
  for (const left of [undefined, new Uint8Array(0), new Uint8Array(31)]) {
    const fs = new MemoryFiles();
    let now = new Date('2026-01-30T10:00:00Z');
    const options = { dir: '/o', keysDir: '/k', fs, clock: () => now };
    const kept = async (value: string) => {
      const store = new OpeningsStore(options);
      await store.keep([opening(value)]);
      await store.close();
    };
    await kept('1');
    now = new Date('2026-01-31T10:00:00Z');
    await kept('2');
    const key = fs.contents.get('/k/2026-01-31.key')!;
    if (left === undefined) fs.contents.delete('/k/2026-01-31.key');
    else fs.contents.set('/k/2026-01-31.key', Buffer.from(left));
    await kept('3');
    await kept('4');

    const store = new OpeningsStore(options);
    const told: unknown[] = [];
    const values = async () =>
      [...(await store.read((...args) => told.push(args))).values()].map(({ value }) =>
        Buffer.from(value).toString(),
      );
    assert.equal(await values(), ['1', '3', '4']);
    assert.equal(told, [['2026-01-31', 1]]);
    fs.contents.set('/k/2026-01-31.key', key);
    assert.equal(await values(), ['1', '2'], 'the lost key was found');
    assert.equal(await store.erase(), ['2026-01-30', '2026-01-31']);
    assert.equal([...fs.contents.keys()], []);
  }
});

test('a file of openings is refused at its first bad line', () => {
  const good = exportOpenings(new Map([['x', opening('1')]]));
  assert.is(importOpenings(`\n${good}\n`).size, 1);
  const bad = ['{', '1', 'null', '{}', good.replace('55', '5'), good.replace('"value"', '"other"')];
  for (const line of bad) {
    assert.throws(
      () => importOpenings(`${good}${line}`),
      (error: { code: string }) => error.code === 'openings_invalid',
      line,
    );
  }
});

test.run();
