import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lockFile } from './file-lock.ts';

const self = fileURLToPath(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'lock-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** A process that tries to take the lock when told to, and says whether it has it. */
function contender(path: string) {
  const child = fork(self, ['contend', path]);
  const answer = async () => (await once(child, 'message'))[0] as string;
  return { child, answer, start: () => child.send('go') };
}

function contend(path: string): void {
  process.once('message', () => {
    const lock = lockFile(path);
    process.send?.(typeof lock === 'function' ? 'held' : `of ${lock.holder}`);
  });
  process.send?.('ready');
  setInterval(() => {}, 1000);
}

async function started(path: string) {
  const found = contender(path);
  await found.answer();
  return found;
}

test('of two processes that start together exactly one holds, whatever was left there', async () => {
  const left = [undefined, '', '999999 1\n', `${process.pid}\n`];
  for (const [at, content] of left.entries()) {
    const path = join(folder, `together-${at}`);
    if (content !== undefined) writeFileSync(path, content);
    const pair = await Promise.all([started(path), started(path)]);
    const answers = Promise.all(pair.map(({ answer }) => answer()));
    for (const { start } of pair) start();
    assert.is((await answers).filter((answer) => answer === 'held').length, 1);
    for (const { child } of pair) child.kill('SIGKILL');
  }
});

test('a lock names its holder and ends with it, also when it is killed', async () => {
  const path = join(folder, 'killed');
  const { child, answer, start } = await started(path);
  start();
  assert.is(await answer(), 'held');
  assert.equal(lockFile(path), { holder: String(child.pid) });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const release = lockFile(path);
  assert.type(release, 'function');
  if (typeof release === 'function') release();
  assert.not(existsSync(path));
});

test('a lock that was let go leaves the next holder alone', () => {
  const path = join(folder, 'next');
  const first = lockFile(path);
  assert.equal(lockFile(path), { holder: String(process.pid) });
  if (typeof first === 'function') first();
  const second = lockFile(path);
  assert.type(second, 'function');
  if (typeof first === 'function') first();
  assert.ok(existsSync(path));
  assert.equal(lockFile(path), { holder: String(process.pid) });
});

test('a file that cannot be made is the error of the file system', () => {
  assert.throws(
    () => lockFile(join(folder, 'missing', 'lock')),
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
});

if (process.argv[2] === 'contend') contend(process.argv[3]!);
else test.run();
