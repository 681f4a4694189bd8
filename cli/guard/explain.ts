// Why a text was judged as it was: every window and match that a scanner scored, also below its threshold.
import { scannersFor, scanScores, thresholdOf } from '../../runtime/guard/pipeline.ts';
import { maskedPreview } from '../../runtime/guard/preview.ts';
import type {
  Guard,
  GuardFinding,
  GuardOptions,
  ScannerName,
} from '../../runtime/modules/guard.ts';
import { Places } from './place.ts';
import { type Title, titleOf } from './titles.ts';

/** One place that a scanner scored. */
export interface Scored {
  kind: string;
  title: string;
  docs?: string;
  /** 0 to 1, as all scores. */
  score: number;
  line: number;
  column: number;
  /** What stands there; a mask where it may be a value. */
  shown: string;
  /** Whether it reaches the threshold. */
  counts: boolean;
}

export interface ScannerExplanation {
  scanner: ScannerName;
  score: number;
  threshold: number;
  found: boolean;
  scored: Scored[];
}

export interface Explanation {
  allow: boolean;
  /** The text without what a person does not see, letters in their usual form (NFKC). */
  read_as: string;
  scanners: ScannerExplanation[];
}

const SHOWN_MAX = 160;
/** Their findings are values that nobody should see again. */
const MASKED: ReadonlySet<ScannerName> = new Set(['Secrets', 'PII', 'InvisibleText']);

/** Throws as `Guard.scan` does. */
export function explainText(
  guard: Guard,
  text: string,
  request: Pick<GuardOptions, 'direction' | 'scanners' | 'source'>,
  titles: ReadonlyMap<string, Title>,
): Explanation {
  const plain = guard.scan({ ...request, text });
  const thresholds = Object.fromEntries(request.scanners.map((name) => [name, 1]));
  const all = guard.scan({ ...request, thresholds, text });
  const scores = scanScores(request.scanners, all);
  const bytes = Buffer.from(text);
  const places = new Places(bytes);
  const scoredOf = ({ scanner, kind, score, start, end }: GuardFinding): Scored => ({
    ...{ kind, ...titleOf(titles, kind), score: score / 1000, ...places.of(start) },
    shown: shown(scanner, bytes.toString('utf8', start, end), () =>
      masked(bytes, all.findings, start, end),
    ),
    counts: score >= thresholdOf(scanner),
  });
  const inOrder = scannersFor({ direction: request.direction }, request.scanners);
  return {
    allow: plain.allow,
    read_as: masked(bytes, all.findings, 0, bytes.length),
    scanners: inOrder.map((scanner) => ({
      ...{ scanner, score: scores[scanner] ?? 0, threshold: thresholdOf(scanner) / 1000 },
      found: plain.findings.some((finding) => finding.scanner === scanner),
      scored: all.findings.filter((finding) => finding.scanner === scanner).map(scoredOf),
    })),
  };
}

function shown(scanner: ScannerName, value: string, window: () => string): string {
  if (MASKED.has(scanner)) return maskedPreview(scanner, value);
  const line = window().replaceAll(/\s+/g, ' ').trim();
  return line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)} …`;
}

/** A part of the text with masks for values, and without what a person does not see. */
function masked(
  bytes: Buffer,
  findings: readonly GuardFinding[],
  from: number,
  to: number,
): string {
  let text = '';
  let done = from;
  for (const { scanner, start, end } of findings) {
    if (!MASKED.has(scanner) || start < from || end > to || end <= done) continue;
    text += bytes.toString('utf8', done, Math.max(done, start));
    if (scanner !== 'InvisibleText') {
      text += maskedPreview(scanner, bytes.toString('utf8', start, end));
    }
    done = end;
  }
  return (text + bytes.toString('utf8', done, to)).normalize('NFKC');
}
