// Scans one text: what is in it, whether it may pass, and the evidence of both before anybody is answered.
import type { Decision } from '../../runtime/decide/decision.ts';
import { type ErrorCode, PlatformError } from '../../runtime/errors.ts';
import { type ScanResult, scannersFor, scanResult } from '../../runtime/guard/pipeline.ts';
import type { JsonObject } from '../../runtime/json.ts';
import {
  type GuardRequest,
  type GuardResult,
  guardTextBytesMax,
  type ScannerName,
} from '../../runtime/modules/guard.ts';
import type { Caller } from '../common/caller.ts';
import type { Action } from '../common/ledger.ts';
import { blockedScanners, isAboutFindings, kindsFound } from './judge.ts';
import { measured } from './measure.ts';
import { observed } from './observed.ts';
import type { Parts } from './parts.ts';

/** What a caller wants scanned. */
export interface Asked {
  direction: GuardRequest['direction'];
  text: string;
  /** What a response answers. */
  prompt?: string;
  source?: NonNullable<GuardRequest['source']>;
  canaries?: string[];
  /** Scanners that the caller does not want; the evidence says which ran. */
  suppressed?: readonly ScannerName[];
}

export interface Scanned {
  request: GuardRequest;
  /** The answer to the caller; `is_valid` is what policy decided. */
  answer: ScanResult;
  result: GuardResult;
  /** The scanners that block; the others of `answer.scanners` warn. */
  blocked: ScannerName[];
  guard: Decision;
  decision: Decision;
}

/**
 * Scans a text. Rejects with `input_too_large` for one over 4 MiB, which is never cut, with the code of what kept
 * the guard from an answer, and with `denied` where policy refuses for another reason than what was found.
 */
export function scan(
  parts: Parts,
  caller: Caller,
  asked: Asked,
  signal: AbortSignal,
): Promise<Scanned> {
  return observed(caller, asked.direction, async () => {
    const request = await requestOf(parts, asked, signal);
    const guard = parts.judge.guard(caller, request);
    const action = parts.ledger.begin(caller, 'scan', { direction: asked.direction });
    const result = await resultOf(parts, action, guard);
    const { enforcement } = parts.settings;
    const decision = parts.judge.scan(caller, request, { guard, result, enforcement });
    action.subject = { ...action.subject, ...facts(request, result) };
    await record(parts, action, decision, guard);
    const answer = scanResult(request, result, decision.allow);
    return { request, result, guard, decision, blocked: blockedScanners(decision), answer };
  });
}

async function requestOf(
  { settings, injectionModel }: Parts,
  asked: Asked,
  signal: AbortSignal,
): Promise<GuardRequest> {
  const { direction, text, prompt, source, canaries, suppressed = [] } = asked;
  const { enabled, thresholds, topics, tokensMax, tokenEncoding } = settings;
  const facts = { direction, prompt, topics, tokens_max: tokensMax };
  const scanners = scannersFor(facts, enabled).filter((name) => !suppressed.includes(name));
  if (scanners.length === 0) {
    throw new PlatformError('request_malformed', 'no scanner is left that would judge the text');
  }
  const runs = (name: ScannerName) => scanners.includes(name);
  const wanted = {
    ...{ text, encoding: runs('TokenLimit') ? tokenEncoding : undefined },
    model: runs('PromptInjection') ? injectionModel : undefined,
  };
  // What is too long is refused below, and is nobody else's to read.
  const fits = Buffer.byteLength(text) <= guardTextBytesMax;
  const observed = fits ? await measured(wanted, signal) : undefined;
  return {
    ...{ direction, scanners, text },
    ...(prompt === undefined || !runs('Relevance') ? {} : { prompt }),
    ...(source === undefined ? {} : { source }),
    ...(canaries === undefined || canaries.length === 0 ? {} : { canaries }),
    ...(Object.keys(thresholds).length === 0 ? {} : { thresholds }),
    ...(runs('TopicBoundary') && topics !== undefined ? { topics } : {}),
    ...(runs('TokenLimit') && tokensMax !== undefined ? { tokens_max: tokensMax } : {}),
    ...(observed === undefined ? {} : { observed }),
  };
}

/** What the guard found. Rejects, with a row, when it could not answer: then nothing is known of the text. */
async function resultOf(parts: Parts, action: Action, guard: Decision): Promise<GuardResult> {
  if (Array.isArray(guard.output.findings)) return guard.output as unknown as GuardResult;
  const { code, message } = guard.reason;
  const known = code === 'input_too_large' ? 'a text has at most 4 MiB of UTF-8' : message;
  throw await parts.ledger.denial(action, [guard], code as ErrorCode, { code, message: known });
}

/** Kinds and numbers only. */
function facts(request: GuardRequest, result: GuardResult): JsonObject {
  const found = kindsFound(result).map(({ scanner, kind, count }) => ({ scanner, kind, count }));
  return {
    scanners: [...request.scanners],
    bytes: Buffer.byteLength(request.text),
    found: found as JsonObject[],
  };
}

async function record(
  parts: Parts,
  action: Action,
  decision: Decision,
  guard: Decision,
): Promise<void> {
  // Readers of evidence take the first of what allows, and the last of what refuses, for what settled it.
  if (decision.allow) {
    await parts.ledger.event(action, [decision, guard], { outcome: 'ok' });
    return;
  }
  const code = isAboutFindings(decision) ? 'guard_blocked' : 'denied';
  const denial = await parts.ledger.denial(action, [guard, decision], code, decision.reason);
  // What was found is an answer; any other refusal says nothing of the text.
  if (code === 'denied') throw denial;
}
