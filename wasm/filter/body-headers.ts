// The headers that say something of a body, as runtime/mesh/message-headers.ts reads them.

import { alloc } from '../common/arena';
import { stringLength, stringPointer } from '../common/json';
import { proxy_get_header_map_pairs } from './env';
import { REQUEST_HEADERS } from './headers';
import { method, name, revision } from './rpc';
import { equals } from './text';

let pairs: u32 = 0;
let count: u32 = 0;

/** The value that was found last. */
export let value: u32 = 0;
export let valueLength: u32 = 0;

/** Reads the headers of the request; traps where the proxy has none, since nothing can be decided then. */
export function readHeaders(): void {
  const slot = alloc(8);
  if (proxy_get_header_map_pairs(REQUEST_HEADERS, slot, slot + 4) != 0) unreachable();
  if (load<u32>(slot, 4) < 4) unreachable();
  pairs = load<u32>(slot);
  count = load<u32>(pairs);
}

/** Finds the first header with this name, in lower case. */
export function findHeader(wanted: string): bool {
  return next(wanted, 0) != 0;
}

/** Finds the next header from the one with this number on; returns the number behind it, or 0. */
function next(wanted: string, from: u32): u32 {
  let at = pairs + 4 + (count << 3);
  for (let i: u32 = 0; i < count; i++) {
    const nameLength = load<u32>(pairs + 4 + (i << 3));
    const length = load<u32>(pairs + 4 + (i << 3), 4);
    if (i >= from && equals(at, nameLength, wanted)) {
      value = at + nameLength + 1;
      valueLength = length;
      return i + 1;
    }
    at += nameLength + length + 2;
  }
  return 0;
}

/** Whether the body says of itself, once, that it is JSON in UTF-8, and that nothing has encoded it. */
export function isJsonBody(): bool {
  for (let at = next('content-encoding', 0); at != 0; at = next('content-encoding', at)) {
    if (!folds('identity')) return false;
  }
  const first = next('content-type', 0);
  if (first == 0) return false;
  const isJson =
    folds('application/json') ||
    folds('application/json;charset=utf-8') ||
    folds('application/json; charset=utf-8');
  return isJson && next('content-type', first) == 0;
}

/** Whether what MCP's headers repeat (revision 2026-07-28, Streamable HTTP) is what the message says. */
export function headersAgree(): bool {
  return (
    repeats('mcp-method', method) &&
    repeats('mcp-name', name) &&
    (revision == 0 || repeats('mcp-protocol-version', revision))
  );
}

/** Whether each header of this name has the node's text; none may be there where there is no node. */
function repeats(header: string, node: u32): bool {
  for (let at = next(header, 0); at != 0; at = next(header, at)) {
    if (node == 0 || valueLength != stringLength(node)) return false;
    if (memory.compare(value, stringPointer(node), valueLength) != 0) return false;
  }
  return true;
}

/** Whether the value is the literal, which is in lower case, in any case. */
function folds(literal: string): bool {
  if (valueLength != <u32>literal.length) return false;
  for (let i: u32 = 0; i < valueLength; i++) {
    const byte = <u32>load<u8>(value + i);
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (lower != <u32>literal.charCodeAt(i)) return false;
  }
  return true;
}
