// The answer of a denied request: a problem document (RFC 9457) that names the decision.

import { alloc } from '../common/arena';
import {
  beginOutput,
  outputBytes,
  outputPointer,
  writeAscii,
  writeByte,
  writeBytes,
  writeJsonString,
} from '../common/writer';
import { sentenceOf } from './decide';
import { code, codeLength, DECISION_ID_BYTES, id, message, messageLength } from './decision';
import { proxy_send_local_response } from './env';
import { REQUEST_ID_BYTES, requestId } from './facts';

const FORBIDDEN: u32 = 403;
/** No gRPC status of our own: the proxy derives it from the HTTP status. */
const GRPC_NONE: i32 = -1;

/** Answers the request; traps when the proxy does not take the answer, so that nothing passes. */
export function refuse(failure: string): void {
  const problem = failure.length == 0 ? 'denied' : failure;
  beginOutput();
  writeAscii('{"type":"tag:platform.io,2026:errors/');
  writeAscii(problem);
  writeAscii('","title":"');
  writeAscii(failure.length == 0 ? 'Policy does not allow this' : sentenceOf(failure));
  writeAscii('","status":403,"code":"');
  writeAscii(problem);
  writeAscii('","detail":');
  writeJsonString(message, messageLength);
  writeAscii(',"reason":{"code":');
  writeJsonString(code, codeLength);
  writeAscii(',"message":');
  writeJsonString(message, messageLength);
  writeAscii('},"decision_id":');
  writeJsonString(id, DECISION_ID_BYTES);
  writeAscii(',"request_id":');
  writeJsonString(requestId, REQUEST_ID_BYTES);
  writeByte(0x7d);
  const body = outputPointer();
  const length = outputBytes();
  const headers = headerMap();
  const status = proxy_send_local_response(
    FORBIDDEN,
    code,
    codeLength,
    body,
    length,
    headers,
    outputBytes(),
    GRPC_NONE,
  );
  if (status != 0) unreachable();
}

/** Two headers as the ABI has maps: the count, pairs of lengths, then texts that end with NUL. */
function headerMap(): u32 {
  const texts = 'content-type\0application/problem+json\0cache-control\0no-store\0';
  const lengths = alloc(20);
  store<u32>(lengths, 2);
  store<u32>(lengths, 12, 4);
  store<u32>(lengths, 24, 8);
  store<u32>(lengths, 13, 12);
  store<u32>(lengths, 8, 16);
  beginOutput();
  writeBytes(lengths, 20);
  writeAscii(texts);
  return outputPointer();
}
