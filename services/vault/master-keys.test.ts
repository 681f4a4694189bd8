// Master keys from text and from a file: what is a key, who may read it, and what rotation leaves.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import { masterKeysFromText, openMasterKeyFile } from './master-keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'mk-'));
test.after(() => rmSync(folder, { recursive: true }));

const hex = '0f'.repeat(32);
const base64 = Buffer.from(hex, 'hex').toString('base64');

test('hexadecimal and base64 of one key are one key', () => {
  const [id] = masterKeysFromText(hex)
    .held()
    .map((key) => key.id);
  for (const text of [hex.toUpperCase(), base64, base64.replace('=', ''), ` ${base64}\n`]) {
    assert.is(masterKeysFromText(text).held()[0]?.id, id, text);
  }
  const both = masterKeysFromText('aa'.repeat(32), hex).held();
  assert.is(both[1]?.id, id);
});

test('what is no key of 32 bytes is refused, and not repeated', () => {
  for (const text of [
    '',
    'x',
    hex.slice(2),
    `${hex}00`,
    `${base64}=`,
    'password-password-password-pass1',
  ]) {
    try {
      masterKeysFromText(text);
      assert.unreachable(text);
    } catch (error) {
      assert.is(codeOf(error), 'configuration_invalid');
      if (text.length > 5) assert.not.match(String((error as Error).message), text);
    }
  }
});

test('a file is made once, for its owner only, and holds what was added until it is dropped', async () => {
  const path = join(folder, 'made.key');
  const keys = await openMasterKeyFile(path, { create: true });
  assert.is(statSync(path).mode & 0o777, 0o600);
  const [first] = keys.held();
  assert.is((await openMasterKeyFile(path, { create: true })).held()[0]?.id, first?.id);
  const added = await keys.add?.();
  const other = await openMasterKeyFile(path);
  assert.equal(
    other.held().map((key) => key.id),
    [added?.id, first?.id],
  );
  await keys.drop?.(first!.id);
  await other.reload();
  assert.equal(
    other.held().map((key) => key.id),
    [added?.id],
  );
  assert.is(statSync(path).mode & 0o777, 0o600);
  await keys.drop?.(added!.id);
  assert.equal(
    keys.held().map((key) => key.id),
    [added?.id],
    'the last key stays',
  );
  assert.ok(readFileSync(path).length > 32);
});

test('a raw file of 32 bytes is a key too', async () => {
  const path = join(folder, 'raw.key');
  writeFileSync(path, Buffer.from(hex, 'hex'), { mode: 0o600 });
  const keys = await openMasterKeyFile(path);
  assert.is(keys.held()[0]?.id, masterKeysFromText(hex).held()[0]?.id);
  await keys.add?.();
  assert.is((await openMasterKeyFile(path)).held()[1]?.id, masterKeysFromText(hex).held()[0]?.id);
});

test('a missing file, an empty one and one that others may read are refused', async () => {
  const refused = (path: string) =>
    openMasterKeyFile(path).then(
      () => 'opened',
      (error) => codeOf(error),
    );
  assert.is(await refused(join(folder, 'none')), 'configuration_invalid');
  const path = join(folder, 'empty.key');
  writeFileSync(path, '\n', { mode: 0o600 });
  assert.is(await refused(path), 'configuration_invalid');
  writeFileSync(path, hex);
  for (const mode of [0o644, 0o640, 0o604, 0o620]) {
    chmodSync(path, mode);
    assert.is(await refused(path), 'configuration_invalid', mode.toString(8));
  }
});

test.run();
