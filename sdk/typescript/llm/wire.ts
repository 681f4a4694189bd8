// What a provider's file tells of its requests and responses.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';

/** A call that a model asks for; `arguments` is the JSON text as the model wrote it. */
export interface ToolCall {
  name: string;
  arguments: string;
  id?: string;
  provider: string;
  model: string;
}

/** Tokens as the provider counts them, cached and reasoning ones included. */
export interface Usage {
  input: number;
  output: number;
  cached: number;
  cacheWrite: number;
}

/** What is known of a response: whole, or of a stream so far. */
export interface Answer {
  id?: string;
  model?: string;
  finishReasons: string[];
  usage?: Usage;
  /** What is shown; reasoning and refusals are `others`, scanned all the same. */
  texts: string[];
  others: string[];
  tools: Pick<ToolCall, 'name' | 'arguments' | 'id'>[];
}

/** A piece of text within one event of a stream. */
export interface Piece {
  /** The field of the response that it goes on; the arguments of a tool call begin with `tool`. */
  field: string;
  text: string;
  /** Puts other text in its place. */
  set(text: string): void;
}

/** One wire: which requests it covers, and how its responses are read. */
export interface Wire {
  /** `gen_ai.system`. */
  system: 'openai' | 'anthropic' | 'google' | 'mistral';
  /** `gen_ai.provider.name`. */
  provider: string;
  operation: 'chat' | 'generate_content' | 'text_completion';
  /** The path of a request that is covered. */
  path: RegExp;
  /** Whether this request is answered by a stream. */
  isStream(body: JsonObject, url: URL): boolean;
  model(body: JsonObject, url: URL): string;
  /** Reads a whole response. */
  read(body: JsonObject): Answer;
  /** Notes what an event of a stream says besides its text, and returns its text. */
  event(event: JsonObject, answer: Answer): Piece[];
  /** Whether an event is text only, so that it can leave in two parts. */
  canCut(event: JsonObject): boolean;
}

export function emptyAnswer(): Answer {
  return { finishReasons: [], texts: [], others: [], tools: [] };
}

/** The member of nested objects, undefined where there is none. */
export function at(value: JsonValue | undefined, ...names: (string | number)[]) {
  let inner = value;
  for (const name of names) {
    if (typeof name === 'number') inner = Array.isArray(inner) ? inner[name] : undefined;
    else inner = isJsonObject(inner) ? inner[name] : undefined;
  }
  return inner;
}

/** The objects of a list, none where it is none. */
export function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** The text of one member as a piece; none when it has none. */
export function piece(field: string, holder: JsonValue | undefined, name: string): Piece[] {
  if (!isJsonObject(holder)) return [];
  const text = holder[name];
  if (typeof text !== 'string' || text === '') return [];
  return [
    {
      ...{ field, text },
      set(other) {
        holder[name] = other;
      },
    },
  ];
}

/** Adds a piece to the tool call of a number, and what else is said of it. */
export function toolPart(
  answer: Answer,
  index: number,
  { id, name, text }: { id?: JsonValue; name?: JsonValue; text?: JsonValue },
): void {
  answer.tools[index] ??= { name: '', arguments: '' };
  const tool = answer.tools[index];
  if (typeof id === 'string') tool.id = id;
  if (typeof name === 'string') tool.name ||= name;
  if (typeof text === 'string') tool.arguments += text;
}

/** Notes a reason once. */
export function finished(answer: Answer, reason: JsonValue | undefined): void {
  if (typeof reason === 'string' && reason !== '') answer.finishReasons.push(reason);
}
