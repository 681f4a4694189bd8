// Anthropic's messages (https://docs.anthropic.com/en/api/messages and …/streaming).
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import {
  type Answer,
  at,
  emptyAnswer,
  finished,
  numberOf,
  objects,
  type Piece,
  piece,
  textOf,
  toolPart,
  type Wire,
} from './wire.ts';

export const anthropicMessages: Wire = {
  ...{ system: 'anthropic', provider: 'anthropic', operation: 'chat', path: /\/v1\/messages$/ },
  isStream: (body) => body.stream === true,
  model: (body) => textOf(body.model),
  read,
  event,
  canCut: (event) =>
    event.type === 'content_block_delta' && at(event, 'delta', 'type') === 'text_delta',
};

function read(body: JsonObject): Answer {
  const answer = emptyAnswer();
  head(body, answer);
  for (const block of objects(body.content)) {
    if (block.type === 'text') answer.texts.push(textOf(block.text));
    else if (block.type === 'tool_use' || block.type === 'server_tool_use') {
      const text = JSON.stringify(block.input ?? {});
      answer.tools.push({ id: textOf(block.id), name: textOf(block.name), arguments: text });
    } else answer.others.push(textOf(block.thinking));
  }
  finished(answer, body.stop_reason);
  return answer;
}

const DELTAS: Record<string, [field: string, member: string]> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  input_json_delta: ['tool', 'partial_json'],
};

function event(event: JsonObject, answer: Answer): Piece[] {
  const index = numberOf(event.index);
  if (event.type === 'message_start' && isJsonObject(event.message)) head(event.message, answer);
  if (event.type === 'message_delta') {
    usage(event.usage, answer);
    finished(answer, at(event, 'delta', 'stop_reason'));
  }
  if (event.type === 'content_block_start') {
    const block = event.content_block;
    if (at(block, 'type') === 'tool_use') {
      toolPart(answer, index, { id: at(block, 'id'), name: at(block, 'name') });
    }
    return [
      ...piece(`text ${index}`, block, 'text'),
      ...piece(`thinking ${index}`, block, 'thinking'),
    ];
  }
  if (event.type !== 'content_block_delta') return [];
  const known = DELTAS[textOf(at(event, 'delta', 'type'))];
  if (known === undefined) return [];
  const [field, member] = known;
  if (field === 'tool') toolPart(answer, index, { text: at(event, 'delta', member) });
  return piece(`${field} ${index}`, event.delta, member);
}

function head(message: JsonObject, answer: Answer): void {
  if (typeof message.id === 'string') answer.id = message.id;
  if (typeof message.model === 'string') answer.model = message.model;
  usage(message.usage, answer);
}

/** Anthropic counts what is read from and written to the cache apart; together they are the input. */
function usage(value: JsonValue | undefined, answer: Answer): void {
  if (!isJsonObject(value)) return;
  const known = answer.usage ?? { input: 0, output: 0, cached: 0, cacheWrite: 0 };
  const cached = numberOf(value.cache_read_input_tokens ?? known.cached);
  const cacheWrite = numberOf(value.cache_creation_input_tokens ?? known.cacheWrite);
  const plain = known.input - known.cached - known.cacheWrite;
  const input = numberOf(value.input_tokens ?? plain) + cached + cacheWrite;
  answer.usage = { input, output: numberOf(value.output_tokens), cached, cacheWrite };
}
