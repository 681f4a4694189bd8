// What the filter answers by itself, in place of the service.

import { alloc } from '../common/arena';
import {
  beginOutput,
  outputBytes,
  outputPointer,
  writeAscii,
  writeBytes,
  writeJsonString,
  writeU32,
} from '../common/writer';
import { proxy_send_local_response } from './env';
import { ascii } from './text';

/** No gRPC status of our own: the proxy derives it from the HTTP status. */
const GRPC_NONE: i32 = -1;

export const PROBLEM = 'application/problem+json';
export const JSON_TYPE = 'application/json';

/** Answers with the output, whose media type is `type`; traps when the proxy does not take it, so that nothing passes. */
export function respond(status: u32, type: string, details: u32, detailsLength: u32): void {
  const body = outputPointer();
  const length = outputBytes();
  const headers = headerMap(type);
  const taken = proxy_send_local_response(
    status,
    details,
    detailsLength,
    body,
    length,
    headers,
    outputBytes(),
    GRPC_NONE,
  );
  if (taken != 0) unreachable();
}

/** Begins a problem document (RFC 9457); the caller adds members and the closing brace. */
export function beginProblem(status: u32, code: string, title: string): void {
  beginOutput();
  writeAscii('{"type":"tag:platform.io,2026:errors/');
  writeAscii(code);
  writeAscii('","title":"');
  writeAscii(title);
  writeAscii('","status":');
  writeU32(status);
  writeAscii(',"code":"');
  writeAscii(code);
  writeAscii('","detail":');
}

/** Answers what is not a request that can be decided on. */
export function respondProblem(status: u32, code: string, title: string, detail: string): void {
  beginProblem(status, code, title);
  writeJsonString(ascii(detail), <u32>detail.length);
  writeAscii('}');
  respond(status, PROBLEM, ascii(code), <u32>code.length);
}

/** Two headers as the ABI has maps: the count, pairs of lengths, then texts that end with NUL. */
function headerMap(type: string): u32 {
  const lengths = alloc(20);
  store<u32>(lengths, 2);
  store<u32>(lengths, 12, 4);
  store<u32>(lengths, type.length, 8);
  store<u32>(lengths, 13, 12);
  store<u32>(lengths, 8, 16);
  beginOutput();
  writeBytes(lengths, 20);
  writeAscii('content-type\0');
  writeAscii(type);
  writeAscii('\0cache-control\0no-store\0');
  return outputPointer();
}
