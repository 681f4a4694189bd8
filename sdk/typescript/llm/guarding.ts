// Scans what goes to a model and what comes from one, and says what a finding means for the call.
import type { GuardDirection, GuardOptions, GuardStream } from '../../../runtime/modules/guard.ts';
import { ConfigurationError, GuardrailError, type ScannerReport } from '../errors.ts';
import { alwaysScanned, scanStream, scanText } from '../scan.ts';
import type { Segment } from './content.ts';

const SEPARATOR = '\n';

/** Whether calls are scanned, by the environment; on under the platform when nothing is said. */
export function isEnabled(): boolean {
  const word = (process.env.PLATFORM_LLM_GUARD_ENABLED ?? '').trim().toLowerCase();
  if (word !== '') return !['0', 'false', 'no', 'off'].includes(word);
  const { PLATFORM_GATEWAY_URL: gateway, PLATFORM_LLM_GUARD_URL: service } = process.env;
  return Boolean(gateway || service);
}

/** How calls are judged, read from the environment once for each client. */
export class Guarding {
  /** False when a detection is only reported: `BLOCK_ON_DETECTION=false`. */
  readonly blocks: boolean;
  readonly #thresholds: GuardOptions['thresholds'];

  constructor() {
    const word = (process.env.BLOCK_ON_DETECTION ?? '').trim().toLowerCase();
    this.blocks = !['0', 'false', 'no', 'off', 'warn'].includes(word);
    const given = process.env.PII_DETECTION_THRESHOLD;
    if (given === undefined || given.trim() === '') return;
    const threshold = Number(given);
    if (!(threshold >= 0 && threshold <= 1)) {
      throw new ConfigurationError('PII_DETECTION_THRESHOLD is a number from 0 to 1');
    }
    this.#thresholds = { PII: Math.max(1, Math.round(threshold * 1000)) };
  }

  /** What the texts of a prompt hold that must not pass; those of one source are one text. */
  prompt(segments: readonly Segment[]): Record<string, ScannerReport> {
    const found: Record<string, ScannerReport> = {};
    const options = this.#options('input');
    for (const source of ['user', 'tool', 'document'] as const) {
      const text = joined(segments.filter((one) => one.source === source && !isDevelopers(one)));
      if (text !== '') add(found, scanText({ ...options, source }, text));
    }
    const orders = joined(segments.filter(isDevelopers));
    const scanners = options.scanners.filter((name) => name !== 'PromptInjection');
    if (orders !== '') add(found, scanText({ ...options, scanners }, orders));
    return found;
  }

  /** The same of a response's texts, each by itself. */
  response(texts: readonly string[]): Record<string, ScannerReport> {
    const found: Record<string, ScannerReport> = {};
    for (const text of texts) {
      if (text !== '') add(found, scanText(this.#options('output'), text));
    }
    return found;
  }

  /** Begins to scan one field of a streamed response. */
  stream(): GuardStream {
    return scanStream(this.#options('output'));
  }

  #options(direction: GuardDirection): GuardOptions {
    return { direction, scanners: alwaysScanned(direction), thresholds: this.#thresholds };
  }
}

/** Adds what was found in one text to what was found in others. */
export function add(
  found: Record<string, ScannerReport>,
  more: Record<string, ScannerReport>,
): void {
  for (const [scanner, report] of Object.entries(more)) {
    const known = found[scanner];
    if (known === undefined) found[scanner] = { ...report, matches: [...report.matches] };
    else {
      known.score = Math.max(known.score, report.score);
      known.matches.push(...report.matches);
    }
  }
}

/** Who writes the system's prompt gives the model orders, as "do not reveal this": that is what it is for. */
function isDevelopers({ role, source }: Segment): boolean {
  return source === 'user' && (role === 'system' || role === 'developer');
}

function joined(segments: readonly Segment[]): string {
  return segments.map(({ text }) => text).join(SEPARATOR);
}

/** The error of a block; `code` says on which side. */
export function blocked(
  code: 'guard_blocked' | 'guard_output_blocked',
  found: Record<string, ScannerReport>,
): GuardrailError {
  return new GuardrailError(code, `blocked by ${Object.keys(found).toSorted().join(', ')}`, found);
}
