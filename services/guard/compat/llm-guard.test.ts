// The llm-guard API as its clients use it: its numbers, its sanitized texts, its errors, its token, and LiteLLM's client.
import { spawn } from 'node:child_process';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../runtime/json.ts';
import { needs } from '../../../runtime/testing/needs.ts';
import { pythonTool } from '../../../runtime/testing/python-tools.ts';
import { defaultSettings, type GuardSettings } from '../settings.ts';
import { AGENTS, MAIL, startGuard, TOKEN } from '../testing.ts';

const settings: GuardSettings = {
  ...defaultSettings,
  enabled: ['Secrets', 'PII', 'InvisibleText'],
};
const here = await startGuard({ settings });
const authToken = ['client', 'token'].join('-');
const guarded = await startGuard({ settings, authToken });
test.after(async () => {
  await here.close();
  await guarded.close();
});

const numbers = (body: JsonObject) => body.scanners as Record<string, number>;

test('prompts: numbers for each scanner that ran, under the names that its clients know', async () => {
  const { status, body } = await here.post('/scan/prompt', { prompt: `write to ${MAIL}` });
  assert.is(status, 200);
  assert.equal(Object.keys(body).sort(), ['is_valid', 'scanners']);
  assert.is(body.is_valid, false);
  assert.equal(Object.keys(numbers(body)).sort(), ['Anonymize', 'InvisibleText', 'Secrets']);
  assert.ok(numbers(body).Anonymize! >= 0.85);
  assert.is(numbers(body).Secrets, 0);
  const clean = (await here.post('/scan/prompt', { prompt: 'hello' })).body;
  assert.equal([clean.is_valid, numbers(clean).Anonymize], [true, 0]);
});

test('outputs: the same with its names for outputs', async () => {
  const { body } = await here.post('/scan/output', { prompt: 'q', output: `key ${TOKEN}` });
  assert.is(body.is_valid, false);
  assert.equal(Object.keys(numbers(body)).sort(), ['InvisibleText', 'Secrets', 'Sensitive']);
  assert.is(numbers(body).Secrets, 1);
});

test('analyze gives the text back without what was found in it', async () => {
  const prompt = `a\u202e ${MAIL}, ${MAIL} and ${TOKEN}`;
  const { body } = await here.post('/analyze/prompt', { prompt });
  assert.is(body.sanitized_prompt, 'a [EMAIL_1], [EMAIL_1] and [GITHUB_TOKEN_1]');
  const output = (await here.post('/analyze/output', { prompt: 'q', output: prompt })).body;
  assert.is(output.sanitized_output, body.sanitized_prompt);
  const many = Array.from({ length: 300 }, (_, i) => `u${i}@example.org`).join(' ');
  const cut = (await here.post('/analyze/prompt', { prompt: many })).body;
  assert.equal([cut.is_valid, cut.sanitized_prompt], [false, '']);
});

test('whatever is found, its value is not in the sanitized text', async () => {
  const part = fc.constantFrom(MAIL, TOKEN, '\u200b', '\u202e', '\u{e0041}', 'a', ' ', 'é', '😀');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
      const prompt = parts.join(' ');
      const { body } = await here.post('/analyze/prompt', { prompt });
      const text = String(body.sanitized_prompt);
      assert.not.ok(text.includes(MAIL) || text.includes(TOKEN) || text.includes('\u202e'));
    }),
    { numRuns: 40 },
  );
});

test('suppressed scanners do not run, under either name', async () => {
  for (const name of ['Anonymize', 'PII', 'Sensitive']) {
    const body = { prompt: `write to ${MAIL}`, scanners_suppress: [name, 'Gibberish'] };
    const answer = (await here.post('/scan/prompt', body)).body;
    assert.is(answer.is_valid, true);
    assert.not.ok('Anonymize' in numbers(answer));
  }
  const all = { prompt: 'a', scanners_suppress: ['PII', 'Secrets', 'InvisibleText'] };
  assert.is((await here.post('/scan/prompt', all)).status, 422);
});

test('a wrong body is its error and a problem document at once', async () => {
  for (const body of [{}, { prompt: 1 }, { prompt: 'a', scanners_suppress: 'x' }]) {
    const {
      status,
      body: answer,
      headers,
    } = await here.post('/analyze/prompt', body as JsonObject);
    assert.is(status, 422);
    assert.is(answer.message, 'Validation failed');
    assert.ok(Array.isArray(answer.details));
    assert.is(answer.code, 'request_malformed');
    assert.is(headers['content-type'], 'application/problem+json');
  }
});

test('the token lets in whom no proxy attested, and nothing else does', async () => {
  const prompt = { prompt: 'hello' };
  const bearer = { authorization: `Bearer ${authToken}` };
  assert.is((await guarded.post('/scan/prompt', prompt, '', bearer)).status, 200);
  assert.is((await guarded.post('/scan/prompt', prompt, AGENTS.strict, bearer)).status, 200);
  for (const authorization of [
    '',
    'Bearer',
    'Bearer x',
    `Basic ${authToken}`,
    `Bearer ${authToken} x`,
  ]) {
    const refused = await guarded.post('/scan/prompt', prompt, AGENTS.strict, { authorization });
    assert.is(refused.status, 401, authorization);
    assert.is(refused.headers['www-authenticate'], 'Bearer');
    assert.is(refused.body.message, 'Invalid API key');
  }
  assert.is((await here.post('/scan/prompt', prompt, '', bearer)).status, 401);
  // The token is of this API: ours asks for an attested caller.
  assert.is((await guarded.post('/api/v1/scan/prompt', { text: 'a' }, '', bearer)).status, 401);
});

/** Puts the header of an attested agent on what it passes on, as the proxy of a pod does. */
async function sidecar(target: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const headers = { ...request.headers, 'x-platform-spiffe-id': AGENTS.strict };
    const onwards = forward(target + request.url, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onwards);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

const program = `
import asyncio, json, sys
import litellm
from litellm_enterprise.enterprise_callbacks.llm_guard import _ENTERPRISE_LLMGuard
litellm.llm_guard_mode = "all"
guard = _ENTERPRISE_LLMGuard()
async def main():
    for text in json.load(sys.stdin):
        try:
            print(json.dumps(await guard.moderation_check(text)))
        except Exception as error:
            print(json.dumps(str(getattr(error, "detail", error))))
asyncio.run(main())
`;

if (needs('litellm')) {
  test('LiteLLM’s own client of llm-guard works by changing its URL', async () => {
    const proxy = await sidecar(here.url);
    const child = spawn(join(pythonTool('litellm==1.106.2'), 'python'), ['-c', program], {
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, LLM_GUARD_API_BASE: proxy.url },
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.end(JSON.stringify(['hello', `key ${TOKEN}`]));
    let output = '';
    for await (const chunk of child.stdout) output += chunk;
    proxy.close();
    const [clean, blocked] = output.trim().split('\n');
    assert.is(clean, '"hello"');
    assert.match(blocked ?? '', 'Violated content safety policy');
  });
}

test.run();
