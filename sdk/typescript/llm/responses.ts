// OpenAI's Responses API (https://platform.openai.com/docs/api-reference/responses).
import type { JsonObject } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import {
  type Answer,
  at,
  type Called,
  emptyAnswer,
  finished,
  fixed,
  numberOf,
  objects,
  type Piece,
  piece,
  rest,
  textOf,
  toolPart,
  type Wire,
} from './wire.ts';

export const openaiResponses: Wire = {
  ...{ system: 'openai', provider: 'openai', operation: 'chat', path: /\/responses\/?$/ },
  isStream: (body) => body.stream === true,
  model: (body) => textOf(body.model),
  read(body) {
    const answer = emptyAnswer();
    whole(body, answer);
    return answer;
  },
  event,
  ends(event) {
    const type = textOf(event.type);
    const item = `${numberOf(event.output_index)}`;
    if (type === 'response.output_item.done') return (field) => field.split(' ')[1] === item;
    if (!type.endsWith('.done')) return undefined;
    const part = ` ${item} ${numberOf(event.content_index ?? event.summary_index)}`;
    const name = type.slice(0, -'.done'.length);
    return (field) => field === name + part;
  },
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
    for (const part of objects(item.content)) {
      if (item.type === 'message' && part.type === 'output_text') {
        answer.texts.push(textOf(part.text));
      }
    }
    const call = callOf(item);
    if (call !== undefined) answer.tools.push(call);
    answer.others.push(...othersOf(item, [...answer.texts, call?.arguments ?? '']));
  }
}

/** Where an item that the agent is to run has what it is to be run with. */
const CALLS: Readonly<Record<string, string>> = {
  function_call: 'arguments',
  custom_tool_call: 'input',
  local_shell_call: 'action',
  shell_call: 'action',
  apply_patch_call: 'operation',
  computer_call: 'action',
};

function callOf(item: JsonObject): Called | undefined {
  const type = textOf(item.type);
  if (!Object.hasOwn(CALLS, type)) return undefined;
  const given = item[CALLS[type]!] ?? {};
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return { id: textOf(item.call_id), name: textOf(item.name) || type, arguments: text };
}

/** The texts of an item besides; an image is none. */
function othersOf(item: JsonObject, known: readonly string[]): string[] {
  return item.type === 'image_generation_call' ? [] : rest(item, known);
}

/** The text of an event: deltas go on a field, what repeats them is whole. */
function event(event: JsonObject, answer: Answer): Piece[] {
  const type = textOf(event.type);
  const index = numberOf(event.output_index);
  if (isJsonObject(event.response)) return ending(event.response, answer);
  const { item } = event;
  if (isJsonObject(item)) return itemPieces(item, index, answer, type.endsWith('.added'));
  const at = `${index} ${numberOf(event.content_index ?? event.summary_index)}`;
  const field = `${type.replace(/\.(delta|done)$/, '')} ${at}`;
  const isTool = type.includes('arguments') || type.includes('tool_call_input');
  if (type.endsWith('.delta')) {
    if (type === 'response.audio.delta') return [];
    return isTool && !type.includes('mcp')
      ? [toolPart(answer, `${index}`, { text: event.delta })]
      : piece(field, event, 'delta');
  }
  if (type.includes('image')) return [];
  const { arguments: given, input, ...more } = event;
  const whole = [...rest(more, []), textOf(given), textOf(input)].filter((text) => text !== '');
  return whole.map((text) => fixed(isTool ? `tool ${index}` : field, text, true));
}

function itemPieces(
  item: JsonObject,
  index: number,
  answer: Answer,
  isBeginning: boolean,
): Piece[] {
  const call = callOf(item);
  const pieces: Piece[] = [];
  if (call !== undefined && isBeginning) {
    const text = call.arguments === '{}' ? '' : call.arguments;
    pieces.push(toolPart(answer, `${index}`, { id: call.id!, name: call.name, text }));
  } else if (call !== undefined) pieces.push(fixed(`tool ${index}`, call.arguments, true));
  const others = othersOf(item, [call?.arguments ?? '']);
  return [...pieces, ...others.map((text) => fixed(`item ${index}`, text, true))];
}

/** The last event repeats all that was said: it is what the answer is read from. */
function ending(response: JsonObject, answer: Answer): Piece[] {
  if (response.status === 'in_progress' || response.status === 'queued') return [];
  Object.assign(answer, { texts: [], others: [], tools: [], finishReasons: [] });
  whole(response, answer);
  const { texts, others, tools } = answer;
  return [
    ...[...texts, ...others].map((text) => fixed('end', text, true)),
    ...tools.map((tool) => fixed('tool end', tool.arguments, true)),
  ];
}
