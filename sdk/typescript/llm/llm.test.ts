// Tests of platformLlm with the providers' own clients against a server that speaks their wires.
import { SpanStatusCode } from '@opentelemetry/api';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../../runtime/testing/eventually.ts';
import { needs } from '../../../runtime/testing/needs.ts';
import { CredentialError, GuardrailError } from '../errors.ts';
import { keepSpans } from '../testing-spans.ts';
import { clientPackage, startModelServer } from './clients.ts';
import { type LlmOptions, platformLlm } from './index.ts';

// All that follows needs the clients, which are imported before the first test.
if (!needs('llm-clients')) process.exit(0);

process.env.PLATFORM_LLM_GUARD_ENABLED = 'true';
const { spans, telemetry } = keepSpans();
const server = await startModelServer();
const OpenAI = (await clientPackage('openai')).OpenAI;
const Anthropic = (await clientPackage('@anthropic-ai/sdk')).Anthropic;
const { GoogleGenAI } = await clientPackage('@google/genai');
const { Mistral } = await clientPackage('@mistralai/mistralai');

/** Put together here, so that no text of this file looks like a credential. */
const SECRET = `ghp${'_'}${'x7Kq2mVb9TzR4sLw8NcY1dFg6HjP3a10IZZG'}`;
const HARMLESS = [
  'The capital ',
  'of France',
  ' is Paris, a city on',
  ' the Seine.',
  ' It is large.',
];
const LEAKY = ['Here is the tok', 'en: ', SECRET.slice(0, 9), SECRET.slice(9), ' keep it', ' safe'];

/** One provider: how text is asked for, whole and in a stream, with the client that is given. */
interface Provider {
  system: string;
  name: string;
  client(options?: LlmOptions): Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: each client has types of its own
  ask(client: any, model: string, text: string): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: each client has types of its own
  stream(client: any, model: string, text: string): AsyncGenerator<string>;
}

const user = (content: string) => [{ role: 'user', content }];
const open = (options?: LlmOptions) =>
  platformLlm(
    new OpenAI({ apiKey: 'none', baseURL: `${server.url}/openai/v1`, maxRetries: 0 }),
    options,
  );

const providers: Provider[] = [
  {
    ...{ system: 'openai', name: 'openai', client: open },
    async ask(client, model, text) {
      const { choices } = await client.chat.completions.create({ model, messages: user(text) });
      return choices[0].message.content;
    },
    async *stream(client, model, text) {
      const chunks = await client.chat.completions.create({
        model,
        messages: user(text),
        stream: true,
      });
      for await (const chunk of chunks) yield chunk.choices[0].delta.content ?? '';
    },
  },
  {
    ...{ system: 'openai', name: 'openai', client: open },
    async ask(client, model, text) {
      return (await client.responses.create({ model, input: text })).output_text;
    },
    async *stream(client, model, input) {
      for await (const event of await client.responses.create({ model, input, stream: true })) {
        if (event.type === 'response.output_text.delta') yield event.delta;
      }
    },
  },
  {
    ...{ system: 'anthropic', name: 'anthropic' },
    client: (options) => {
      const baseURL = `${server.url}/anthropic`;
      return platformLlm(new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 }), options);
    },
    async ask(client, model, text) {
      const message = await client.messages.create({ model, max_tokens: 99, messages: user(text) });
      return message.content[0].text;
    },
    async *stream(client, model, text) {
      const stream = client.messages.stream({ model, max_tokens: 99, messages: user(text) });
      for await (const event of stream) {
        if (event.type === 'content_block_delta') yield event.delta.text;
      }
    },
  },
  {
    ...{ system: 'google', name: 'gcp.gemini' },
    client: (options) => {
      const httpOptions = { baseUrl: `${server.url}/google` };
      return platformLlm(new GoogleGenAI({ apiKey: 'none', httpOptions }), options);
    },
    async ask(client, model, contents) {
      return (await client.models.generateContent({ model, contents })).text;
    },
    async *stream(client, model, contents) {
      const chunks = await client.models.generateContentStream({ model, contents });
      for await (const chunk of chunks) yield chunk.text ?? '';
    },
  },
  {
    ...{ system: 'mistral', name: 'mistral_ai' },
    client: (options) =>
      platformLlm(new Mistral({ apiKey: 'none', serverURL: `${server.url}/mistral` }), options),
    async ask(client, model, text) {
      const { choices } = await client.chat.complete({ model, messages: user(text) });
      return choices[0].message.content;
    },
    async *stream(client, model, text) {
      for await (const { data } of await client.chat.stream({ model, messages: user(text) })) {
        yield data.choices[0].delta.content ?? '';
      }
    },
  },
];

function lastSpan() {
  return spans.filter(({ name }) => name === 'platform.llm.chat').at(-1)!;
}

/** What a run throws; Anthropic's helper for streams wraps whatever is no error of its own. */
async function refusal(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return (error as Error).constructor.name === 'AnthropicError' ? (error as Error).cause : error;
  }
  return assert.unreachable('nothing was thrown');
}

async function collect(stream: AsyncGenerator<string>, into: string[]): Promise<void> {
  for await (const text of stream) into.push(text);
}

test.before.each(async () => {
  await server.forget();
  spans.length = 0;
});

for (const [index, provider] of providers.entries()) {
  const title = `${provider.system} ${index}`;

  test(`${title}: a harmless call is answered as without us, and has its span`, async () => {
    await server.reply('gpt-4o', { pieces: HARMLESS });
    const client = provider.client();
    assert.is(await provider.ask(client, 'gpt-4o', 'What is the capital?'), HARMLESS.join(''));
    const { attributes, status } = lastSpan();
    assert.is(attributes['gen_ai.system'], provider.system);
    assert.is(attributes['gen_ai.provider.name'], provider.name);
    assert.is(attributes['gen_ai.request.model'], 'gpt-4o');
    assert.is(attributes['gen_ai.usage.total_tokens'], 18);
    assert.is(status.code, SpanStatusCode.UNSET);
    assert.ok((attributes['platform.llm.cost_usd'] as number) > 0);
    assert.not.match(JSON.stringify(attributes), /capital/);
  });

  test(`${title}: a harmless stream is handed over whole`, async () => {
    await server.reply('gpt-4o', { pieces: HARMLESS });
    const texts: string[] = [];
    await collect(provider.stream(provider.client(), 'gpt-4o', 'What is the capital?'), texts);
    assert.is(texts.join(''), HARMLESS.join(''));
    assert.is(lastSpan().attributes['gen_ai.usage.output_tokens'], 7);
  });

  test(`${title}: a prompt with a secret does not leave`, async () => {
    const error = await refusal(() => provider.ask(provider.client(), 'm', `use ${SECRET} now`));
    assert.instance(error, GuardrailError);
    assert.equal(Object.keys((error as GuardrailError).scanners), ['Secrets']);
    assert.equal(await server.requests(), []);
    const { attributes, status } = lastSpan();
    assert.equal(status, { code: SpanStatusCode.ERROR, message: 'Blocked by LLM Guard' });
    assert.is(attributes['platform.guard.prompt_blocked'], true);
    assert.is(attributes['platform.guard.scanners'], 'Secrets');
    assert.not.match(JSON.stringify(attributes), /Q7XZ/);
  });

  test(`${title}: a response with a secret is not handed over`, async () => {
    await server.reply('m', { pieces: LEAKY });
    const error = await refusal(() => provider.ask(provider.client(), 'm', 'Hello'));
    assert.instance(error, GuardrailError);
    const { attributes, status } = lastSpan();
    assert.equal(status, { code: SpanStatusCode.ERROR, message: 'Output blocked by LLM Guard' });
    assert.is(attributes['platform.guard.output_blocked'], true);
    assert.is(attributes['platform.guard.output_scanners'], 'Secrets');
  });

  test(`${title}: a stream is stopped before the secret in it`, async () => {
    await server.reply('m', { pieces: [...LEAKY, ...Array(50).fill(' and more')], delay_ms: 2 });
    const texts: string[] = [];
    const stream = provider.stream(provider.client(), 'm', 'Hello');
    const error = await refusal(() => collect(stream, texts));
    assert.instance(error, GuardrailError);
    assert.ok(LEAKY.join('').slice(0, 19).startsWith(texts.join('')), texts.join(''));
    await eventually(async () => (await server.requests())[0]!.ended === 'client');
    assert.is(lastSpan().status.message, 'Output blocked by LLM Guard');
  });

  test(`${title}: a tool call is shown before any of it is handed over`, async () => {
    const tools = [{ id: 'call_1', name: 'send_mail', arguments: { to: 'everyone' } }];
    await server.reply('m', { text: 'I will.', tools });
    const seen: string[] = [];
    const onToolCall = (call: { name: string; arguments: string }) => {
      seen.push(`${call.name} ${JSON.stringify(JSON.parse(call.arguments))}`);
      return { allow: false, decision_id: 'abc' };
    };
    const client = provider.client({ onToolCall });
    for (const run of [
      () => provider.ask(client, 'm', 'Hello'),
      () => collect(provider.stream(client, 'm', 'Hello'), []),
    ]) {
      const error = await refusal(run);
      assert.instance(error, CredentialError);
      assert.is((error as CredentialError).code, 'tool_call_denied');
      assert.is((error as CredentialError).decisionId, 'abc');
    }
    const shown = 'send_mail {"to":"everyone"}';
    assert.equal(seen, [shown, shown]);
  });

  test(`${title}: an error of the provider stays its own`, async () => {
    await server.reply('m', { status: 400, message: 'no such thing' });
    const error = await refusal(() => provider.ask(provider.client(), 'm', 'Hello'));
    assert.match(String((error as Error).message), /no such thing/);
    assert.is(lastSpan().status.code, SpanStatusCode.ERROR);
  });
}

test('the client given stays as it was, and the one returned is of its class', async () => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${server.url}/openai/v1` });
  assert.instance(platformLlm(client), OpenAI);
  await server.reply('m', { pieces: LEAKY });
  const { choices } = await client.chat.completions.create({ model: 'm', messages: user('Hello') });
  assert.is(choices[0].message.content, LEAKY.join(''));
  assert.throws(() => platformLlm({}), /OpenAI, Anthropic, Google and Mistral/);
});

test('content is recorded only when asked for', async () => {
  await server.reply('m', { pieces: HARMLESS });
  await providers[0]!.ask(open({ captureContent: true }), 'm', 'Where is Paris?');
  const { attributes } = lastSpan();
  assert.match(attributes['gen_ai.input.messages'] as string, /Where is Paris/);
  assert.match(attributes['gen_ai.output.messages'] as string, /Seine/);
});

test.after(async () => {
  server.close();
  await telemetry.shutdown();
});

test.run();
