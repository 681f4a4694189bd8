// A larger model behind an endpoint: its verdict is an input of the decision, and without it nothing passes.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { codeOf } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { httpModel } from './model-http.ts';
import { onnxModel } from './model-onnx.ts';
import { startGuard } from './testing.ts';

/** What the endpoint was asked, and what it answers next. */
const seen: { asked: JsonValue[]; status: number; answer: string } = {
  asked: [],
  status: 200,
  answer: '[]',
};
const server: Server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  seen.asked.push(JSON.parse(text) as JsonValue);
  response.writeHead(seen.status, { 'content-type': 'application/json' }).end(seen.answer);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/predict`;
test.after(() => void server.close());

const signal = AbortSignal.timeout(60_000);
const model = httpModel(`${url}?key=hidden`);

async function scored(answer: JsonValue): Promise<number> {
  seen.answer = JSON.stringify(answer);
  return model.score('text', signal);
}

test('the forms in which classification endpoints answer', async () => {
  const label = (name: string, score: number) => ({ label: name, score });
  assert.is(await scored([label('INJECTION', 0.9876), label('SAFE', 0.0124)]), 988);
  assert.is(await scored([[label('SAFE', 0.9), label('INJECTION', 0.1)]]), 100);
  assert.is(await scored([label('LABEL_1', 0.25), label('LABEL_0', 0.75)]), 250);
  assert.is(
    await scored([label('jailbreak', 0.4), label('injection', 0.3), label('benign', 0.3)]),
    700,
  );
  assert.is(await scored([label('SAFE', 0.8)]), 200);
  assert.equal(seen.asked.at(-1), { inputs: 'text' });
});

test('what is no verdict is an error, and none of its text is told', async () => {
  const wrong: JsonValue[] = [
    {},
    [],
    [[]],
    'x',
    [{ label: 'A' }],
    [{ label: 'SAFE', score: 2 }],
    [{ label: 1, score: 0.5 }],
  ];
  for (const answer of wrong) {
    const code = await scored(answer).then(String, codeOf);
    assert.is(code, 'service_unavailable', JSON.stringify(answer));
  }
  seen.answer = 'x'.repeat(100_000);
  assert.is(await model.score('a', signal).then(String, codeOf), 'service_unavailable');
  seen.status = 500;
  assert.is(await model.score('a', signal).then(String, codeOf), 'service_unavailable');
  seen.status = 200;
  const gone = httpModel('http://127.0.0.1:1/');
  assert.is(await gone.score('a', signal).then(String, codeOf), 'service_unavailable');
});

test('the verdict is recorded as an input, and an attack that it alone sees does not pass', async () => {
  const guard = await startGuard({ injectionModel: model });
  seen.answer = JSON.stringify([{ label: 'INJECTION', score: 0.97 }]);
  const found = await guard.post('/api/v1/scan/prompt', { text: 'What is the weather like?' });
  assert.is(found.body.is_valid, false);
  const scanners = found.body.scanners as Record<string, JsonObject>;
  assert.ok('PromptInjection' in scanners);
  const row = JSON.stringify((await guard.rows()).at(-1));
  assert.match(row, '"injection"');
  assert.match(row, url);
  assert.match(row, '970');
  assert.not.ok(row.includes('hidden'));
  seen.answer = JSON.stringify([{ label: 'INJECTION', score: 0.02 }]);
  const clean = await guard.post('/api/v1/scan/prompt', { text: 'What is the weather like?' });
  assert.is(clean.body.is_valid, true);
  seen.status = 503;
  const blind = await guard.post('/api/v1/scan/prompt', { text: 'What is the weather like?' });
  assert.is(blind.status, 503);
  assert.is(blind.body.code, 'service_unavailable');
  assert.is((await guard.rows()).at(-1)?.kind, 'denial');
  await guard.close();
});

test('a local model needs its runtime, and says so', async () => {
  // The package is the operator's to install; where it is there, the file is what is missing.
  const error = await onnxModel('/no/such/model.onnx').then(
    () => assert.unreachable(),
    (caught: unknown) => caught,
  );
  assert.is(codeOf(error), 'configuration_invalid');
});

test.run();
