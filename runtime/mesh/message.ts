// What a message to a service is: read from the request's body and held against the headers that repeat it.
import { codeOf } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { HeaderPairs } from '../proxywasm/filter.ts';
import { agrees, isJsonBody, leavesHttp } from './message-headers.ts';
import { Malformed, readEnvelope } from './rpc.ts';

export type MeshProtocol = 'mcp' | 'a2a';

/** The largest body that is read, where nobody says otherwise; more is refused, whatever begins it. */
export const BODY_BYTES_MAX = 1 << 20;
const PATH_BYTES_MAX = 2048;
const METHOD_BYTES_MAX = 32;

/** A request as it came to the proxy. */
export interface MeshRequest {
  /** HTTP method. */
  method: string;
  /** Path and query, in origin form. */
  target: string;
  /** Names in lower case. */
  headers: HeaderPairs;
  /** All of it; or more of it than is read, for a body that is too large. */
  body: Uint8Array;
}

/** A message as decisions see it. */
export interface MeshMessage {
  /** What the policy is told: the member `message` of the input. */
  facts: JsonObject;
  /** Why it cannot be read: nothing else is known of it then. */
  error: string;
  /** Of a tool call; what is validated. */
  arguments: JsonValue;
  /** The keys and strings of what the message carries; what is scanned. */
  text: string;
}

/** Checks that bytes are JSON that every host reads alike; the host of the `record` module. */
export interface JsonCheck {
  /** Canonical form (RFC 8785); throws an InputError. */
  canonicalize(bytes: Uint8Array): Uint8Array;
}

/**
 * Reads a message as wasm/filter/body.ts does, and with the same codes: `input_too_large` for a body
 * over `bytesMax`, the codes of JSON that is not portable, `content_type_unsupported`, and
 * `request_malformed` for whatever is no single message of the protocol or contradicts its headers.
 */
export function readMessage(
  json: JsonCheck,
  protocol: MeshProtocol,
  request: MeshRequest,
  bytesMax: number = BODY_BYTES_MAX,
): MeshMessage {
  try {
    return read(json, protocol, request, bytesMax);
  } catch (error) {
    const code = error instanceof Malformed ? error.code : codeOf(error);
    return { facts: { protocol, error: code }, error: code, arguments: {}, text: '' };
  }
}

function read(
  json: JsonCheck,
  protocol: MeshProtocol,
  { method, target, headers, body }: MeshRequest,
  bytesMax: number,
): MeshMessage {
  if (leavesHttp(headers)) throw new Malformed();
  if (body.length > bytesMax) throw new Malformed('input_too_large');
  const path = target.split('?', 1)[0] as string;
  if (!isVisible(method, METHOD_BYTES_MAX) || !isVisible(path, PATH_BYTES_MAX)) {
    throw new Malformed();
  }
  const facts: JsonObject = { protocol, bytes: body.length, http_method: method, path };
  if (body.length === 0) {
    if (protocol === 'mcp' && !agrees(headers, {})) throw new Malformed();
    return { facts: { ...facts, kind: 'empty' }, error: '', arguments: {}, text: '' };
  }
  if (method !== 'POST') throw new Malformed();
  if (!isJsonBody(headers)) throw new Malformed('content_type_unsupported');
  // The record module reads up to 1 MiB and no more, whatever a proxy buffers.
  const value = JSON.parse(Buffer.from(json.canonicalize(body)).toString()) as JsonValue;
  const envelope = readEnvelope(protocol, value);
  if (protocol === 'mcp' && !agrees(headers, envelope)) throw new Malformed();
  const { kind, method: called, tool, prompt, skill } = envelope;
  const named = Object.entries({ method: called, tool, prompt, skill });
  for (const [name, said] of named) if (said !== undefined) facts[name] = said;
  return {
    facts: { ...facts, kind },
    error: '',
    arguments: envelope.arguments ?? {},
    text: textOf(envelope.content),
  };
}

/** One to `bytesMax` visible ASCII characters (RFC 5234's VCHAR), which every reader takes alike. */
function isVisible(text: string, bytesMax: number): boolean {
  return text.length <= bytesMax && /^[\x21-\x7e]+$/.test(text);
}

/**
 * The keys and strings in canonical order, each on a line of its own, empty ones left out. Not their
 * JSON, in which an argument that is named `password` would itself look like a password in a text.
 */
function textOf(value: JsonValue): string {
  const lines: string[] = [];
  collect(value, lines);
  return lines.join('\n');
}

function collect(value: JsonValue, lines: string[]): void {
  if (typeof value === 'string' && value !== '') lines.push(value);
  else if (Array.isArray(value)) for (const element of value) collect(element, lines);
  else if (isJsonObject(value)) {
    for (const key of Object.keys(value).sort()) {
      if (key !== '') lines.push(key);
      collect(value[key]!, lines);
    }
  }
}
