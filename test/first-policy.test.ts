// The path of somebody who writes a first policy, as docs/policy-author.md gives it, at most six commands long.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CliProcess, runCli } from '../cli/up/testing.ts';

const page = readFileSync(new URL('../docs/policy-author.md', import.meta.url), 'utf8');
const [, block = ''] = /## From nothing to a policy in force\n\n```sh\n([^`]*)```/.exec(page) ?? [];
const root = mkdtempSync(join(tmpdir(), 'first-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
const commands = block
  .trim()
  .split('\n')
  .map((line) =>
    line.replace('platform ', '').replaceAll('my-policies', join(root, 'mine')).split(' '),
  );

test('a policy is written, tested, explained and in force with at most six commands', async () => {
  assert.ok(commands.length >= 4 && commands.length <= 6, `${commands.length} commands`);
  const verbs = commands.map(([command, verb]) => (command === 'policy' ? verb : command));
  assert.equal(verbs, ['init', 'test', 'explain', 'up']);
  const [init = [], tests = [], explain = [], up = []] = commands;
  assert.is((await runCli(init)).code, 0);
  const tested = await runCli(tests);
  assert.is(tested.code, 0, tested.output);
  const explained = await runCli(explain);
  assert.is(explained.code, 1, 'a denial');
  assert.match(explained.output, /refund_too_large/);
  assert.match(explained.output, /420/);
  const cli = new CliProcess([...up, '--state', join(root, 'state'), '--port', '0']);
  try {
    await cli.printed(/platform\.tool\.operator\.refund_too_large/);
    await cli.printed(/Ctrl-C stops it/);
  } finally {
    await cli.end('SIGINT');
  }
});

test.run();
