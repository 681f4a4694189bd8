// Decision logs: OPA's form, nothing committed in clear, in order, bounded.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';
import { eventually } from '../../runtime/testing/eventually.ts';
import { sampleAgent } from '../../runtime/testing/sample-data.ts';
import type { LogSink } from './decision-log.ts';
import { sinkOf } from './log-sinks.ts';
import { dataBundle, policyBundle, startService, type TestService } from './testing.ts';

const SECRET = 'sk-never-in-a-log';
const bundles = {
  policy: await policyBundle('package platform.tool.operator\n\necho := input\n'),
  data: dataBundle(),
};
const folder = mkdtempSync(join(tmpdir(), 'decision-log-'));
test.after(() => rmSync(folder, { recursive: true }));

let sink: LogSink = async () => undefined;
let writing = 0;
const service = await startService(bundles, {
  decisionLogs: async (events) => {
    writing += 1;
    await sink(events).finally(() => {
      writing -= 1;
    });
  },
});

/** Asks with this sink, until everything is written. */
async function serving(
  given: LogSink,
  ask: (service: TestService) => Promise<unknown>,
): Promise<void> {
  sink = given;
  await ask(service);
  const isIdle = async () => (await metric('buffered')) === 0 && writing === 0;
  await eventually(isIdle, 20_000);
}

async function metric(name: string): Promise<number> {
  const page = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`^platform_policy_decision_log_${name} (\\d+)$`, 'm').exec(page)?.[1]);
}

function evaluate({ url }: TestService, path: string, input: JsonValue): Promise<JsonObject> {
  const body = JSON.stringify({ input });
  return fetch(`${url}/v1/data/${path}`, { method: 'POST', body }).then(
    (answer) => answer.json() as Promise<JsonObject>,
  );
}

const call = {
  action: 'call',
  identity: { spiffe_id: sampleAgent(1) },
  arguments: { token: SECRET },
  provenance: { '/token': [{ source: SECRET }] },
};

test('a decision is logged as OPA logs it, with the commitments of the platform', async () => {
  const lines: string[] = [];
  let answer: JsonObject = {};
  await serving(
    async (events) => void lines.push(...events),
    async (service) => {
      answer = await evaluate(service, 'platform/tool/decision', call);
    },
  );
  const [event] = lines.map((line) => JSON.parse(line) as JsonObject);
  assert.is(lines.length, 1);
  assert.is(event!.decision_id, answer.decision_id);
  assert.equal(event!.result, answer.result);
  assert.is(event!.path, 'platform/tool/decision');
  assert.equal(event!.masked, ['/input/arguments', '/input/provenance']);
  const { arguments: committed, identity } = event!.input as JsonObject;
  assert.match(JSON.stringify(committed), /^\{"\$commitment":"sha256:[0-9a-f]{64}"\}$/);
  assert.equal(identity, call.identity);
  const { policy, data } = event!.bundles as Record<string, JsonObject>;
  assert.is(policy?.revision, bundles.policy.revision);
  assert.is(data?.revision, bundles.data.revision);
  assert.ok(isJsonObject(event!.labels) && typeof event!.labels.id === 'string');
  assert.ok(Number.isFinite(Date.parse(String(event!.timestamp))));
  assert.not.match(lines.join('\n'), SECRET);
});

test('no way of asking brings a committed field into the log', async () => {
  const lines: string[] = [];
  const paths = [
    ...['', 'platform', 'platform/tool', 'platform/tool/operator/echo', 'platform/tool/reasons'],
    ...['platform/credential/decision', 'platform/tool/operator/echo/arguments/token', 'nothing'],
  ];
  await serving(
    async (events) => void lines.push(...events),
    async (service) => {
      for (const path of paths) await evaluate(service, path, call);
      await evaluate(service, 'platform/tool/decision', SECRET);
      await evaluate(service, 'platform/tool', [SECRET]);
      const query = `input=${encodeURIComponent(JSON.stringify(call))}&explain=full`;
      await fetch(`${service.url}/v1/data/platform/tool/operator/echo?${query}`);
      const body = JSON.stringify(call);
      await fetch(`${service.url}/v0/data/platform/tool/operator/echo`, { method: 'POST', body });
      await fetch(`${service.url}/v0/data/platform/tool/operator/no`, { method: 'POST', body });
      await fetch(`${service.url}/`, { method: 'POST', body });
    },
  );
  assert.is(lines.length, paths.length + 6);
  assert.not.match(lines.join('\n'), SECRET);
});

test('whatever the input is, its committed fields are not in the log', async () => {
  const lines: string[] = [];
  const field = fc.constantFrom('arguments', 'provenance', 'action', 'context', 'x');
  const leaf = fc.constantFrom<JsonValue>(SECRET, [SECRET], { a: SECRET }, `"${SECRET}\\`);
  const inputs = fc.sample(fc.dictionary(field, leaf), { numRuns: 60, seed: 4 });
  await serving(
    async (events) => void lines.push(...events),
    async (service) => {
      for (const input of inputs) {
        await evaluate(service, 'platform/tool/decision', input);
        await evaluate(service, 'platform/mesh', input);
      }
    },
  );
  assert.is(lines.length, inputs.length * 2);
  for (const [index, line] of lines.entries()) {
    const logged = (JSON.parse(line) as JsonObject).input as JsonObject;
    const given = inputs[Math.floor(index / 2)]!;
    assert.equal(Object.keys(logged).sort(), Object.keys(given).sort());
    for (const name of ['arguments', 'provenance']) {
      assert.not.match(JSON.stringify(logged[name] ?? null), SECRET);
    }
  }
});

test('a file gets one line an event and is for its owner only', async () => {
  const path = join(folder, 'decisions.jsonl');
  await serving(sinkOf(path), async (service) => {
    for (let number = 0; number < 700; number++) {
      await evaluate(service, 'platform/tool/decision', { ...call, number });
    }
  });
  const numbers = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => ((JSON.parse(line) as JsonObject).input as JsonObject).number);
  assert.equal(
    numbers,
    Array.from({ length: 700 }, (_, number) => number),
  );
  assert.is(statSync(path).mode & 0o777, 0o600);
});

test('a server gets gzip batches, all of them, whatever fails in between', async () => {
  const events: JsonObject[] = [];
  let requests = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests += 1;
    assert.is(request.url, '/prefix/logs');
    assert.is(request.headers['content-encoding'], 'gzip');
    if (requests <= 2) {
      response.writeHead(requests === 1 ? 503 : 302, { location: '/elsewhere' }).end();
      return;
    }
    events.push(...(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as JsonObject[]));
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const posting = sinkOf(`http://127.0.0.1:${port}/prefix/`);
  await serving(posting, async (service) => {
    await evaluate(service, 'platform/tool/decision', call);
    const health = async () => (await fetch(`${service.url}/health?plugins`)).status;
    await eventually(async () => (await health()) === 500);
    await eventually(() => events.length === 1);
    await eventually(async () => (await health()) === 200);
  });
  assert.is(events.length, 1);
  server.close();
});

test('a sink that takes nothing costs a bounded buffer, and what was dropped is counted', async () => {
  sink = () => Promise.reject(new Error('full'));
  const wide = { ...call, context: 'x'.repeat(200_000) };
  for (let number = 0; number < 100; number++) {
    await evaluate(service, 'platform/tool/decision', wide);
  }
  assert.ok((await metric('buffered')) <= 84);
  assert.ok((await metric('dropped_total')) >= 16);
  await service.stop();
});

test.run();
