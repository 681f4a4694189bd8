// JSON in and out: what a body has to hold, and the forms in which scans are shown.
import { PlatformError } from '../../runtime/errors.ts';
import { unknownScanners } from '../../runtime/guard/pipeline.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { ScannerName } from '../../runtime/modules/guard.ts';
import type { Asked, Scanned } from './scan.ts';

const sources = ['user', 'tool', 'document'] as const;
const canariesMax = 64;
const promptMembers = ['text', 'prompt', 'source', 'scanners_suppress'];
const outputMembers = ['prompt', 'output', 'source', 'canaries', 'scanners_suppress'];

/**
 * `{text}` or `{prompt}`, the same thing. Throws `request_malformed` for anything else: a member that is misspelt
 * would otherwise be left out without a word.
 */
export function askedPrompt(body: JsonObject): Asked {
  only(body, promptMembers);
  if ((body.text === undefined) === (body.prompt === undefined)) {
    throw malformed('the body has either `text` or `prompt`');
  }
  const text = textOf(body, body.text === undefined ? 'prompt' : 'text');
  return { direction: 'input', text, ...options(body) };
}

/** `{output}`, and `{prompt}` for what it answers. */
export function askedOutput(body: JsonObject): Asked {
  only(body, outputMembers);
  const text = textOf(body, 'output');
  const prompt = body.prompt === undefined ? {} : { prompt: textOf(body, 'prompt') };
  return { direction: 'output', text, ...prompt, ...options(body) };
}

/** A member that is a text. */
export function textOf(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value === 'string') return value;
  throw malformed(`\`${name}\` is not a text`);
}

/** A member that is a list of texts; empty where there is none. */
export function listOf(body: JsonObject, name: string): string[] {
  const value = body[name] ?? [];
  if (Array.isArray(value) && value.every((element) => typeof element === 'string')) {
    return value as string[];
  }
  throw malformed(`\`${name}\` is not a list of texts`);
}

function options(body: JsonObject): Partial<Asked> {
  const { source } = body;
  const known = sources.find((name) => name === source);
  if (source !== undefined && known === undefined) {
    throw malformed(`\`source\` is one of ${sources.join(', ')}`);
  }
  const canaries = listOf(body, 'canaries');
  if (canaries.length > canariesMax || canaries.includes('')) {
    throw malformed(`\`canaries\` are at most ${canariesMax} words`);
  }
  const suppressed = listOf(body, 'scanners_suppress');
  const unknown = unknownScanners(suppressed);
  if (unknown.length > 0) throw malformed(`there is no scanner ${JSON.stringify(unknown[0])}`);
  return {
    ...(known === undefined ? {} : { source: known }),
    ...(canaries.length === 0 ? {} : { canaries }),
    suppressed: suppressed as ScannerName[],
  };
}

function only(body: JsonObject, members: readonly string[]): void {
  const other = Object.keys(body).find((name) => !members.includes(name));
  if (other !== undefined) throw malformed(`there is no member ${JSON.stringify(other)}`);
}

/** The specification's result, and the decisions behind it. */
export function scannedJson({ answer, blocked, guard, decision }: Scanned): JsonObject {
  const scanners = Object.entries(answer.scanners).map(([name, detail]) => {
    const action = blocked.includes(name as ScannerName) ? 'block' : 'warn';
    return [name, { ...detail, action }] as const;
  });
  return {
    is_valid: answer.is_valid,
    scanners: Object.fromEntries(scanners),
    reason: { ...decision.reason },
    decision_id: decision.id,
    guard_decision_id: guard.id,
  };
}

function malformed(message: string): PlatformError {
  return new PlatformError('request_malformed', message);
}
