// Scans prompts and responses in process, before they leave it.

import type { GuardDirection, ScannerName } from '../../runtime/modules/guard.ts';
import { Guard } from '../../runtime/modules/guard.ts';
import {
  ATTRIBUTE,
  BLOCKED_BY_GUARD,
  OUTPUT_BLOCKED_BY_GUARD,
  SPAN,
} from '../../runtime/telemetry/names.ts';
import type { ScannerReport } from './errors.ts';
import { GuardrailError } from './errors.ts';
import { sdkModule } from './modules.ts';
import { countScan, inSpan } from './telemetry.ts';

/** The answer of a scan; `scanners` is empty when nothing was found. */
export interface ScanResult {
  isValid: boolean;
  scanners: Record<string, ScannerReport>;
}

export interface ScanOptions {
  /** Throw a GuardrailError instead of returning a result that is not valid. */
  block?: boolean;
  /** By default all that are built for the direction. */
  scanners?: readonly ScannerName[];
}

const INPUT_SCANNERS: readonly ScannerName[] = ['InvisibleText', 'PII', 'Secrets'];
const OUTPUT_SCANNERS: readonly ScannerName[] = ['PII', 'Secrets'];

let guard: Guard | undefined;

/** Whether prompts and responses are to be scanned without being asked: `PLATFORM_LLM_GUARD_ENABLED`. */
export function isEnabled(): boolean {
  return ['1', 'true', 'yes'].includes(
    (process.env.PLATFORM_LLM_GUARD_ENABLED ?? '').toLowerCase(),
  );
}

/**
 * Scans what goes to a model. Throws an InputError for a text over 4 MiB or with half of a surrogate
 * pair, and with `block` a GuardrailError (`guard_blocked`) when something was found.
 */
export function scanPrompt(text: string, options: ScanOptions = {}): ScanResult {
  return scan('input', text, options.scanners ?? INPUT_SCANNERS, options.block === true);
}

/**
 * Scans what came from a model for its prompt. The scanners that are built look at the response alone;
 * those that compare it with the prompt are yet to come. Throws as `scanPrompt` does, with the code
 * `guard_output_blocked`.
 */
export function scanOutput(
  _promptText: string,
  outputText: string,
  options: ScanOptions = {},
): ScanResult {
  return scan('output', outputText, options.scanners ?? OUTPUT_SCANNERS, options.block === true);
}

function scan(
  direction: GuardDirection,
  text: string,
  scanners: readonly ScannerName[],
  block: boolean,
): ScanResult {
  const isInput = direction === 'input';
  const attributes = { [ATTRIBUTE.scanType]: isInput ? 'prompt' : 'output' };
  return inSpan(SPAN.guardScan, attributes, (span) => {
    guard ??= Guard.create(sdkModule('guard'));
    const started = performance.now();
    const { allow, findings } = guard.scan({ direction, scanners, text });
    const found: Record<string, ScannerReport> = {};
    for (const { scanner, ...match } of findings) {
      found[scanner] ??= { score: 1, threshold: null, matches: [] };
      found[scanner].matches.push(match);
    }
    span.set({ [ATTRIBUTE.isValid]: allow });
    const names = Object.keys(found).toSorted();
    countScan(direction, names, (performance.now() - started) / 1000);
    if (allow || !block) return { isValid: allow, scanners: found };
    span.fail(isInput ? BLOCKED_BY_GUARD : OUTPUT_BLOCKED_BY_GUARD);
    throw new GuardrailError(
      isInput ? 'guard_blocked' : 'guard_output_blocked',
      `blocked by ${names.join(', ')}`,
      found,
    );
  });
}
