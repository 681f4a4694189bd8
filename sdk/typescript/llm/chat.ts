// OpenAI's chat completions, and Mistral's, which are alike (https://platform.openai.com/docs/api-reference/chat).
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

export const openaiChat: Wire = {
  ...{ system: 'openai', provider: 'openai', operation: 'chat', path: /\/chat\/completions\/?$/ },
  hasStreamOptions: true,
  ...shared(),
};

export const openaiCompletions: Wire = {
  ...{ system: 'openai', provider: 'openai', operation: 'text_completion' },
  path: /\/completions\/?$/,
  ...shared(),
};

export const mistralChat: Wire = {
  ...{ system: 'mistral', provider: 'mistral_ai', operation: 'chat' },
  path: /\/v1\/(chat|agents|fim)\/completions\/?$/,
  ...shared(),
};

function shared(): Pick<Wire, 'isStream' | 'model' | 'read' | 'event' | 'canCut'> {
  return {
    isStream: (body) => body.stream === true,
    model: (body) => textOf(body.model ?? body.agent_id),
    read,
    event,
    canCut,
  };
}

function read(body: JsonObject): Answer {
  const answer = emptyAnswer();
  head(body, answer);
  for (const choice of objects(body.choices)) {
    const { message } = choice;
    for (const text of [textOf(choice.text), ...contents(at(message, 'content'))]) {
      if (text !== '') answer.texts.push(text);
    }
    for (const call of calls(message)) {
      answer.tools.push({ id: textOf(call.id), ...called(call) });
    }
    readRest(message, answer);
    finished(answer, choice.finish_reason);
  }
  return answer;
}

function event(chunk: JsonObject, answer: Answer): Piece[] {
  head(chunk, answer);
  return objects(chunk.choices).flatMap((choice) => {
    finished(answer, choice.finish_reason);
    const number = numberOf(choice.index);
    // Some servers send a message in a stream too.
    const delta = choice.delta ?? choice.message;
    const pieces = [
      ...piece(`text ${number}`, choice, 'text'),
      ...piece(`text ${number}`, delta, 'content'),
      ...parts(`text ${number}`, at(delta, 'content')),
      ...piece(`refusal ${number}`, delta, 'refusal'),
      ...piece(`reasoning ${number}`, delta, 'reasoning_content'),
    ];
    for (const [order, call] of calls(delta).entries()) {
      const index = typeof call.index === 'number' ? call.index : order;
      const { name, arguments: text } = called(call, '');
      pieces.push(toolPart(answer, `${number} ${index}`, { id: call.id, name, text }));
    }
    const others = rest(
      delta,
      pieces.map(({ text }) => text),
    );
    return [...pieces, ...others.map((text) => fixed(`other ${number}`, text))];
  });
}

/** The tool calls of a message, that of the old form among them. */
function calls(message: JsonValue | undefined): JsonObject[] {
  const old = at(message, 'function_call');
  return [...objects(at(message, 'tool_calls')), ...(isJsonObject(old) ? [old] : [])];
}

/** Name and arguments of a call: of a function, of a custom tool, or of the old form. */
function called(call: JsonObject, none = '{}'): { name: string; arguments: string } {
  const inner = [call.function, call.custom].find(isJsonObject) ?? call;
  const given = inner.arguments ?? inner.input;
  const text = given === undefined || given === null ? none : argumentsOf(given);
  return { name: textOf(inner.name), arguments: text };
}

function head(body: JsonObject, answer: Answer): void {
  if (typeof body.id === 'string') answer.id = body.id;
  if (typeof body.model === 'string') answer.model = body.model;
  const { usage } = body;
  if (!isJsonObject(usage)) return;
  answer.usage = {
    input: numberOf(usage.prompt_tokens),
    output: numberOf(usage.completion_tokens),
    cached: numberOf(at(usage, 'prompt_tokens_details', 'cached_tokens')),
    cacheWrite: 0,
  };
}

/** Only the content of one choice, and nothing else in its delta. */
function canCut(chunk: JsonObject): boolean {
  const [choice, ...more] = objects(chunk.choices);
  const delta = choice?.delta;
  if (choice === undefined || more.length > 0 || !isJsonObject(delta)) return false;
  if ((choice.finish_reason ?? null) !== null) return false;
  return Object.entries(delta).every(([key, value]) => key === 'content' || value === null);
}

function contents(content: JsonValue | undefined): string[] {
  if (typeof content === 'string') return content === '' ? [] : [content];
  return objects(content).map((part) => textOf(part.text ?? part.refusal));
}

function parts(field: string, content: JsonValue | undefined): Piece[] {
  return objects(content).flatMap((part) => piece(field, part, 'text'));
}

function argumentsOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
