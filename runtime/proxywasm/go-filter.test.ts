// A filter built with the Go SDK of the proxy-wasm project runs here: another ABI layer than our own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModuleError } from '../errors.ts';
import { needs } from '../testing/needs.ts';
import type { Filter, FilterVerdict, HeaderPairs } from './filter.ts';
import { createFilterHost } from './host.ts';

const test = suite('Go filter');
const logs: string[] = [];
let wasm: Uint8Array;
let filter: Filter;

function build(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'go-filter-'));
  try {
    const output = join(folder, 'filter.wasm');
    const options = ['-trimpath', '-buildvcs=false', '-buildmode=c-shared', '-o', output, '.'];
    execFileSync('go', ['build', ...options], {
      cwd: fileURLToPath(new URL('testing/go-filter', import.meta.url)),
      env: { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm' },
    });
    return readFileSync(output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ask(path: string, ...more: HeaderPairs) {
  const stream = filter.stream(
    new Map<string, string | boolean>([
      ['connection.mtls', true],
      ['connection.uri_san_peer_certificate', 'spiffe://platform.local/agent/a/b/c'],
    ]),
  );
  const head: HeaderPairs = [[':method', 'GET'], [':path', path], ...more];
  return { stream, verdict: stream.requestHeaders(head, true) };
}

const headersOf = (verdict: FilterVerdict): HeaderPairs => {
  assert.is(verdict.kind, 'continue');
  return verdict.headers;
};

if (needs('go')) {
  test.before(() => {
    wasm = build();
    filter = createFilterHost({
      wasm,
      configuration: Buffer.from('settings'),
      log: (level, message) => logs.push(`${level} ${message}`),
    });
  });

  test('it is configured, and logs', () => {
    assert.equal(logs, ['info configured with settings']);
  });

  test('it reads and changes the heads of requests and answers', () => {
    const { stream, verdict } = ask(
      '/one',
      ['x-remove', 'a'],
      ['x-replace', 'old'],
      ['X-Remove', 'b'],
    );
    assert.equal(headersOf(verdict), [
      [':method', 'GET'],
      [':path', '/one'],
      ['x-replace', 'new'],
      ['x-add', '1'],
      ['x-add', '2'],
    ]);
    const answered = stream.responseHeaders([[':status', '200']], false);
    assert.equal(headersOf(answered), [
      [':status', '200'],
      ['x-filter', 'go'],
    ]);
    stream.end();
    assert.is(logs.at(-1), 'info done');
  });

  test('it sees properties, shared data, metrics and what this host does not offer', () => {
    const { stream } = ask('/two');
    assert.is(
      stream.facts().get('seen'),
      '2 true :method,:path spiffe://platform.local/agent/a/b/c [1] /two error status returned by host: not found error status returned by host: unimplemented settings 2',
    );
    stream.end();
  });

  test('it answers in place of the service', () => {
    const { stream, verdict } = ask('/deny');
    assert.is(verdict.kind, 'respond');
    if (verdict.kind !== 'respond') return;
    assert.is(verdict.status, 418);
    assert.is(Buffer.from(verdict.body).toString(), 'no');
    assert.equal(verdict.headers, [['content-type', 'text/plain']]);
    stream.end();
  });

  test('a pause that nothing could end is refused', () => {
    const { stream, verdict } = ask('/pause');
    assert.is(verdict.kind === 'respond' && verdict.status, 503);
    stream.end();
  });

  test('a panic refuses its request, and the next one finds a fresh filter', () => {
    const { verdict, stream } = ask('/panic');
    assert.is(verdict.kind === 'respond' && verdict.status, 503);
    assert.is(verdict.kind === 'respond' && verdict.detail, 'module_trapped');
    stream.end();
    const configured = logs.filter((line) => line === 'info configured with settings').length;
    assert.is(ask('/three').verdict.kind, 'continue');
    assert.is(
      logs.filter((line) => line === 'info configured with settings').length,
      configured + 1,
    );
  });

  test('streams beside each other keep apart', () => {
    const first = ask('/first');
    const second = ask('/second');
    assert.match(first.stream.facts().get('seen') ?? '', ' /first ');
    assert.match(second.stream.facts().get('seen') ?? '', ' /second ');
    first.stream.end();
    assert.is(second.stream.responseHeaders([[':status', '200']], true).kind, 'continue');
    second.stream.end();
  });

  test('a configuration that it refuses makes no filter', () => {
    try {
      createFilterHost({ wasm, configuration: Buffer.from('refuse') });
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ModuleError);
      assert.is((error as ModuleError).code, 'module_output_invalid');
    }
  });
}

test.after(() => filter?.close());
test.run();
