// Recall at a share of false positives, precision against recall, and shares, from scores of texts.

/** A point of the precision-recall curve. */
export interface CurvePoint {
  threshold: number;
  recall: number;
  precision: number;
}

/** The share of values that pass the test; 0 of none. */
export function share(values: readonly number[], isCounted: (value: number) => boolean): number {
  return values.length === 0 ? 0 : values.filter(isCounted).length / values.length;
}

/**
 * The score above which at most `most` (a share) of the harmless texts lie: what exceeds it counts as
 * flagged. Scores with many ties may leave fewer than that.
 */
export function thresholdAt(harmless: readonly number[], most: number): number {
  const sorted = harmless.toSorted((a, b) => b - a);
  return sorted[Math.floor(sorted.length * most)] ?? Number.NEGATIVE_INFINITY;
}

/** The share of texts above the score that at most `most` of the harmless ones exceed. */
export function recallAt(
  found: readonly number[],
  harmless: readonly number[],
  most = 0.01,
): number {
  const threshold = thresholdAt(harmless, most);
  return share(found, (score) => score > threshold);
}

/** The curve over all scores that occur, by rising threshold; harmless texts count as often as the others in all. */
export function curve(found: readonly number[], harmless: readonly number[]): CurvePoint[] {
  const thresholds = [...new Set([...found, ...harmless])].sort((a, b) => a - b);
  return thresholds.map((threshold) => {
    const recall = share(found, (score) => score >= threshold);
    const wrong = share(harmless, (score) => score >= threshold);
    return { threshold, recall, precision: recall / (recall + wrong) };
  });
}

/** The mean precision over the curve's recalls. */
export function averagePrecision(points: readonly CurvePoint[]): number {
  const falling = points.toSorted((a, b) => a.recall - b.recall);
  let [area, before] = [0, 0];
  for (const { recall, precision } of falling) {
    area += (recall - before) * precision;
    before = recall;
  }
  return area;
}
