// Judges one scanner of the shipped module, and its peers, on the sets that were held out.

import type { Guard, ScannerName } from '../../runtime/modules/guard.ts';
import { textsOf } from './extract.ts';
import { averagePrecision, type CurvePoint, curve, recallAt, share } from './metrics.ts';
import type { Peer } from './peers.ts';
import type { Label, TextSet } from './sets.ts';

/** What a scanner or a peer did on one set; shares are between 0 and 1. */
export interface SetResult {
  set: string;
  package: string;
  label: Label;
  note: string;
  texts: number;
  /** The share flagged at the shipped threshold; peers are judged at one percent alone. */
  flagged?: number;
  /** The share above what one in a hundred of all harmless texts exceeds. */
  atOnePercent: number;
}

/** What one detector did on all sets. */
export interface DetectorResult {
  name: string;
  about: string;
  sets: SetResult[];
  averagePrecision: number;
  curve: CurvePoint[];
}

export interface ScannerResult {
  scanner: ScannerName;
  threshold: number;
  ours: DetectorResult;
  peers: DetectorResult[];
}

const ABOUT: Partial<Record<ScannerName, string>> = {
  PromptInjection: 'rules and model together',
  Toxicity: 'a linear model',
};
const FOUND: readonly Label[] = ['attack', 'toxic'];
const HARMLESS: readonly Label[] = ['benign', 'civil'];
/** Longer texts are cut to this many characters for every detector alike. */
const TEXT_MOST = 16_384;

type Scored = { set: TextSet; scores: number[] }[];

function summarize(
  name: string,
  about: string,
  scored: Scored,
  threshold?: number,
): DetectorResult {
  const all = (labels: readonly Label[]) => {
    return scored.filter(({ set }) => labels.includes(set.label)).flatMap(({ scores }) => scores);
  };
  const harmless = all(HARMLESS);
  const points = curve(all(FOUND), harmless);
  return {
    name,
    about,
    sets: scored.map(({ set, scores }) => ({
      set: set.name,
      package: set.package,
      label: set.label,
      note: set.note ?? '',
      texts: scores.length,
      ...(threshold !== undefined && { flagged: share(scores, (score) => score >= threshold) }),
      atOnePercent: recallAt(scores, harmless),
    })),
    averagePrecision: averagePrecision(points),
    curve: points,
  };
}

/** The scanner's score of a text, of 1000. */
export function scoreOf(guard: Guard, scanner: ScannerName, text: string): number {
  const { scores } = guard.scan({ direction: 'input', scanners: [scanner], text });
  return scores[scanner] ?? 0;
}

/** Scores the held-out sets with the scanner and with each peer. */
export async function evaluateScanner(
  guard: Guard,
  scanner: ScannerName,
  threshold: number,
  sets: readonly TextSet[],
  peers: readonly Peer[],
): Promise<ScannerResult> {
  const held = sets.filter(({ use }) => use === 'test');
  const texts = held.map((set) =>
    textsOf(set).map((text) => text.slice(0, TEXT_MOST).toWellFormed()),
  );
  const own = held.map((set, i) => {
    return { set, scores: texts[i]!.map((text) => scoreOf(guard, scanner, text)) };
  });
  const results: DetectorResult[] = [];
  for (const peer of peers) {
    const scores = await peer.scores(texts.flat());
    let at = 0;
    const scored = held.map((set, i) => {
      const from = at;
      at += texts[i]!.length;
      return { set, scores: scores.slice(from, at) };
    });
    results.push(summarize(peer.name, peer.about, scored));
  }
  return {
    scanner,
    threshold,
    ours: summarize('guard', ABOUT[scanner] ?? '', own, threshold),
    peers: results,
  };
}
