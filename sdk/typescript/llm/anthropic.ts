// Anthropic's messages (https://docs.anthropic.com/en/api/messages and …/streaming).
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import {
  type Answer,
  at,
  emptyAnswer,
  finished,
  fixed,
  numberOf,
  objects,
  type Piece,
  piece,
  readRest,
  rest,
  textOf,
  toolPart,
  type Wire,
} from './wire.ts';

/** Its own, and those that Bedrock and Vertex have it under. */
const PATH =
  /\/v1\/messages\/?$|\/model\/[^/]+\/invoke(-with-response-stream)?$|:(rawPredict|streamRawPredict)$/;

export const anthropicMessages: Wire = {
  ...{ system: 'anthropic', provider: 'anthropic', operation: 'chat', path: PATH },
  isStream: (body) => body.stream === true,
  model: (body) => textOf(body.model),
  read,
  event,
  ends: (event) =>
    event.type === 'content_block_stop'
      ? (field) => field.endsWith(` ${numberOf(event.index)}`)
      : undefined,
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
    }
    readRest(block, answer);
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
  if (event.type === 'content_block_start') return begun(event.content_block, index, answer);
  if (event.type === 'message_start') {
    return objects(at(event, 'message', 'content')).flatMap((block, at) =>
      begun(block, at, answer),
    );
  }
  if (event.type !== 'content_block_delta') return [];
  const { delta } = event;
  const known = DELTAS[textOf(at(delta, 'type'))];
  // Of another kind, such as a citation: what it says comes at once.
  if (known === undefined)
    return rest(delta, []).map((text) => fixed(`other ${index}`, text, true));
  const [field, member] = known;
  if (field === 'tool') return [toolPart(answer, `${index}`, { text: at(delta, member) })];
  return piece(`${field} ${index}`, delta, member);
}

function begun(block: JsonValue | undefined, index: number, answer: Answer): Piece[] {
  if (at(block, 'type') === 'tool_use') {
    const input = at(block, 'input');
    const isEmpty = !isJsonObject(input) || Object.keys(input).length === 0;
    const text = isEmpty ? '' : JSON.stringify(input);
    return [toolPart(answer, `${index}`, { id: at(block, 'id'), name: at(block, 'name'), text })];
  }
  const pieces = [
    ...piece(`text ${index}`, block, 'text'),
    ...piece(`thinking ${index}`, block, 'thinking'),
  ];
  const known = pieces.map(({ text }) => text);
  return [...pieces, ...rest(block, known).map((text) => fixed(`other ${index}`, text, true))];
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
