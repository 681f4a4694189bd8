// Reads one JSON-RPC 2.0 message of MCP or A2A as runtime/mesh/rpc.ts does; what two readers could take differently is refused.

import {
  firstChild,
  Kind,
  keyLength,
  keyPointer,
  kindOf,
  member,
  nextSibling,
  stringLength,
  stringPointer,
} from '../common/json';
import { ascii, equals } from './text';

const NAME_BYTES_MAX: u32 = 256;
const REVISION = 'io.modelcontextprotocol/protocolVersion';

/** `request`, `notification` or `response`. */
export let kind: string = '';
/** String nodes; 0 where the message has none. */
export let method: u32 = 0;
export let tool: u32 = 0;
export let prompt: u32 = 0;
export let skill: u32 = 0;
/** What `Mcp-Name` repeats: the name of a tool or a prompt, or the URI of a resource. */
export let name: u32 = 0;
/** The protocol's revision, where the body says it. */
export let revision: u32 = 0;
/** The arguments of a tool call, an object node. */
export let argumentsNode: u32 = 0;
/** What the message carries, a node: its parameters, its result or its error. */
export let content: u32 = 0;

/** Forgets the last message. */
export function noMessage(): void {
  kind = 'empty';
  method = tool = prompt = skill = name = revision = argumentsNode = content = 0;
}

/** Reads the value of a body; false for what is no single message of the protocol. */
export function readMessage(root: u32, isMcp: bool): bool {
  noMessage();
  if (kindOf(root) != Kind.Object || !hasOnlyMembers(root)) return false;
  const version = find(root, 'jsonrpc');
  if (!isText(version) || !equals(stringPointer(version), stringLength(version), '2.0')) {
    return false;
  }
  method = find(root, 'method');
  const result = find(root, 'result');
  const error = find(root, 'error');
  const id = find(root, 'id');
  const params = find(root, 'params');
  if (method == 0) {
    kind = 'response';
    content = result != 0 ? result : error;
    const isAnswer = (result != 0) != (error != 0) && params == 0;
    return isAnswer && id != 0 && (isId(id) || kindOf(id) == Kind.Null);
  }
  if (!isName(method) || result != 0 || error != 0) return false;
  if (id != 0 && !isId(id)) return false;
  if (params != 0 && kindOf(params) != Kind.Object) return false;
  kind = id != 0 ? 'request' : 'notification';
  content = params;
  return isMcp ? readMcp(params) : readA2a(params);
}

/** Other members have no meaning, and readers that ignore case would take them for one of these. */
function hasOnlyMembers(root: u32): bool {
  for (let child = firstChild(root); child != 0; child = nextSibling(child)) {
    const key = keyPointer(child);
    const length = keyLength(child);
    const isKnown =
      equals(key, length, 'jsonrpc') ||
      equals(key, length, 'id') ||
      equals(key, length, 'method') ||
      equals(key, length, 'params') ||
      equals(key, length, 'result') ||
      equals(key, length, 'error');
    if (!isKnown) return false;
  }
  return true;
}

function readMcp(params: u32): bool {
  if (!isAlone(params, '_meta')) return false;
  const meta = find(params, '_meta');
  if (meta != 0 && kindOf(meta) == Kind.Object) {
    if (!isAlone(meta, REVISION)) return false;
    revision = find(meta, REVISION);
    if (revision != 0 && !isName(revision)) return false;
  }
  const calls = isMethod('tools/call');
  if (calls || isMethod('prompts/get')) {
    if (!isAlone(params, 'name') || !isAlone(params, 'arguments')) return false;
    name = find(params, 'name');
    const given = find(params, 'arguments');
    if (!isName(name) || (given != 0 && kindOf(given) != Kind.Object)) return false;
    if (calls) tool = name;
    else prompt = name;
    argumentsNode = calls ? given : 0;
    return true;
  }
  const names =
    isMethod('resources/read') ||
    isMethod('resources/subscribe') ||
    isMethod('resources/unsubscribe');
  if (!names) return true;
  if (!isAlone(params, 'uri')) return false;
  name = find(params, 'uri');
  return isText(name);
}

/** A message names the skill that it is for, if at all, in its metadata: the protocol has no member for it. */
function readA2a(params: u32): bool {
  // Of revisions 0.3 and 1.0.
  const sends =
    isMethod('message/send') ||
    isMethod('message/stream') ||
    isMethod('SendMessage') ||
    isMethod('SendStreamingMessage');
  if (!sends) return true;
  if (!isAlone(params, 'message')) return false;
  const message = find(params, 'message');
  if (message == 0 || kindOf(message) != Kind.Object) return false;
  if (!isAlone(message, 'parts') || !isAlone(message, 'metadata')) return false;
  const parts = find(message, 'parts');
  if (parts == 0 || kindOf(parts) != Kind.Array) return false;
  const metadata = find(message, 'metadata');
  if (metadata == 0) return true;
  if (kindOf(metadata) != Kind.Object || !isAlone(metadata, 'skillId')) return false;
  skill = find(metadata, 'skillId');
  return skill == 0 || isName(skill);
}

/** Whether no other member could be taken for this one by a reader that ignores case (Go's encoding/json). */
function isAlone(node: u32, wanted: string): bool {
  if (node == 0) return true;
  for (let child = firstChild(node); child != 0; child = nextSibling(child)) {
    const key = keyPointer(child);
    const length = keyLength(child);
    if (!equals(key, length, wanted) && foldsTo(key, length, wanted)) return false;
  }
  return true;
}

/** ASCII without case, and the two letters beyond it that Unicode folds into it: U+017F and U+212A. */
function foldsTo(key: u32, length: u32, wanted: string): bool {
  const end = key + length;
  let p = key;
  for (let i = 0; i < wanted.length; i++) {
    if (p >= end) return false;
    let folded = <u32>load<u8>(p);
    let size: u32 = 1;
    if (folded == 0xc5 && p + 1 < end && load<u8>(p, 1) == 0xbf) {
      folded = 0x73;
      size = 2;
    } else if (folded == 0xe2 && p + 2 < end && load<u8>(p, 1) == 0x84 && load<u8>(p, 2) == 0xaa) {
      folded = 0x6b;
      size = 3;
    }
    if (lower(folded) != lower(wanted.charCodeAt(i))) return false;
    p += size;
  }
  return p == end;
}

function lower(byte: u32): u32 {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
}

function find(node: u32, wanted: string): u32 {
  return node == 0 ? 0 : member(node, ascii(wanted), <u32>wanted.length);
}

function isMethod(wanted: string): bool {
  return equals(stringPointer(method), stringLength(method), wanted);
}

function isText(node: u32): bool {
  return node != 0 && kindOf(node) == Kind.String;
}

/** One to 256 bytes without control characters. */
function isName(node: u32): bool {
  if (!isText(node)) return false;
  const pointer = stringPointer(node);
  const length = stringLength(node);
  if (length == 0 || length > NAME_BYTES_MAX) return false;
  for (let p = pointer; p < pointer + length; p++) {
    const byte = <u32>load<u8>(p);
    if (byte < 0x20 || byte == 0x7f) return false;
  }
  return true;
}

function isId(node: u32): bool {
  return kindOf(node) == Kind.String || kindOf(node) == Kind.Number;
}
