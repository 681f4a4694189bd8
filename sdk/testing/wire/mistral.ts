// The wire of Mistral's chat completions (https://docs.mistral.ai/api/endpoint/chat).
import type { Reply, StreamEvent, Wire } from '../reply.ts';
import { finishReason } from './openai.ts';

/** Chat completions, whole and streamed; agents and fill-in-the-middle answer alike. */
export const mistralChat: Wire = {
  done: '[DONE]',
  whole: (reply, id) => ({
    ...identity(reply, id),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.text,
          prefix: false,
          tool_calls: calls(reply),
        },
        finish_reason: finishReason(reply),
      },
    ],
    usage: usage(reply),
  }),
  stream: (reply, id) => {
    const chunk = (delta: object, finish: string | null = null): StreamEvent => ({
      data: {
        ...identity(reply, id),
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...(finish === null ? {} : { usage: usage(reply) }),
      },
    });
    const last =
      reply.tools.length > 0 ? { content: '', tool_calls: calls(reply) } : { content: '' };
    return [
      chunk({ role: 'assistant', content: '' }),
      ...reply.pieces.map((content) => chunk({ content })),
      chunk(last, finishReason(reply)),
    ];
  },
  error: (reply) => ({ object: 'error', message: reply.message, type: 'told_to', code: '3000' }),
  broken: (reply) => ({ data: { object: 'error', message: reply.message, type: 'told_to' } }),
};

const identity = (reply: Reply, id: number) => ({
  id: `mistral-${id}`,
  created: 1_700_000_000,
  model: reply.model,
});

function calls(reply: Reply) {
  if (reply.tools.length === 0) return null;
  return reply.tools.map((tool, index) => ({
    id: tool.id,
    type: 'function',
    function: { name: tool.name, arguments: tool.arguments },
    index,
  }));
}

function usage({ usage: { input, output } }: Reply) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
