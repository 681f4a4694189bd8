// Reads one JSON-RPC 2.0 message of MCP or A2A, as an attacker would not have it: what two readers could take differently is refused.
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { MeshProtocol } from './message.ts';

const NAME_BYTES_MAX = 256;

/** A message that cannot be read, with the code that is answered. */
export class Malformed extends Error {
  readonly code: string;

  constructor(code = 'request_malformed') {
    super(code);
    this.code = code;
  }
}

export interface Envelope {
  kind: 'request' | 'notification' | 'response';
  method?: string | undefined;
  tool?: string | undefined;
  prompt?: string | undefined;
  skill?: string | undefined;
  /** What `Mcp-Name` repeats: the name of a tool or a prompt, or the URI of a resource. */
  name?: string | undefined;
  /** The protocol's revision, where the body says it. */
  revision?: string | undefined;
  arguments?: JsonObject | undefined;
  /** What the message carries: its parameters, its result or its error. */
  content: JsonValue;
}

// Other members have no meaning, and readers that ignore case would take them for one of these.
const MEMBERS: ReadonlySet<string> = new Set([
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
]);
const RESOURCE_METHODS: ReadonlySet<string> = new Set([
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
]);
/** Of revisions 0.3 and 1.0. */
const SENDING: ReadonlySet<string> = new Set([
  'message/send',
  'message/stream',
  'SendMessage',
  'SendStreamingMessage',
]);
const REVISION = 'io.modelcontextprotocol/protocolVersion';

/** Reads the value of a body; throws Malformed. A batch is none: each message has its own request. */
export function readEnvelope(protocol: MeshProtocol, value: JsonValue): Envelope {
  if (!isJsonObject(value)) throw new Malformed();
  if (Object.keys(value).some((name) => !MEMBERS.has(name))) throw new Malformed();
  if (value.jsonrpc !== '2.0') throw new Malformed();
  const { method } = value;
  if (method === undefined) return readResponse(value);
  if (!isName(method) || 'result' in value || 'error' in value) throw new Malformed();
  if ('id' in value && !isId(value.id)) throw new Malformed();
  const params = value.params === undefined ? {} : value.params;
  if (!isJsonObject(params)) throw new Malformed();
  return {
    kind: 'id' in value ? 'request' : 'notification',
    method,
    content: params,
    ...(protocol === 'mcp' ? readMcp(method, params) : readA2a(method, params)),
  };
}

function readResponse(value: JsonObject): Envelope {
  const hasResult = 'result' in value;
  if (hasResult === 'error' in value || 'params' in value) throw new Malformed();
  if (!isId(value.id) && value.id !== null) throw new Malformed();
  return { kind: 'response', content: hasResult ? value.result! : value.error! };
}

function readMcp(method: string, params: JsonObject): Partial<Envelope> {
  const meta = memberOf(params, '_meta');
  const revision = isJsonObject(meta) ? memberOf(meta, REVISION) : undefined;
  if (revision !== undefined && !isName(revision)) throw new Malformed();
  if (method === 'tools/call' || method === 'prompts/get') {
    const name = memberOf(params, 'name');
    const given = memberOf(params, 'arguments');
    if (!isName(name)) throw new Malformed();
    if (given !== undefined && !isJsonObject(given)) throw new Malformed();
    if (method === 'prompts/get') return { prompt: name, name, revision };
    return { tool: name, name, revision, arguments: given ?? {} };
  }
  if (!RESOURCE_METHODS.has(method)) return { revision };
  const uri = memberOf(params, 'uri');
  if (typeof uri !== 'string') throw new Malformed();
  return { name: uri, revision };
}

/** A message names the skill that it is for, if at all, in its metadata: the protocol has no member for it. */
function readA2a(method: string, params: JsonObject): Partial<Envelope> {
  if (!SENDING.has(method)) return {};
  const message = memberOf(params, 'message');
  if (!isJsonObject(message) || !Array.isArray(memberOf(message, 'parts'))) throw new Malformed();
  const metadata = memberOf(message, 'metadata');
  if (metadata === undefined) return {};
  if (!isJsonObject(metadata)) throw new Malformed();
  const skill = memberOf(metadata, 'skillId');
  if (skill !== undefined && !isName(skill)) throw new Malformed();
  return { skill };
}

/** A member, where no other one could be taken for it by a reader that ignores case (Go's encoding/json). */
function memberOf(of: JsonObject, wanted: string): JsonValue | undefined {
  for (const name of Object.keys(of)) {
    if (name !== wanted && fold(name) === fold(wanted)) throw new Malformed();
  }
  return Object.hasOwn(of, wanted) ? of[wanted] : undefined;
}

/** ASCII without case, and the two letters beyond it that Unicode folds into it. */
function fold(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replaceAll('\u017f', 's')
    .replaceAll('\u212a', 'k');
}

/** One to 256 bytes without control characters. */
function isName(value: JsonValue | undefined): value is string {
  if (typeof value !== 'string' || value === '') return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
  return Buffer.byteLength(value) <= NAME_BYTES_MAX && !/[\u0000-\u001f\u007f]/.test(value);
}

function isId(value: JsonValue | undefined): boolean {
  return typeof value === 'string' || typeof value === 'number';
}
