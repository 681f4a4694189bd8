// Tests of `platform secrets` as a person runs it, against the real vault behind a control socket.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../../runtime/testing/needs.ts';
import { SAMPLE_TRUST_DOMAIN } from '../../runtime/testing/sample-data.ts';
import { openPglite } from '../../services/common/database/pglite.ts';
import type { Database } from '../../services/common/database/port.ts';
import { jsonResponse } from '../../services/common/http/json.ts';
import { createHttpServer, type HttpServer, type Route } from '../../services/common/http/port.ts';
import { openMasterKeyFile } from '../../services/vault/master-keys.ts';
import { startVault, type TestVault } from '../../services/vault/testing.ts';
import { stateFolder } from '../state-folder.ts';
import { expiry } from './secrets/put.ts';

const entry = fileURLToPath(new URL('../platform.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
const state = stateFolder(folder);
let database: Database;
let vault: TestVault;
let control: HttpServer;

const status: Route = {
  ...{ method: 'GET', path: '/api/v1/status', boundary: 'open' },
  handler: async () => jsonResponse(200, { trust_domain: SAMPLE_TRUST_DOMAIN }),
};

test.before(async () => {
  database = await openPglite();
  const keys = await openMasterKeyFile(join(folder, 'master.key'), { create: true });
  vault = await startVault(database, { keys });
  vault.clock.now = Date.now();
  control = createHttpServer({ routes: [...vault.vault.controlRoutes, status] });
  mkdirSync(dirname(state.controlSocket), { recursive: true });
  await control.listen({ path: state.controlSocket });
});
test.after(async () => {
  await control.close(100);
  await vault.close();
  await database.close();
  rmSync(folder, { recursive: true });
});

interface Ran {
  code: number | null;
  output: string;
  error: string;
}

/** Runs `platform secrets` with what its standard input gives. */
async function run(argv: string[], input = '', command = [process.execPath, entry]): Promise<Ran> {
  const [file = '', ...first] = command;
  const child = spawn(file, [...first, 'secrets', ...argv, '--state', folder], {
    env: { ...process.env, NO_COLOR: '1' },
  });
  const ran = { code: null as number | null, output: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.error += text));
  // It may end without reading.
  child.stdin.on('error', () => {}).end(input);
  ran.code = await new Promise((resolve) => child.once('close', resolve));
  return ran;
}

test('a value goes in by standard input or a file, and comes out alone', async () => {
  const kept = await run(['put', 'db-password', '--agent', 'acme/bot'], 'correct horse\n');
  assert.is(
    kept.output,
    `kept db-password as version 1 for spiffe://${SAMPLE_TRUST_DOMAIN}/agent/acme/bot/*\n`,
  );
  assert.is((await run(['get', 'db-password'])).output, 'correct horse');
  writeFileSync(join(folder, 'value'), 'line one\nline two\n');
  const file = ['--file', join(folder, 'value')];
  await run(['put', 'db-password', '--agent', 'acme/bot', ...file, '--check', '1']);
  assert.is((await run(['get', 'db-password'])).output, 'line one\nline two\n');
  assert.is((await run(['get', 'db-password', '--revision', '1'])).output, 'correct horse');
  const found = JSON.parse((await run(['get', 'db-password', '--json'])).output);
  assert.is(found.version, 2);
  assert.is(found.value, 'line one\nline two\n');
  const rows = JSON.stringify(await vault.rows());
  assert.not.match(rows, 'correct horse');
});

test('a scope can be left out where only one secret has the key', async () => {
  await run(['put', 'shared', '--agent', 'acme/bot/writer'], 'role');
  assert.is((await run(['get', 'shared'])).output, 'role');
  await run(['put', 'shared', '--tenant', 'acme'], 'tenant');
  const unclear = await run(['get', 'shared']);
  assert.is(unclear.code, 2);
  assert.match(unclear.error, /acme\/\* and spiffe:.*\/writer/);
  assert.is((await run(['get', 'shared', '--tenant', 'acme'])).output, 'tenant');
  const whole = `spiffe://${SAMPLE_TRUST_DOMAIN}/agent/acme/bot/writer`;
  assert.is((await run(['get', 'shared', '--scope', whole])).output, 'role');
  const missing = await run(['get', 'share']);
  assert.is(missing.code, 1);
  assert.match(missing.error, 'code: secret_denied');
});

test('lists show keys and never values', async () => {
  const table = (await run(['list', '--prefix', 'db-'])).output;
  assert.match(table, 'db-password');
  assert.not.match(table, 'line one');
  assert.not.match(table, 'shared');
  const listed = JSON.parse((await run(['list', '--tenant', 'acme', '--json'])).output);
  assert.equal(
    listed.map(({ key }: { key: string }) => key),
    ['shared'],
  );
  assert.is((await run(['list', '--prefix', 'nothing'])).output, 'none\n');
  assert.match((await run(['versions', 'db-password'])).output, 'never');
});

test('what is deleted comes back until it is purged', async () => {
  const scope = ['--agent', 'acme/bot'];
  await run(['put', 'gone', ...scope], 'one');
  await run(['put', 'gone', ...scope], 'two');
  const { output } = await run(['delete', 'gone']);
  const whole = `spiffe://${SAMPLE_TRUST_DOMAIN}/agent/acme/bot/*`;
  const restore = `platform secrets restore gone --scope '${whole}'`;
  assert.is(output, `deleted gone; to bring it back: ${restore}\n`);
  assert.is((await run(['get', 'gone', ...scope])).code, 1);
  assert.match((await run(['restore', 'gone'])).error, 'only with its scope');
  assert.match((await run(['restore', 'gone', '--scope', whole])).output, 'now version 2');
  await run(['restore', 'gone', '--revision', '1']);
  assert.is((await run(['get', 'gone'])).output, 'one');
  assert.match((await run(['delete', 'gone', '--purge'])).error, 'add --yes');
  assert.is((await run(['delete', 'gone', '--purge', '--yes'])).output, 'purged gone\n');
  assert.is((await run(['restore', 'gone', ...scope])).code, 1);
});

test('a wrong command line is refused before anything is done, and no value is repeated', async () => {
  const before = (await vault.rows()).length;
  for (const argv of [
    ['put', 'x', '--agent', 'acme/bot', 'hunter2'],
    ['put', 'x', 'hunter2', 'hunter2', 'hunter2', '--tenant', 't'],
    ['put', 'x'],
    ['put', 'x', '--agent', 'acme'],
    ['put', 'x', '--agent', 'acme/bot', '--tenant', 'acme'],
    ['put', 'x', '--tenant', 'a/b'],
    ['put', 'x', '--tenant', 'acme', '--check', 'one'],
    ['put', 'x', '--tenant', 'acme', '--expires', 'tomorrow'],
    ['put', 'x', '--tenant', 'acme', '--file', '/nowhere'],
    ['put', 'x', '--tenant', 'acme'],
    ['get'],
    ['get', 'x', '--purge'],
    ['list', 'x'],
    ['burn', 'x'],
    ['toString', 'x'],
  ]) {
    const { code, error } = await run(argv);
    assert.is(code, 2, `${argv}: ${error}`);
    assert.not.match(error, 'hunter2');
  }
  const large = await run(['put', 'x', '--tenant', 'acme'], 'x'.repeat(70_000));
  assert.match(large.error, 'code: secret_too_large');
  writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0xfe]));
  const bytes = await run(['put', 'x', '--tenant', 'acme', '--file', join(folder, 'binary')]);
  assert.match(bytes.error, 'code: secret_invalid');
  assert.is((await vault.rows()).length, before);
  const failure = await run(['get', 'x', '--json']);
  assert.is(JSON.parse(failure.error).error.code, 'secret_denied');
});

test('two writers cannot undo each other, and an expiry is kept', async () => {
  const argv = ['put', 'counted', '--tenant', 'acme'];
  assert.is((await run([...argv, '--check', '0', '--expires', '30d'], 'one')).code, 0);
  const conflict = await run([...argv, '--check', '0'], 'two');
  assert.is(conflict.code, 1);
  assert.match(conflict.error, 'secret_version_conflict');
  const { expires_at } = JSON.parse((await run(['get', 'counted', '--json'])).output);
  const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days <= 30, expires_at);
  const now = new Date('2026-11-21T07:00:00.000Z');
  assert.is(expiry('2027-01-31T00:00:00+01:00', now), '2027-01-30T23:00:00.000Z');
  assert.is(expiry('90m', now), '2026-11-21T08:30:00.000Z');
  for (const text of ['2026-01-01T00:00:00Z', '0h', '5', '', 'x', '9999999d', '-1d', '2027']) {
    assert.throws(() => expiry(text, now), /later time/);
  }
});

test('the master key is rotated, and what was kept is still readable', async () => {
  await run(['put', 'kept', '--tenant', 'acme'], 'before the rotation');
  const rotated = await run(['rotate']);
  assert.is(rotated.code, 0, rotated.error);
  assert.match(
    rotated.output,
    /^master key .+ is in force; \d+ versions rewrapped, 0 left, 0 failed\n$/,
  );
  assert.is(JSON.parse((await run(['rotate', '--json'])).output).state, 'idle');
  assert.is((await run(['get', 'kept'])).output, 'before the rotation');
});

if (needs('python')) {
  test('a person at a terminal is asked, and does not see what is typed', async () => {
    const program = `
import os, pty, sys
typed = sys.argv[1].encode()
def read(fd):
    data = os.read(fd, 4096)
    if b': ' in data or b'[y/N]' in data:
        os.write(fd, typed)
    return data
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[2:], read)))`;
    writeFileSync(join(folder, 'terminal.py'), program);
    const terminal = (typed: string, argv: string[]) =>
      run(argv, '', ['python3', join(folder, 'terminal.py'), typed, process.execPath, entry]);
    const kept = await terminal('hunterX\u007f2-hunter2\r', ['put', 'typed', '--tenant', 'acme']);
    assert.is(kept.code, 0, kept.output);
    assert.not.match(kept.output, 'hunter');
    assert.is((await run(['get', 'typed'])).output, 'hunter2-hunter2');
    assert.is((await terminal('\u0003', ['put', 'typed', '--tenant', 'acme'])).code, 130);
    assert.match((await terminal('n\r', ['delete', 'typed'])).output, 'nothing was deleted');
    assert.match((await terminal('y\r', ['delete', 'typed'])).output, 'deleted typed');
  });
}

test.run();
