// Scans prompts and responses in process, before they leave it.

import type { GuardOptions, ScannerName } from '../../runtime/modules/guard.ts';
import { BLOCKED_BY_GUARD, OUTPUT_BLOCKED_BY_GUARD } from '../../runtime/telemetry/names.ts';
import type { ScannerReport } from './errors.ts';
import { blocked, isEnabled } from './llm/guarding.ts';
import { alwaysScanned, scanText } from './scan.ts';

export type { Redacted, RedactFinding, RedactOptions } from '../../runtime/guard/redact.ts';
export { redact } from '../../runtime/guard/redact.ts';
export type { TokenMap } from '../../runtime/guard/untokenize.ts';
export { Untokenizer, untokenize } from '../../runtime/guard/untokenize.ts';
export { isEnabled };

/** The answer of a scan; `scanners` is empty when nothing was found. */
export interface ScanResult {
  isValid: boolean;
  scanners: Record<string, ScannerReport>;
}

export interface ScanOptions extends Omit<GuardOptions, 'direction' | 'scanners' | 'prompt'> {
  /** Throw a GuardrailError instead of returning a result that is not valid. */
  block?: boolean;
  /** By default those that judge every text of the direction. */
  scanners?: readonly ScannerName[];
}

/**
 * Scans what goes to a model. Throws an InputError for a text over 4 MiB or with half of a surrogate
 * pair, and with `block` a GuardrailError (`guard_blocked`) when something was found.
 */
export function scanPrompt(text: string, options: ScanOptions = {}): ScanResult {
  const { block, scanners = alwaysScanned('input'), ...more } = options;
  const status = block === true ? BLOCKED_BY_GUARD : undefined;
  const found = scanText({ ...more, direction: 'input', scanners }, text, status);
  return result('guard_blocked', found, block === true);
}

/**
 * Scans what came from a model for its prompt, which `Relevance` compares it with. Throws as `scanPrompt` does,
 * with the code `guard_output_blocked`.
 */
export function scanOutput(
  promptText: string,
  outputText: string,
  options: ScanOptions = {},
): ScanResult {
  const { block, scanners = alwaysScanned('output'), ...more } = options;
  const request = { ...more, direction: 'output', scanners, prompt: promptText } as const;
  const status = block === true ? OUTPUT_BLOCKED_BY_GUARD : undefined;
  const found = scanText(request, outputText, status);
  return result('guard_output_blocked', found, block === true);
}

/**
 * A word to plant in a prompt, such as in the system's part, which no response should carry: give it to
 * `scanOutput` in `canaries`, and a response that repeats the prompt is found.
 */
export function canary(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `canary-${Buffer.from(bytes).toString('hex')}`;
}

function result(
  code: 'guard_blocked' | 'guard_output_blocked',
  scanners: Record<string, ScannerReport>,
  block: boolean,
): ScanResult {
  const isValid = Object.keys(scanners).length === 0;
  if (!isValid && block) throw blocked(code, scanners);
  return { isValid, scanners };
}
