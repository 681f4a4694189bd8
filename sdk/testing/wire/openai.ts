// The wire of OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat).
import type { Reply, StreamEvent, Wire } from '../reply.ts';

const identity = (reply: Reply, id: number) => ({
  id: `chatcmpl-${id}`,
  created: 1_700_000_000,
  model: reply.model,
});

/** Chat completions, whole and streamed. */
export const openaiChat: Wire = {
  done: '[DONE]',
  whole: (reply, id) => ({
    ...identity(reply, id),
    object: 'chat.completion',
    choices: [
      { index: 0, message: message(reply), logprobs: null, finish_reason: finishReason(reply) },
    ],
    usage: chatUsage(reply),
    system_fingerprint: 'fp_test',
  }),
  stream: chatStream,
  error: openaiError,
  broken: (reply) => ({ data: openaiError(reply) }),
};

/** The error object that all of OpenAI's paths answer with. */
export function openaiError(reply: Reply) {
  return {
    error: { message: reply.message, type: 'invalid_request_error', param: null, code: 'told_to' },
  };
}

/** The reason that an answer ends, in OpenAI's and Mistral's words. */
export function finishReason(reply: Reply): string {
  return reply.finish ?? (reply.tools.length > 0 ? 'tool_calls' : 'stop');
}

function message(reply: Reply) {
  const calls = reply.tools.map((tool) => ({
    id: tool.id,
    type: 'function',
    function: { name: tool.name, arguments: tool.arguments },
  }));
  return {
    role: 'assistant',
    content: reply.text === '' && calls.length > 0 ? null : reply.text,
    refusal: null,
    annotations: [],
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function chatUsage({ usage }: Reply) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

function chatStream(reply: Reply, id: number, body: Record<string, unknown>): StreamEvent[] {
  const withUsage = (body.stream_options as { include_usage?: boolean })?.include_usage === true;
  const chunk = (delta: object | undefined, finish: string | null = null, usage?: unknown) => ({
    data: {
      ...identity(reply, id),
      object: 'chat.completion.chunk',
      system_fingerprint: 'fp_test',
      choices:
        delta === undefined ? [] : [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage ? { usage: usage ?? null } : {}),
    },
  });
  const events = [chunk({ role: 'assistant', content: '', refusal: null })];
  for (const piece of reply.pieces) events.push(chunk({ content: piece }));
  for (const [index, tool] of reply.tools.entries()) {
    const open = { index, id: tool.id, type: 'function' };
    events.push(chunk({ tool_calls: [{ ...open, function: { name: tool.name, arguments: '' } }] }));
    for (const piece of tool.pieces) {
      events.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  events.push(chunk({}, finishReason(reply)));
  if (withUsage) events.push(chunk(undefined, null, chatUsage(reply)));
  return events;
}
