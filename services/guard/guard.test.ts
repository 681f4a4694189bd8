// The guard over real HTTP: what it answers, what it refuses, what stays in evidence, and who may be warned.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { guardTextBytesMax } from '../../runtime/modules/guard.ts';
import { defaultSettings, type GuardSettings } from './settings.ts';
import { AGENTS, MAIL, modules, startGuard, TOKEN } from './testing.ts';

const here = await startGuard();
test.after(() => here.close());
const prompt = '/api/v1/scan/prompt';
const output = '/api/v1/scan/output';

function isProblem({ status, headers, body }: Awaited<ReturnType<typeof here.post>>): boolean {
  return (
    headers['content-type'] === 'application/problem+json' &&
    body.status === status &&
    typeof body.code === 'string' &&
    typeof body.title === 'string' &&
    typeof body.request_id === 'string'
  );
}

test('a clean text is valid, and its scanners are empty', async () => {
  for (const member of ['text', 'prompt']) {
    const asked = { [member]: 'What is the weather?' };
    const { status, body: answer, headers } = await here.post(prompt, asked);
    assert.is(status, 200);
    assert.is(answer.is_valid, true);
    assert.equal(answer.scanners, {});
    assert.match(String(answer.decision_id), /^[0-9a-f]{64}$/);
    assert.is(headers['x-platform-decision-id'], answer.decision_id);
  }
  const answered = await here.post(output, { prompt: 'Hi', output: 'The sun shines.' });
  assert.is(answered.body.is_valid, true);
});

test('a text that is too long is refused before a larger model gets it', async () => {
  let asked = 0;
  const score = async () => {
    asked += 1;
    return 0;
  };
  const guard = await startGuard({ injectionModel: { name: 'm', score } });
  const refused = await guard.post(prompt, { text: 'a '.repeat(guardTextBytesMax / 2 + 1) });
  assert.is(refused.status, 413);
  assert.is(asked, 0);
  assert.is((await guard.post(prompt, { text: 'hello' })).status, 200);
  assert.is(asked, 1);
  await guard.close();
});

test('who asks leaves no scanner out that the data says blocks', async () => {
  const asked = { text: `to ${MAIL}`, scanners_suppress: ['PII'] };
  const refused = await here.post(prompt, asked, AGENTS.careful);
  assert.is(refused.status, 403);
  assert.is(refused.body.code, 'denied');
  assert.is((await here.post(prompt, asked, AGENTS.strict)).body.is_valid, true);
});

test('what hidden characters kept apart is not put together in the sanitized text', async () => {
  for (const hidden of ['\u200b', '\u00ad', '\u{e0041}']) {
    const text = `use ${TOKEN.slice(0, 10)}${hidden}${TOKEN.slice(10)} and ${MAIL}`;
    const { body } = await here.post('/analyze/prompt', { prompt: text });
    assert.is(body.is_valid, false);
    assert.is(body.sanitized_prompt, 'use [GITHUB_TOKEN_1] and [EMAIL_1]');
  }
});

test('findings stand under their scanner as decimals, with their place, and never the value', async () => {
  const text = `my token is ${TOKEN} and my mail ${MAIL}`;
  for (const [path, body] of [
    [prompt, { text }],
    [output, { prompt: 'q', output: text }],
  ] as const) {
    const { status, body: answer } = await here.post(path, body);
    assert.is(status, 200);
    assert.is(answer.is_valid, false);
    const scanners = answer.scanners as Record<string, JsonObject>;
    const { Secrets: secrets, PII: pii } = scanners;
    const [match] = (secrets?.matches ?? []) as JsonObject[];
    assert.is(secrets?.score, 1);
    assert.is(secrets?.action, 'block');
    assert.is(match?.kind, 'github_token');
    assert.is(text.slice(match?.start as number, match?.end as number), TOKEN);
    assert.is(pii?.threshold, 0.85);
    assert.not.ok(JSON.stringify(answer).includes(TOKEN));
    assert.not.ok(JSON.stringify(answer).includes(MAIL));
  }
});

test('a tenant’s policy lets a scanner only warn, and an agent’s own entry blocks all the same', async () => {
  const body = { text: `write to ${MAIL}` };
  const warned = (await here.post(prompt, body, AGENTS.lenient)).body;
  assert.is(warned.is_valid, true);
  assert.is((warned.scanners as Record<string, JsonObject>).PII?.action, 'warn');
  assert.is((await here.post(prompt, body, AGENTS.careful)).body.is_valid, false);
  assert.is((await here.post(prompt, body, AGENTS.strict)).body.is_valid, false);
  const secret = (await here.post(prompt, { text: TOKEN }, AGENTS.lenient)).body;
  assert.is(secret.is_valid, false);
  assert.is((secret.reason as JsonObject).code, 'secrets_blocked');
});

test('every scan leaves the decisions of the guard and of the policy, and no text', async () => {
  const marker = 'the-purple-otter-sings';
  await here.post(prompt, { text: `${marker} ${TOKEN}` });
  await here.post(output, { prompt: `${marker} q`, output: `${marker} fine`, canaries: [marker] });
  const rows = (await here.rows()).slice(-2);
  assert.equal(
    rows.map(({ kind }) => kind),
    ['denial', rows[1]?.kind],
  );
  for (const row of rows) {
    const made = row.decisions as unknown as {
      boundary: string;
      module: string;
      input: JsonValue;
    }[];
    assert.equal(made.map(({ boundary, module }) => `${boundary} ${module}`).sort(), [
      'scan authorization',
      'scan guard',
    ]);
    const text = JSON.stringify(row);
    assert.not.ok(text.includes(marker));
    assert.not.ok(text.includes(TOKEN));
    assert.ok(text.includes('$commitment'));
  }
});

test('whoever is not registered gets no answer about the text', async () => {
  for (const as of ['', 'spiffe://platform.local/agent/acme/nobody/main', 'nonsense']) {
    const refused = await here.post(prompt, { text: TOKEN }, as);
    assert.ok(refused.status >= 400, as);
    assert.ok(isProblem(refused));
    assert.not.ok('scanners' in refused.body);
  }
  const denied = await here.post(prompt, { text: TOKEN }, 'spiffe://platform.local/agent/a/b/c');
  assert.is(denied.status, 403);
  assert.is((denied.body.reason as JsonObject).code, 'unknown_caller');
  assert.match(String(denied.body.decision_id), /^[0-9a-f]{64}$/);
});

test('4 MiB are scanned to the last byte, and one more is refused and never cut', async () => {
  const most = 'the sun shines\n'
    .repeat(guardTextBytesMax)
    .slice(0, guardTextBytesMax - TOKEN.length - 1);
  const settings: GuardSettings = {
    ...defaultSettings,
    enabled: ['Secrets', 'PII', 'InvisibleText'],
  };
  const patterns = await startGuard({ settings });
  const whole = await patterns.post(prompt, { text: `${most} ${TOKEN}` });
  await patterns.close();
  assert.is(whole.status, 200);
  assert.is(whole.body.is_valid, false);
  assert.ok('Secrets' in (whole.body.scanners as JsonObject));
  for (const text of [`${most} ${TOKEN}x`, 'é'.repeat(guardTextBytesMax / 2 + 1)]) {
    const refused = await here.post(prompt, { text });
    assert.is(refused.status, 413);
    assert.is(refused.body.code, 'input_too_large');
    assert.ok(isProblem(refused));
  }
  const huge = await here.post(prompt, { text: 'x'.repeat(13 * 1024 * 1024) });
  assert.is(huge.status, 413);
});

test('a request of another form is refused with a problem document, and leaves a row', async () => {
  const bodies: (JsonValue | string)[] = [
    {},
    { text: 1 },
    { text: 'a', prompt: 'b' },
    { text: 'a', txet: 'b' },
    { text: 'a', source: 'web' },
    { text: 'a', scanners_suppress: ['Nothing'] },
    { text: 'a', scanners_suppress: 'PII' },
    [],
    'null',
    '{',
    '{"text":"a","text":"b"}',
    '{"text":"\\ud800"}',
  ];
  const before = (await here.rows()).length;
  for (const body of bodies) {
    const refused = await here.post(prompt, body);
    assert.is(refused.status, 400, JSON.stringify(body));
    assert.ok(isProblem(refused), JSON.stringify(body));
  }
  assert.is((await here.rows()).length, before + bodies.length);
  const canaries = Array.from({ length: 65 }, (_, i) => `c${i}`);
  assert.is((await here.post(output, { output: 'a', canaries })).status, 400);
});

test('no body makes the guard answer anything but a result or a problem', async () => {
  const member = fc.constantFrom(
    'text',
    'prompt',
    'output',
    'source',
    'canaries',
    'scanners_suppress',
  );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
    fc.string({ unit: 'binary' }),
    fc.constantFrom<JsonValue>('user', ['PII'], [TOKEN], MAIL),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(member, value),
      fc.constantFrom(prompt, output, '/analyze/prompt', '/scan/output'),
      async (body, path) => {
        const answer = await here.post(path, body as JsonObject);
        assert.ok([200, 400, 422].includes(answer.status), JSON.stringify([path, body, answer]));
        if (answer.status === 200) assert.type(answer.body.is_valid, 'boolean');
        else assert.ok(isProblem(answer));
      },
    ),
    { numRuns: 150 },
  );
});

test('every route but health decides before its handler answers', async () => {
  const open = here.guard.routes.filter(({ boundary }) => boundary === 'open');
  assert.equal(
    open.map(({ path }) => path),
    ['/health', '/healthz', '/readyz', '/'],
  );
  for (const { method, path, boundary } of here.guard.routes) {
    if (boundary === 'open') {
      assert.is((await here.get(path)).status, 200);
      continue;
    }
    assert.equal(boundary, { boundary: 'scan', action: 'scan' });
    assert.is(method, 'POST');
    const before = (await here.rows()).length;
    const nobody = await here.post(path, { prompt: 'a', output: 'b' }, '');
    assert.is(nobody.status, 401);
    assert.is((await here.rows()).length, before + 1);
    const body: JsonObject = path.endsWith('output')
      ? { prompt: 'a', output: 'b' }
      : { prompt: 'a' };
    const { headers } = await here.post(path, body);
    assert.match(String(headers['x-platform-decision-id']), /^[0-9a-f]{64}$/, path);
  }
});

test('where the guard has no policy it says so and lets nothing through', async () => {
  const { createDecider } = await import('../../runtime/decide/decide.ts');
  const decider = createDecider({
    bundles: { current: () => undefined },
    record: modules.record,
    executorFor: () => {
      throw new Error('there is no pair');
    },
  });
  const blind = await startGuard({ decider });
  const refused = await blind.post(prompt, { text: 'a' });
  assert.is(refused.status, 503);
  assert.is(refused.body.code, 'bundle_missing');
  await blind.close();
});

test.run();
