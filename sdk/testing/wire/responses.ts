// The wire of OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses).
import type { Reply, ReplyTool, StreamEvent, Wire } from '../reply.ts';
import { openaiError } from './openai.ts';

/** Responses, whole and streamed. */
export const openaiResponses: Wire = {
  whole: (reply, id) => response(reply, id, 'completed', output(reply, id)),
  stream: (reply, id) => {
    const events = [
      { type: 'response.created', response: response(reply, id, 'in_progress', []) },
      { type: 'response.in_progress', response: response(reply, id, 'in_progress', []) },
      ...(reply.text === '' ? [] : textEvents(reply, id)),
      ...reply.tools.flatMap((tool, index) =>
        toolEvents(tool, index + (reply.text === '' ? 0 : 1), id),
      ),
      {
        type: 'response.completed',
        response: response(reply, id, 'completed', output(reply, id)),
      },
    ];
    return events.map((data, sequence): StreamEvent => {
      return { event: data.type, data: { ...data, sequence_number: sequence } };
    });
  },
  error: openaiError,
  broken: (reply) => ({
    event: 'error',
    data: { type: 'error', code: 'told_to', message: reply.message, param: null },
  }),
};

function response(reply: Reply, id: number, status: string, items: object[]) {
  const { input, output: written, cached } = reply.usage;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: reply.model,
    output: items,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage:
      status === 'completed'
        ? {
            input_tokens: input,
            input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
            output_tokens: written,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: input + written,
          }
        : null,
  };
}

const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });

const messageItem = (id: number, status: string, content: object[]) => ({
  id: `msg_${id}`,
  type: 'message',
  status,
  role: 'assistant',
  content,
});

const callItem = (tool: ReplyTool, id: number, index: number, status: string, text: string) => ({
  id: `fc_${id}_${index}`,
  type: 'function_call',
  status,
  call_id: tool.id,
  name: tool.name,
  arguments: text,
});

function output(reply: Reply, id: number): object[] {
  const first = reply.text === '' ? [] : [messageItem(id, 'completed', [textPart(reply.text)])];
  const calls = reply.tools.map((tool, index) =>
    callItem(tool, id, index + first.length, 'completed', tool.arguments),
  );
  return [...first, ...calls];
}

function textEvents(reply: Reply, id: number) {
  const at = { item_id: `msg_${id}`, output_index: 0, content_index: 0 };
  return [
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: messageItem(id, 'in_progress', []),
    },
    { type: 'response.content_part.added', ...at, part: textPart('') },
    ...reply.pieces.map((delta) => ({
      type: 'response.output_text.delta',
      ...at,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_text.done', ...at, text: reply.text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: textPart(reply.text) },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: messageItem(id, 'completed', [textPart(reply.text)]),
    },
  ];
}

function toolEvents(tool: ReplyTool, index: number, id: number) {
  const at = { item_id: `fc_${id}_${index}`, output_index: index };
  const { name } = tool;
  return [
    {
      type: 'response.output_item.added',
      output_index: index,
      item: callItem(tool, id, index, 'in_progress', ''),
    },
    ...tool.pieces.map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...at,
      delta,
    })),
    {
      type: 'response.function_call_arguments.done',
      ...at,
      name,
      arguments: tool.arguments,
    },
    {
      type: 'response.output_item.done',
      output_index: index,
      item: callItem(tool, id, index, 'completed', tool.arguments),
    },
  ];
}
