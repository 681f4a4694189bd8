// The command line itself: help, suggestions, completion, options, and where state is.
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from './commands/index.ts';
import { parseOptions, UsageError } from './options.ts';
import { stateFolder } from './state-folder.ts';
import { suggest } from './suggest.ts';
import { runCli } from './up/testing.ts';

const test = suite('platform');

test('every command has a summary, usage and examples, and shows them', async () => {
  const overview = await runCli(['--help']);
  assert.is(overview.code, 0);
  for (const { name, summary, help } of commands) {
    assert.match(overview.output, name);
    assert.match(overview.output, summary);
    assert.match(help, `platform ${name}`);
    assert.match(help, /Usage/);
  }
  const help = await runCli(['run', '--help']);
  assert.is(help.code, 0);
  assert.match(help.output, 'Examples');
  assert.match((await runCli(['--version'])).output, /^platform \d+\.\d+\.\d+/);
});

test('help and version of the agent’s own arguments are left to the agent', async () => {
  const { output, code } = await runCli(['run', 'absent.ts', '--tenant', 't', '--', '--help']);
  assert.is(code, 1);
  assert.match(output, 'cannot read the agent');
});

test('a mistyped command is answered with what was meant, and only then', async () => {
  const typo = await runCli(['aprovals']);
  assert.is(typo.code, 2);
  assert.match(typo.output, 'did you mean: platform approvals');
  assert.is(suggest('statsu', ['status', 'run']), 'status');
  assert.is(suggest('zzzzzz', ['status', 'run']), undefined);
  assert.is(suggest('x'.repeat(100_000), ['status']), undefined);
});

test('an error is one object for programs that asked for JSON', async () => {
  const { output, code } = await runCli(['status', '--json', '--state', '/absent/state']);
  assert.is(code, 69);
  assert.is(JSON.parse(output).error.code, 'platform_not_running');
});

test('the completion scripts are scripts of their shell', async () => {
  const { output } = await runCli(['completion', 'bash']);
  execFileSync('bash', ['-n'], { input: output });
  for (const { name } of commands) assert.match(output, name);
  assert.match((await runCli(['completion', 'zsh'])).output, '#compdef platform');
  assert.is((await runCli(['completion', 'fish'])).code, 2);
});

test('options are parsed strictly', () => {
  const spec = { port: { type: 'string' }, json: { type: 'boolean' } } as const;
  assert.equal(parseOptions(['--port', '1', 'a'], spec, 1).positionals, ['a']);
  for (const argv of [['--prt', '1'], ['--port'], ['--json=1'], ['a', 'b']]) {
    assert.throws(
      () => parseOptions(argv, spec, 1),
      (error: unknown) => error instanceof UsageError,
    );
  }
});

test('sockets fit the kernel’s limit however long the state folder’s path is', () => {
  const short = stateFolder('/tmp/state');
  assert.is(short.run, '/tmp/state/run');
  const long = stateFolder(`/tmp/${'deep/'.repeat(40)}state`);
  assert.not.match(long.run, 'deep');
  const socket = `${long.run}/${'0'.repeat(36)}.sock`;
  assert.ok(Buffer.byteLength(socket) <= 107);
  assert.is.not(long.run, stateFolder(`/tmp/${'deep/'.repeat(40)}other`).run);
});

test.run();
