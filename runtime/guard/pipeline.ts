// Which scanners judge a text, in which order and from which score on, and what their answer looks like to callers.
import {
  scanners as builtScanners,
  type GuardDirection,
  type GuardRequest,
  type GuardResult,
  type ScannerName,
} from '../modules/guard.ts';

/** The order in which results name scanners: injection, PII, secrets, tokens; the model; its response, topics. */
const PIPELINE: readonly ScannerName[] = [
  'PromptInjection',
  'InvisibleText',
  'PII',
  'Secrets',
  'TokenLimit',
  'Toxicity',
  'Relevance',
  'TopicBoundary',
];

/** What of a request decides which scanners have something to judge. */
export interface PipelineFacts {
  direction: GuardDirection;
  /** What a response answers; without it `Relevance` has nothing to compare with. */
  prompt?: string | undefined;
  topics?: GuardRequest['topics'];
  tokens_max?: number | undefined;
}

/**
 * The enabled scanners that are built and have something to judge, in the order of the pipeline. `enabled` is
 * `all` or names; a name of a scanner that is not built is left out, so that ask `unknownScanners` first.
 */
export function scannersFor(
  facts: PipelineFacts,
  enabled: 'all' | readonly ScannerName[] = 'all',
): ScannerName[] {
  const isWanted = (name: ScannerName) => enabled === 'all' || enabled.includes(name);
  return PIPELINE.filter((name) => {
    const built = builtScanners.find((scanner) => scanner.name === name);
    return built?.directions.includes(facts.direction) && isWanted(name) && hasMatter(name, facts);
  });
}

function hasMatter(name: ScannerName, { prompt, topics, tokens_max }: PipelineFacts): boolean {
  if (name === 'Relevance') return prompt !== undefined;
  if (name === 'TokenLimit') return tokens_max !== undefined;
  if (name !== 'TopicBoundary') return true;
  return (topics?.allowed?.length ?? 0) + (topics?.forbidden?.length ?? 0) > 0;
}

/** The names among these that no built scanner has. */
export function unknownScanners(names: readonly string[]): string[] {
  return names.filter((name) => !builtScanners.some((scanner) => scanner.name === name));
}

/** From which score of 1000 on a scanner reports: the request's own, or its default. */
export function thresholdOf(
  name: ScannerName,
  thresholds: GuardRequest['thresholds'] = {},
): number {
  return thresholds[name] ?? builtScanners.find((scanner) => scanner.name === name)?.threshold ?? 1;
}

/** One place in the text, without what stands there. */
export type ScanMatch = {
  kind: string;
  /** 0 to 1. */
  score: number;
  /** Offsets in the text's UTF-8. */
  start: number;
  end: number;
};

/** What one scanner found. */
export type ScannerDetail = {
  /** The highest of its scores, 0 to 1, as the threshold. */
  score: number;
  threshold: number;
  matches: ScanMatch[];
};

/** The answer that callers of the guard get; `scanners` is empty where nothing was found. */
export type ScanResult = {
  is_valid: boolean;
  scanners: Record<string, ScannerDetail>;
};

/** The findings by scanner, in the order of the pipeline. `isValid` is what was decided of them. */
export function scanResult(
  request: Pick<GuardRequest, 'scanners' | 'thresholds'>,
  result: GuardResult,
  isValid = result.allow,
): ScanResult {
  const found: Record<string, ScannerDetail> = {};
  for (const name of PIPELINE) {
    const matches = result.findings
      .filter(({ scanner }) => scanner === name)
      .map(({ kind, score, start, end }) => ({ kind, score: decimal(score), start, end }));
    if (matches.length === 0) continue;
    const best = Math.max(...matches.map(({ score }) => score));
    const threshold = decimal(thresholdOf(name, request.thresholds));
    found[name] = { score: best, threshold, matches };
  }
  return { is_valid: isValid, scanners: found };
}

/** The highest score of each scanner that ran, 0 to 1, also below its threshold. */
export function scanScores(
  wanted: readonly ScannerName[],
  { scores, findings }: GuardResult,
): Record<string, number> {
  return Object.fromEntries(
    wanted.map((name) => {
      const found = findings.filter(({ scanner }) => scanner === name).map(({ score }) => score);
      return [name, decimal(Math.max(0, scores[name] ?? 0, ...found))];
    }),
  );
}

/** Thousandths as a decimal. */
function decimal(thousandths: number): number {
  return thousandths / 1000;
}
