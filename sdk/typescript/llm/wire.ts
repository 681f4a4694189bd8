// What a provider's file tells of its requests and responses.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import { InputError } from '../errors.ts';
import { textsWithin } from './content.ts';

const TOOLS_MAX = 512;

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
  tools: Called[];
  /** Those of a stream by what their parts name them. */
  open: Map<string, Called>;
}

export type Called = Pick<ToolCall, 'name' | 'arguments' | 'id'>;

/** A piece of text within one event of a stream. */
export interface Piece {
  /** The field of the response that it goes on; the arguments of a tool call begin with `tool`. */
  field: string;
  text: string;
  /** All of a field, which may have come in parts before. */
  isWhole?: boolean;
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
  /** A stream tells its usage only where the request has `stream_options` for it. */
  hasStreamOptions?: boolean;
  /** Whether this request is answered by a stream. */
  isStream(body: JsonObject, url: URL): boolean;
  model(body: JsonObject, url: URL): string;
  /** Reads a whole response. */
  read(body: JsonObject): Answer;
  /** Notes what an event of a stream says besides its text, and returns its text. */
  event(event: JsonObject, answer: Answer): Piece[];
  /** Whether an event ends a field, by the field's name; absent where the stream's end ends all. */
  ends?(event: JsonObject): ((field: string) => boolean) | undefined;
  /** Whether an event is text only, so that it can leave in two parts. */
  canCut(event: JsonObject): boolean;
}

export function emptyAnswer(): Answer {
  return { finishReasons: [], texts: [], others: [], tools: [], open: new Map() };
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

/** The texts of a part of a response that were not read yet: a kind of content that is new is scanned as well. */
export function rest(value: JsonValue | undefined, known: readonly string[]): string[] {
  return textsWithin(value).filter((text) => text !== '{}' && !known.includes(text));
}

/** Adds to a whole answer what of a part was not read yet. */
export function readRest(value: JsonValue | undefined, answer: Answer): void {
  const called = answer.tools.map((tool) => tool.arguments);
  answer.others.push(...rest(value, [...answer.texts, ...answer.others, ...called]));
}

/** A piece that no event is cut in. */
export function fixed(field: string, text: string, isWhole = false): Piece {
  return { field, text, isWhole, set() {} };
}

/** Adds to a tool call, known by a name of its own in the stream, and returns it as a piece. */
export function toolPart(
  answer: Answer,
  key: string,
  { id, name, text }: { id?: JsonValue; name?: JsonValue; text?: JsonValue },
): Piece {
  let tool = answer.open.get(key);
  const isOther = typeof id === 'string' && id !== '' && tool?.id !== undefined && tool.id !== id;
  if (tool === undefined || isOther) {
    if (answer.tools.length >= TOOLS_MAX) {
      throw new InputError('input_too_large', 'the response has too many tool calls');
    }
    tool = { name: '', arguments: '' };
    answer.tools.push(tool);
    answer.open.set(key, tool);
  }
  if (typeof id === 'string' && id !== '') tool.id = id;
  // The clients take the last name that is sent.
  if (typeof name === 'string' && name !== '') tool.name = name;
  if (typeof text === 'string') tool.arguments += text;
  return fixed(`tool ${key}`, textOf(text));
}

/** Notes a reason once. */
export function finished(answer: Answer, reason: JsonValue | undefined): void {
  if (typeof reason === 'string' && reason !== '') answer.finishReasons.push(reason);
}
