// The same requests to this service and to OPA's own server: the same answers, but for ids and times.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeBundle } from '../../runtime/bundle/write.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { Record as RecordModule } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { startOpaServer } from '../../runtime/testing/opa-server.ts';
import { sampleData } from '../../runtime/testing/sample-data.ts';
import { sampleRequests } from '../../runtime/testing/sample-requests.ts';
import { dataBundle, policyBundle, startService } from './testing.ts';
import { dataPaths, inputs, OPERATOR, operatorPaths } from './testing-documents.ts';

const record = RecordModule.create(moduleBytes('record'));

/** Whether every host reads this text alike; OPA takes more, and one host might differ from another. */
function isReadable(text: string): boolean {
  try {
    record.canonicalize(Buffer.from(text));
    return true;
  } catch {
    return false;
  }
}

interface Reply {
  status: number;
  body: JsonValue;
}

async function ask(url: string, path: string, init: RequestInit = {}): Promise<Reply> {
  const response = await fetch(`${url}${path}`, init).catch((cause: unknown) => {
    throw new Error(`${url}${path} ${String(init.body)}`, { cause });
  });
  const text = await response.text();
  return { status: response.status, body: comparable(text) };
}

/**
 * Without what differs by its nature: ids, times, the folder that OPA names files in and the width of
 * a column with them; of errors of the request itself only the code.
 */
function comparable(given: string): JsonValue {
  const text = given.replaceAll('policy/operator/', 'operator/').replaceAll(/ {2,}/g, ' ');
  let body: JsonValue;
  try {
    body = JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { decision_id: _id, metrics: _metrics, provenance: _provenance, ...rest } = body;
  if (rest.code === 'invalid_parameter') return { code: rest.code };
  const errors = Array.isArray(rest.errors) ? (rest.errors as JsonObject[]) : [];
  for (const error of errors) delete error.stack_trace;
  return rest as JsonObject;
}

function post(body: string, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
}

if (needs('go')) {
  const root = mkdtempSync(join(tmpdir(), 'policy-differential-'));
  const bundles = {
    policy: await policyBundle(OPERATOR),
    data: dataBundle({
      ...sampleData(20),
      tools: { list: [1, { a: 2 }, null], digits: { '0': 'zero', '00': 'two', '1': 'one' } },
    }),
  };
  await writeBundle(bundles.policy.files, join(root, 'policy'));
  await writeBundle(bundles.data.files, join(root, 'data'));
  const opa = await startOpaServer(root, ['policy', 'data']);
  const ours = await startService(bundles, { defaultDecision: 'system/main' });
  test.after(async () => {
    opa.close();
    await ours.stop();
    rmSync(root, { recursive: true });
  });

  const differences: string[] = [];
  const alike = () => {
    const found = differences.splice(0);
    assert.is(found.length, 0, `\n${found.join('\n')}`);
  };
  const same = async (path: string, init?: RequestInit) => {
    const [expected, actual] = await Promise.all([
      ask(opa.url, path, init),
      ask(ours.url, path, init),
    ]);
    if (isDeepStrictEqual(actual, expected)) return;
    const what = `${init?.method ?? 'GET'} ${path} ${String(init?.body ?? '')}`;
    const [ours_, opas] = [actual, expected].map((reply) => JSON.stringify(reply).slice(0, 2000));
    differences.push(`${what}\n  ours ${ours_}\n  OPA  ${opas}`);
  };

  test('every document of an operator, with every input', async () => {
    for (const path of operatorPaths) {
      // What is looked up inside a value costs OPA's interpreter here: a few inputs show it.
      const few = /\/(list|bag|by_number|text|keyed)\//.test(path) ? inputs.slice(9, 13) : inputs;
      for (const input of few) {
        const body = input === undefined ? '{}' : JSON.stringify({ input });
        await same(`/v1/data/${path}`, post(body));
      }
    }
    alike();
  });

  test('base data and whole packages, posted and got', async () => {
    for (const path of dataPaths) {
      const address = path === '' ? '/v1/data' : `/v1/data/${path}`;
      await same(address);
      await same(address, post('{"input": {"number": 1}}'));
    }
    await same('/v1/data/platform?input=%7B%22number%22%3A3%7D');
    await same('/v1/data/platform/tool/operator/echo?input=null');
    await same('/v1/data/platform/tool/operator/echo?input=%7B');
    await same('/v1/data/platform/tool/operator/echo?input=1&input=2');
    alike();
  });

  test('a path that is none is refused, here as an error of the request', async () => {
    for (const path of ['tools/a%22b', '%ff', 'platform/%22']) {
      assert.is((await ask(opa.url, `/v1/data/${path}`)).status, 500);
      const refused = { status: 400, body: { code: 'invalid_parameter' } };
      assert.equal(await ask(ours.url, `/v1/data/${path}`), refused);
    }
  });

  test('the older API and the default decision', async () => {
    for (const path of ['platform/tool/operator/echo', 'platform/tool/operator/unset', 'nothing']) {
      for (const body of ['', 'null', '{"number": 2}', '"text"']) {
        await same(`/v0/data/${path}`, post(body));
      }
    }
    await same('/', post('{}'));
    alike();
  });

  test('bodies of every kind', async () => {
    const echo = '/v1/data/platform/tool/operator/echo';
    for (const body of [
      '',
      '{}',
      'null',
      '{',
      '[]',
      '"x"',
      '{"input": {"a": 1}, "more": 2}',
      '\u00ff',
    ]) {
      await same(echo, post(body));
    }
    await same(echo, post('{"input": 1}', { 'content-type': 'text/plain' }));
    const zipped = gzipSync('{"input": {"zipped": true}}');
    await same(echo, { ...post(''), body: zipped, headers: { 'content-encoding': 'gzip' } });
    // OPA 1.22 closes the connection on this one.
    const broken = { ...post(''), body: 'no gzip', headers: { 'content-encoding': 'gzip' } };
    const refused = { status: 400, body: { code: 'invalid_parameter' } };
    assert.equal(await ask(ours.url, echo, broken), refused);
    alike();
  });

  test('explanations, strict errors and pretty answers', async () => {
    const unset = '/v1/data/platform/tool/operator/unset';
    const body = post('{"input": {"number": 0}}');
    for (const mode of ['notes', 'fails', 'full', 'debug', 'other']) {
      await same(`${unset}?explain=${mode}&pretty`, body);
      await same(`/v1/data/platform/tool/operator/twice?explain=${mode}&pretty=true`, body);
    }
    await same('/v1/data/platform/tool/operator/divided?strict-builtin-errors', body);
    alike();
    const pretty = await Promise.all(
      [opa.url, ours.url].map(async (url) => {
        const response = await fetch(`${url}/v1/data/limits?pretty=true`);
        return (await response.text()).replace(/ {2}"decision_id".*\n/, '');
      }),
    );
    assert.is(pretty[1], pretty[0]);
  });

  test('the decisions of every boundary', async () => {
    const decisions = sampleRequests(400, 11).filter(({ module }) => module === 'authorization');
    let compared = 0;
    for (const { boundary, input } of decisions) {
      let text: string;
      try {
        text = JSON.stringify({ input: JSON.parse(Buffer.from(input).toString()) });
      } catch {
        continue;
      }
      const path = `/v1/data/platform/${boundary}/decision`;
      const [expected, actual] = await Promise.all([
        ask(opa.url, path, post(text)),
        ask(ours.url, path, post(text)),
      ]);
      if (!isReadable(text)) {
        assert.is(actual.status, 400, text);
        continue;
      }
      assert.equal(actual, expected, `${path} ${text}`);
      compared += 1;
    }
    assert.ok(compared > 100, `${compared} compared`);
  });
}

test.run();
