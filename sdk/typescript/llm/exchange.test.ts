// What a server that does not keep to its wire can make pass: each answer as it might send it, byte by byte.
import { ReadableStream as NodeStream } from 'node:stream/web';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CredentialError, GuardrailError } from '../errors.ts';
import { anthropicMessages } from './anthropic.ts';
import { mistralChat, openaiChat, openaiCompletions } from './chat.ts';
import { type ExchangeOptions, guardedFetch } from './exchange.ts';
import { googleContent } from './google.ts';
import { Guarding } from './guarding.ts';
import { openaiResponses } from './responses.ts';

/** Put together here, so that no text of this file looks like a credential. */
const SECRET = `ghp${'_'}${'x7Kq2mVb9TzR4sLw8NcY1dFg6HjP3a10IZZG'}`;
const WIRES = [
  ...[openaiChat, openaiResponses, openaiCompletions],
  ...[anthropicMessages, googleContent, mistralChat],
];
const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const GOOGLE = '/v1beta/tunedModels/mine:generateContent';
const RESPONSES = '/v1/responses';

type Body = string | Uint8Array[] | ReadableStream<Uint8Array>;

/** What the client reads of a response with this body, or the error that reading it throws. */
async function read(
  path: string,
  body: Body,
  {
    type = 'application/json',
    prompt = 'Hello',
    ...options
  }: Partial<ExchangeOptions> & {
    type?: string;
    prompt?: string;
  } = {},
): Promise<{ text: string; error?: unknown; sent: number }> {
  let sent = 0;
  const server = async () => {
    sent += 1;
    const given = Array.isArray(body) ? NodeStream.from(body) : body;
    return new Response(given as ReadableStream, { headers: { 'content-type': type } });
  };
  const ask = guardedFetch(server, WIRES, {
    ...{ guarding: new Guarding(), captureContent: false },
    ...options,
  });
  const request = { model: 'm', stream: type.includes('event'), prompt };
  const response = await ask(`https://model.example${path}`, {
    method: 'POST',
    body: JSON.stringify(request),
  });
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as NodeStream<Uint8Array>) {
      text += decoder.decode(bytes);
    }
  } catch (error) {
    return { text, error, sent };
  }
  return { text, sent };
}

const stream = { type: 'text/event-stream' };
const sse = (...events: unknown[]) =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const wholes: [string, string, unknown][] = [
  ['a completion of the old form', '/v1/completions', { choices: [{ text: SECRET }] }],
  ['a tuned model', GOOGLE, { candidates: [{ content: { parts: [{ text: SECRET }] } }] }],
  [
    'what code printed',
    GOOGLE,
    { candidates: [{ content: { parts: [{ codeExecutionResult: { output: SECRET } }] } }] },
  ],
  [
    'a part that nobody has heard of',
    CHAT,
    { choices: [{ message: { content: null, said: [{ words: SECRET }] } }] },
  ],
  [
    'a call of the old form',
    CHAT,
    { choices: [{ message: { function_call: { name: 'f', arguments: `{"a":"${SECRET}"}` } } }] },
  ],
  [
    'an escape in the arguments of a tool',
    CHAT,
    {
      choices: [
        {
          message: {
            tool_calls: [
              { function: { name: 'f', arguments: `{"a":"\\u0067${SECRET.slice(1)}"}` } },
            ],
          },
        },
      ],
    },
  ],
  [
    'what a server tool found',
    MESSAGES,
    { content: [{ type: 'web_search_tool_result', content: [{ title: SECRET }] }] },
  ],
  [
    'a call of a shell',
    RESPONSES,
    { output: [{ type: 'shell_call', action: { commands: [`echo ${SECRET}`] } }] },
  ],
];
for (const [title, path, body] of wholes) {
  test(`${title} is scanned`, async () => {
    const { text, error } = await read(path, JSON.stringify(body));
    assert.instance(error, GuardrailError);
    assert.is(text, '');
  });
}

const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
const streams: [string, string, string][] = [
  ['an event after an end of line of another kind', CHAT, `data: {}\n\r\n${sse(chunk(SECRET))}`],
  ['an event after a return', CHAT, `data: {}\r\r\n${sse(chunk(SECRET))}`],
  ['JSON behind blanks', CHAT, `data:   ${JSON.stringify(chunk(SECRET))}\n\n`],
  [
    'JSON on two lines',
    CHAT,
    `data: ${JSON.stringify(chunk(SECRET)).replace('{"index', '\ndata: {"index')}\n\n`,
  ],
  ['an event that the end cuts', CHAT, `data: ${JSON.stringify(chunk(SECRET))}`],
  ['a message in a stream', CHAT, sse({ choices: [{ message: { content: SECRET } }] })],
  [
    'thoughts in pieces',
    CHAT,
    sse(
      { choices: [{ delta: { thoughts: SECRET.slice(0, 9) } }] },
      { choices: [{ delta: { thoughts: SECRET.slice(9) } }] },
    ),
  ],
  [
    'text in the event that begins a block',
    MESSAGES,
    sse({ type: 'content_block_start', index: 0, content_block: { type: 'x', said: SECRET } }),
  ],
  [
    'text that is only in the last event',
    RESPONSES,
    sse({
      type: 'response.completed',
      response: {
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'output_text', text: SECRET }] }],
      },
    }),
  ],
  [
    'text that is only in the event that ends a part',
    RESPONSES,
    sse({ type: 'response.output_text.done', output_index: 0, content_index: 0, text: SECRET }),
  ],
];
for (const [title, path, body] of streams) {
  test(`${title} is scanned`, async () => {
    for (const size of [1, 7, body.length]) {
      const bytes = Buffer.from(body);
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      const { text, error } = await read(path, pieces, stream);
      assert.instance(error, GuardrailError);
      assert.not.ok(text.includes(SECRET.slice(4)), text);
    }
  });
}

test('what is no JSON is refused without a word of it', async () => {
  for (const [body, options] of [
    [`here is ${SECRET}`, {}],
    [`data: here is ${SECRET}\n\n`, stream],
    [`{"choices":[{"message":{"content":"${SECRET}"}}]}`, stream],
  ] as const) {
    const { text, error } = await read(CHAT, body, options);
    assert.is((error as { code?: string }).code, 'configuration_invalid');
    assert.not.ok(`${text}${error}${(error as Error).stack}`.includes('ghp'));
  }
});

test('a prompt that cannot be judged is not sent, and the error is its own', async () => {
  const { sent, error } = await read(CHAT, '{}', { prompt: 'a'.repeat((4 << 20) + 1) });
  assert.is(sent, 0);
  assert.is((error as { code?: string }).code, 'input_too_large');
});

const tool = (index: unknown, name: string, choice = 0) => ({
  choices: [
    {
      index: choice,
      delta: { tool_calls: [{ index, id: `${name}_1`, function: { name, arguments: '' } }] },
    },
  ],
});

test('every tool call of a stream is shown, whatever its number, and none leaves before', async () => {
  for (const index of [0, 0.5, -1, 4_000_000_000, undefined]) {
    const asked: string[] = [];
    const onToolCall = ({ name }: { name: string }) => {
      asked.push(name);
      return { allow: name !== 'send' };
    };
    const body = sse(tool(0, 'look'), tool(index, 'send', 1));
    const { text, error } = await read(CHAT, body, { ...stream, onToolCall });
    assert.equal(asked, ['look', 'send'], String(index));
    assert.instance(error, CredentialError);
    assert.is(text, '');
  }
});

test('an escape in the arguments of a tool is read before they leave, wherever the pieces end', async () => {
  const written = `{"a":"\\u0067${SECRET.slice(1)}"}`;
  for (let cut = 1; cut < written.length; cut += 3) {
    const parts = [written.slice(0, cut), written.slice(cut)].map((text) => ({
      choices: [
        { delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: text } }] } },
      ],
    }));
    const { text, error } = await read(CHAT, sse(...parts), stream);
    assert.instance(error, GuardrailError);
    assert.not.ok(text.includes('IZZG'), text);
  }
});

test('only consent lets a tool call pass', async () => {
  const message = { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] };
  const body = JSON.stringify({ choices: [{ message }] });
  for (const [verdict, passes] of [
    ...[[undefined, true] as const, [null, true] as const, [true, true] as const],
    ...[[{ allow: true }, true] as const, [{}, false] as const, [0, false] as const],
    ...[['deny', false] as const, [{ allow: 'yes' }, false] as const],
  ]) {
    const { error } = await read(CHAT, body, { onToolCall: () => verdict });
    assert.is(error === undefined, passes, JSON.stringify(verdict));
  }
});

test('who stops reading closes the connection, though the server says nothing more', async () => {
  let isClosed = false;
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from(': hello\n\n')),
    pull: () => new Promise<void>(() => undefined),
    cancel() {
      isClosed = true;
    },
  });
  const headers = { 'content-type': 'text/event-stream' };
  const ask = guardedFetch(async () => new Response(silent, { headers }), WIRES, {
    ...{ guarding: new Guarding(), captureContent: false },
  });
  const { body } = await ask(`https://model.example${CHAT}`, { method: 'POST', body: '{}' });
  const reader = body!.getReader();
  await reader.read();
  await reader.cancel();
  assert.ok(isClosed);
});

test('an event that comes in many pieces is read in linear time, and one without end is refused', async () => {
  const piece = Buffer.from('a'.repeat(1 << 16));
  const endless = [Buffer.from('data: '), ...Array<Uint8Array>(300).fill(piece)];
  const { error } = await read(CHAT, endless, stream);
  assert.instance(error, RangeError);
});

test.run();
