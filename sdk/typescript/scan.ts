// One scan in process: its span, its metrics, and its findings as errors carry them.
import {
  Guard,
  type GuardDirection,
  type GuardFinding,
  type GuardOptions,
  type GuardStream,
  type ScannerName,
  scanners,
} from '../../runtime/modules/guard.ts';
import { ATTRIBUTE, SPAN } from '../../runtime/telemetry/names.ts';
import type { ScannerReport } from './errors.ts';
import { sdkModule } from './modules.ts';
import { countScan, inSpan } from './telemetry.ts';

/** What is asked of every text of a direction; the other scanners need a prompt, topics or a limit. */
const ALWAYS: Record<GuardDirection, readonly ScannerName[]> = {
  input: ['InvisibleText', 'PII', 'PromptInjection', 'Secrets'],
  output: ['PII', 'Secrets', 'Toxicity'],
};

let guard: Guard | undefined;

/** The scanners that judge every text of a direction, of those that are built. */
export function alwaysScanned(direction: GuardDirection): ScannerName[] {
  const built = scanners.filter(({ directions }) => directions.includes(direction));
  return built.map(({ name }) => name).filter((name) => ALWAYS[direction].includes(name));
}

/**
 * Scans a text; what was found, by scanner. `blockStatus` is the status of the span when something was. Throws as
 * `Guard.scan` does.
 */
export function scanText(
  options: GuardOptions,
  text: string,
  blockStatus?: string,
): Record<string, ScannerReport> {
  const isInput = options.direction === 'input';
  const attributes = { [ATTRIBUTE.scanType]: isInput ? 'prompt' : 'output' };
  return inSpan(SPAN.guardScan, attributes, (span) => {
    const started = performance.now();
    const { allow, findings } = module().scan({ ...options, text });
    const found = reports(findings);
    span.set({ [ATTRIBUTE.isValid]: allow });
    if (!allow && blockStatus !== undefined) span.fail(blockStatus);
    const seconds = (performance.now() - started) / 1000;
    countScan(options.direction, Object.keys(found).toSorted(), seconds);
    return found;
  });
}

/** Begins to scan a text that comes in pieces. */
export function scanStream(options: GuardOptions): GuardStream {
  return module().stream(options);
}

function module(): Guard {
  guard ??= Guard.create(sdkModule('guard'));
  return guard;
}

/** Findings by scanner, as errors carry them: kinds and places, never what was found. */
export function reports(findings: readonly GuardFinding[]): Record<string, ScannerReport> {
  const found: Record<string, ScannerReport> = {};
  for (const { scanner, score, ...match } of findings) {
    const threshold = scanners.find(({ name }) => name === scanner)?.threshold ?? 1;
    found[scanner] ??= { score: 0, threshold: threshold / 1000, matches: [] };
    found[scanner].score = Math.max(found[scanner].score, score / 1000);
    found[scanner].matches.push(match);
  }
  return found;
}
