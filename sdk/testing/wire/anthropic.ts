// The wire of Anthropic's messages (https://docs.anthropic.com/en/api/messages and …/streaming).
import type { Reply, StreamEvent, Wire } from '../reply.ts';

/** Messages, whole and streamed. */
export const anthropicMessages: Wire = {
  whole: (reply, id) => ({
    ...head(reply, id),
    content: blocks(reply).map(({ block, pieces }) => filled(block, pieces.join(''))),
    stop_reason: stopReason(reply),
    usage: usage(reply, reply.usage.output),
  }),
  stream,
  error: anthropicError,
  broken: (reply) => ({ event: 'error', data: anthropicError(reply) }),
};

function anthropicError(reply: Reply) {
  return { type: 'error', error: { type: 'overloaded_error', message: reply.message } };
}

function head(reply: Reply, id: number) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: [] as object[],
    stop_reason: null as string | null,
    stop_sequence: null,
    usage: usage(reply, 1),
  };
}

function usage(reply: Reply, output: number) {
  return {
    input_tokens: reply.usage.input - reply.usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: reply.usage.cached,
    output_tokens: output,
  };
}

function stopReason(reply: Reply): string {
  return reply.finish ?? (reply.tools.length > 0 ? 'tool_use' : 'end_turn');
}

interface Block {
  block: Record<string, unknown>;
  pieces: string[];
}

function blocks(reply: Reply): Block[] {
  const thought = { type: 'thinking', thinking: '', signature: 'c2lnbmVk' };
  return [
    ...(reply.reasoning === '' ? [] : [{ block: thought, pieces: [reply.reasoning] }]),
    ...(reply.text === ''
      ? []
      : [{ block: { type: 'text', text: '' } as Record<string, unknown>, pieces: reply.pieces }]),
    ...reply.tools.map((tool) => ({
      block: { type: 'tool_use', id: tool.id, name: tool.name, input: {} },
      pieces: tool.pieces,
    })),
  ];
}

function filled(block: Record<string, unknown>, text: string) {
  if (block.type === 'tool_use') return { ...block, input: JSON.parse(text) };
  return { ...block, [block.type as string]: text };
}

const deltas: Record<string, (piece: string) => object> = {
  text: (text) => ({ type: 'text_delta', text }),
  thinking: (thinking) => ({ type: 'thinking_delta', thinking }),
  tool_use: (partial_json) => ({ type: 'input_json_delta', partial_json }),
};

function stream(reply: Reply, id: number): StreamEvent[] {
  const events: { type: string; [more: string]: unknown }[] = [
    { type: 'message_start', message: head(reply, id) },
    { type: 'ping' },
  ];
  for (const [index, { block, pieces }] of blocks(reply).entries()) {
    events.push({ type: 'content_block_start', index, content_block: block });
    for (const piece of pieces) {
      const delta = deltas[block.type as string]!(piece);
      events.push({ type: 'content_block_delta', index, delta });
    }
    events.push({ type: 'content_block_stop', index });
  }
  events.push({
    type: 'message_delta',
    delta: { stop_reason: stopReason(reply), stop_sequence: null },
    usage: { output_tokens: reply.usage.output },
  });
  events.push({ type: 'message_stop' });
  return events.map((data) => ({ event: data.type, data }));
}
