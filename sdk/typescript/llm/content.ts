// Reads the text of a request to a language model, whatever the provider's wire.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import { InputError } from '../errors.ts';

/** One text of a prompt and whom it comes from; the guard judges a tool's and a document's more strictly. */
export interface Segment {
  role: string;
  source: 'user' | 'tool' | 'document';
  text: string;
}

/** What of a request is shown to the model as text. */
const PROMPT_KEYS = [
  ...['system', 'instructions', 'systemInstruction', 'system_instruction', 'prompt', 'suffix'],
  ...['input', 'messages', 'contents', 'prediction'],
];
const SYSTEM_KEYS = new Set(['system', 'instructions', 'systemInstruction', 'system_instruction']);
/**
 * Below these keys everything that is a string is text, but for these members, which no model reads as such.
 * Listed is what is left out, so that a kind of content that is new is scanned.
 */
const NOT_TEXT = new Set(
  (
    'type role name id call_id tool_call_id tool_use_id item_id file_id container_id encrypted_content ' +
    'signature thoughtSignature thought_signature image_url file_data inlineData inline_data media_type ' +
    'mimeType mime_type cache_control detail status format index logprobs annotations model url uri fileUri file_uri'
  ).split(' '),
);
/** What a tool takes and gives has members of its own, of any name: all of it is text. */
const FREE = new Set(['input', 'args', 'arguments', 'response', 'output', 'action', 'result']);
const RESULTS = new Set(['functionResponse', 'function_response']);
const TOOL_TYPE = /_(output|result|response)$/;
const DOCUMENT_TYPES = new Set(['document', 'search_result', 'file_search_call']);
const BINARY_TYPES = new Set(['base64', 'redacted_thinking', 'image', 'audio']);
const DEPTH_MAX = 32;

/**
 * The texts of a request's body in their order. Images and other bytes have none. Throws an InputError
 * (`input_too_deep`) for what is nested deeper than any provider takes.
 */
export function promptSegments(body: JsonObject): Segment[] {
  const found: Segment[] = [];
  for (const key of PROMPT_KEYS) {
    walk(body[key], { role: SYSTEM_KEYS.has(key) ? 'system' : 'user', source: 'user' }, found, 0);
  }
  return found;
}

/** The text of a request's body, of every role, joined by line feeds. */
export function extractPromptText(body: JsonObject): string {
  return promptSegments(body)
    .map(({ text }) => text)
    .join('\n');
}

/** All that is text in a part of a response of any kind, such as the results of a search. */
export function textsWithin(value: JsonValue | undefined): string[] {
  const found: Segment[] = [];
  walk(value, { role: 'assistant', source: 'user' }, found, 0);
  return found.map(({ text }) => text);
}

type Within = Omit<Segment, 'text'>;

function walk(value: JsonValue | undefined, within: Within, found: Segment[], depth: number): void {
  if (depth > DEPTH_MAX) {
    throw new InputError('input_too_deep', 'the messages are nested too deep');
  }
  if (typeof value === 'string') {
    if (value !== '') found.push({ ...within, text: value });
  } else if (Array.isArray(value)) {
    for (const item of value) walk(item, within, found, depth + 1);
  } else if (isJsonObject(value)) {
    const role = typeof value.role === 'string' ? value.role : within.role;
    const inner = { role, source: sourceOf(value, role, within.source) };
    for (const [key, member] of Object.entries(value)) {
      if (NOT_TEXT.has(key) || (key === 'data' && isBinary(value))) continue;
      if (RESULTS.has(key)) walk(member, { role: 'tool', source: 'tool' }, found, depth + 1);
      else if (FREE.has(key) && isJsonObject(member)) {
        found.push({ ...inner, text: JSON.stringify(member) });
      } else walk(member, inner, found, depth + 1);
    }
  }
}

function sourceOf(value: JsonObject, role: string, inherited: Segment['source']) {
  const type = typeof value.type === 'string' ? value.type : '';
  if (role === 'tool' || role === 'function' || TOOL_TYPE.test(type)) return 'tool';
  if (!DOCUMENT_TYPES.has(type)) return inherited;
  return inherited === 'tool' ? 'tool' : 'document';
}

/** Whether the member `data` is bytes and no text, by what stands beside it. */
function isBinary(value: JsonObject): boolean {
  const media = value.media_type ?? value.mime_type ?? value.mimeType ?? 'text/plain';
  const isText = typeof media === 'string' && media.startsWith('text/');
  return !isText || BINARY_TYPES.has(String(value.type)) || 'format' in value;
}
