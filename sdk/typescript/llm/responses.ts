// OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses).
import type { JsonObject } from '../../../runtime/json.ts';
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

export const openaiResponses: Wire = {
  ...{ system: 'openai', provider: 'openai', operation: 'chat', path: /\/responses$/ },
  isStream: (body) => body.stream === true,
  model: (body) => textOf(body.model),
  read(body) {
    const answer = emptyAnswer();
    whole(body, answer);
    return answer;
  },
  event,
  // The events are numbered.
  canCut: () => false,
};

function whole(response: JsonObject, answer: Answer): void {
  if (typeof response.id === 'string') answer.id = response.id;
  if (typeof response.model === 'string') answer.model = response.model;
  const { usage } = response;
  if (isJsonObject(usage)) {
    answer.usage = {
      input: numberOf(usage.input_tokens),
      output: numberOf(usage.output_tokens),
      cached: numberOf(at(usage, 'input_tokens_details', 'cached_tokens')),
      cacheWrite: numberOf(at(usage, 'input_tokens_details', 'cache_write_tokens')),
    };
  }
  if (response.status !== 'in_progress') finished(answer, response.status);
  for (const item of objects(response.output)) {
    for (const part of [...objects(item.content), ...objects(item.summary)]) {
      if (item.type === 'message' && part.type === 'output_text') {
        answer.texts.push(textOf(part.text));
      } else answer.others.push(textOf(part.text ?? part.refusal));
    }
    const text = item.arguments ?? item.input;
    if (typeof text === 'string') {
      answer.tools.push({ id: textOf(item.call_id), name: textOf(item.name), arguments: text });
    }
  }
}

/** The text of an event: deltas go on a field, complete texts are fields of their own. */
function event(event: JsonObject, answer: Answer): Piece[] {
  const type = textOf(event.type);
  const index = numberOf(event.output_index);
  if (isJsonObject(event.response)) return ending(event.response, answer);
  const { item } = event;
  if (type === 'response.output_item.added' && isJsonObject(item) && isCall(item)) {
    toolPart(answer, index, { id: item.call_id, name: item.name });
  }
  if (!type.endsWith('.delta')) return [];
  const field = `${type} ${index} ${numberOf(event.content_index ?? event.summary_index)}`;
  if (type.includes('arguments') || type.includes('tool_call_input')) {
    toolPart(answer, index, { text: event.delta });
    return piece(`tool ${field}`, event, 'delta');
  }
  return piece(field, event, 'delta');
}

function isCall(item: JsonObject): boolean {
  return item.type === 'function_call' || item.type === 'custom_tool_call';
}

/** The last event repeats all that was said: it is what the answer is read from. */
function ending(response: JsonObject, answer: Answer): Piece[] {
  if (response.status === 'in_progress' || response.status === 'queued') return [];
  Object.assign(answer, { texts: [], others: [], tools: [], finishReasons: [] });
  whole(response, answer);
  return [];
}
