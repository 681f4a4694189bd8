// OpenAI's chat completions, and Mistral's, which are alike (https://platform.openai.com/docs/api-reference/chat).
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

export const openaiChat: Wire = {
  ...{ system: 'openai', provider: 'openai', operation: 'chat', path: /\/chat\/completions$/ },
  ...shared(),
};

export const mistralChat: Wire = {
  ...{ system: 'mistral', provider: 'mistral_ai', operation: 'chat' },
  path: /\/v1\/(chat|agents|fim)\/completions$/,
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
    const message = choice.message;
    for (const text of contents(at(message, 'content'))) answer.texts.push(text);
    for (const name of ['refusal', 'reasoning_content', 'reasoning']) {
      const text = textOf(at(message, name));
      if (text !== '') answer.others.push(text);
    }
    for (const call of objects(at(message, 'tool_calls'))) {
      answer.tools.push({
        id: textOf(call.id),
        name: textOf(at(call, 'function', 'name')),
        arguments: argumentsOf(at(call, 'function', 'arguments')),
      });
    }
    finished(answer, choice.finish_reason);
  }
  return answer;
}

function event(chunk: JsonObject, answer: Answer): Piece[] {
  head(chunk, answer);
  return objects(chunk.choices).flatMap((choice) => {
    finished(answer, choice.finish_reason);
    const number = numberOf(choice.index);
    const { delta } = choice;
    const pieces = [
      ...piece(`text ${number}`, delta, 'content'),
      ...parts(`text ${number}`, at(delta, 'content')),
      ...piece(`refusal ${number}`, delta, 'refusal'),
      ...piece(`reasoning ${number}`, delta, 'reasoning_content'),
    ];
    for (const call of objects(at(delta, 'tool_calls'))) {
      const index = numberOf(call.index);
      const text = at(call, 'function', 'arguments');
      toolPart(answer, index, { id: call.id, name: at(call, 'function', 'name'), text });
      pieces.push(...piece(`tool ${number} ${index}`, call.function, 'arguments'));
    }
    return pieces;
  });
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

function argumentsOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}
