// The wire of protectai's llm-guard API: its requests to ours, our scans to its numbers. Nothing decides here.

import { scanScores } from '../../../runtime/guard/pipeline.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import type { GuardDirection, ScannerName } from '../../../runtime/modules/guard.ts';
import type { HttpResponse } from '../../common/http/port.ts';
import type { Asked, Scanned } from '../scan.ts';
import { listOf, textOf } from '../wire.ts';

/** What its scanners are called where ours have other names. */
const names: Readonly<Record<GuardDirection, Partial<Record<ScannerName, string>>>> = {
  input: { PII: 'Anonymize', TopicBoundary: 'BanTopics' },
  output: { PII: 'Sensitive', TopicBoundary: 'BanTopics' },
};

/** Ours by its names. */
const own: Readonly<Record<string, ScannerName>> = {
  Anonymize: 'PII',
  Sensitive: 'PII',
  BanTopics: 'TopicBoundary',
};

/** `{prompt, scanners_suppress?}`; other members and scanners that are not here are left out, as it does. */
export function readPrompt(body: JsonObject): Asked {
  return { direction: 'input', text: textOf(body, 'prompt'), suppressed: suppressedIn(body) };
}

/** `{prompt, output, scanners_suppress?}`. */
export function readOutput(body: JsonObject): Asked {
  const [prompt, text] = [textOf(body, 'prompt'), textOf(body, 'output')];
  return { direction: 'output', text, prompt, suppressed: suppressedIn(body) };
}

function suppressedIn(body: JsonObject): ScannerName[] {
  return listOf(body, 'scanners_suppress').map((name) =>
    Object.hasOwn(own, name) ? own[name]! : (name as ScannerName),
  );
}

/** `{is_valid, scanners}`: a risk score from 0 to 1 for each scanner that ran. */
export function scannedNumbers({ request, result, answer }: Scanned): JsonObject {
  const scores = Object.entries(scanScores(request.scanners, result)).map(
    ([name, score]) => [names[request.direction][name as ScannerName] ?? name, score] as const,
  );
  return { is_valid: answer.is_valid, scanners: Object.fromEntries(scores) };
}

/** The problem document with the members that its clients look for: `message` and `details`; 422 for 400. */
export function asItsError(response: HttpResponse): HttpResponse {
  if (response.status < 400 || typeof response.body !== 'string') return response;
  const problem = JSON.parse(response.body) as JsonObject;
  const status = response.status === 400 ? 422 : response.status;
  const details: JsonValue = status === 422 ? [{ msg: problem.detail ?? '' }] : null;
  const message = status === 422 ? 'Validation failed' : (problem.detail ?? problem.title ?? '');
  const headers: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return {
    status,
    headers: { ...response.headers, ...headers },
    body: JSON.stringify({ ...problem, status, message, details }),
  };
}
