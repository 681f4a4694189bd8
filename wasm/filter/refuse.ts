// The answer of a denied request: a problem document (RFC 9457) that names the decision.

import { writeAscii, writeJsonString } from '../common/writer';
import { sentenceOf } from './decide';
import { code, codeLength, DECISION_ID_BYTES, id, message, messageLength } from './decision';
import { REQUEST_ID_BYTES, requestId } from './facts';
import { beginProblem, PROBLEM, respond } from './respond';

const FORBIDDEN: u32 = 403;

/** Answers the request; traps when the proxy does not take the answer, so that nothing passes. */
export function refuse(failure: string): void {
  if (failure.length == 0) beginProblem(FORBIDDEN, 'denied', 'Policy does not allow this');
  else beginProblem(FORBIDDEN, failure, sentenceOf(failure));
  writeJsonString(message, messageLength);
  writeAscii(',"reason":{"code":');
  writeJsonString(code, codeLength);
  writeAscii(',"message":');
  writeJsonString(message, messageLength);
  writeAscii('},"decision_id":');
  writeJsonString(id, DECISION_ID_BYTES);
  writeAscii(',"request_id":');
  writeJsonString(requestId, REQUEST_ID_BYTES);
  writeAscii('}');
  respond(FORBIDDEN, PROBLEM, code, codeLength);
}
