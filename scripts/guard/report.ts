// Writes what `npm run eval:guard` found as Markdown.

import type { DetectorResult, ScannerResult, SetResult } from './eval-scanner.ts';
import { packageNamed } from './fetch-data.ts';
import type { TextSet } from './sets.ts';

/** A part of the report: its heading, its lines, and the same as data. */
export interface ReportPart {
  title: string;
  lines: string[];
  data: unknown;
}

/** A share as a percentage with one digit. */
export function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line), ''];
}

const isFound = ({ label }: SetResult) => label === 'attack' || label === 'toxic';
const isHarmless = ({ label }: SetResult) => label === 'benign' || label === 'civil';

function recallTable(
  { ours, peers }: ScannerResult,
  wanted: (set: SetResult) => boolean,
): string[] {
  const sets = ours.sets.filter(wanted);
  const rows = sets.map((set) => [
    set.note === '' ? set.set : `${set.set} (${set.note})`,
    String(set.texts),
    percent(set.flagged ?? 0),
    `**${percent(set.atOnePercent)}**`,
    ...peers.map((peer) => {
      return percent(peer.sets.find((other) => other.set === set.set)!.atOnePercent);
    }),
  ]);
  const head = ['set', 'texts', 'flagged as shipped', 'guard', ...peers.map(({ name }) => name)];
  return table(head, rows);
}

function harmlessTable({ ours }: ScannerResult): string[] {
  const rows = ours.sets
    .filter(isHarmless)
    .map(({ set, note, texts, flagged }) => [
      note === '' ? set : `${set} (${note})`,
      String(texts),
      percent(flagged ?? 0),
    ]);
  return table(['set', 'texts', 'flagged as shipped'], rows);
}

function detectors({ ours, peers }: ScannerResult): string[] {
  const row = ({ name, about, averagePrecision }: DetectorResult) => {
    return [name, about, averagePrecision.toFixed(3)];
  };
  return table(['detector', 'what', 'average precision'], [ours, ...peers].map(row));
}

/** The part of one scanner. */
export function scannerPart(result: ScannerResult, more: readonly string[]): ReportPart {
  const indirect = recallTable(result, ({ label }) => label === 'indirect');
  const lines = [
    'Recall at 1 % false positives: what is found when the threshold is placed so that one in a hundred',
    'of all harmless texts below is flagged, the same for every detector. "Flagged as shipped" is at the',
    `threshold of ${result.threshold}.`,
    '',
    ...recallTable(result, isFound),
    ...(result.ours.sets.some(({ label }) => label === 'indirect')
      ? [
          'Tasks smuggled into data, in no wording of an attack. They are not expected to be found:',
          'provenance and policy are the answer there.',
          '',
          ...indirect,
        ]
      : []),
    'Harmless texts:',
    '',
    ...harmlessTable(result),
    ...detectors(result),
    ...more,
  ];
  const strip = ({ curve: _, ...rest }: DetectorResult) => rest;
  const data = { ...result, ours: strip(result.ours), peers: result.peers.map(strip) };
  return { title: result.scanner, lines, data };
}

/** The sets by use, with the package, version and licence that each comes from. */
export function setsPart(
  sets: readonly TextSet[],
  sizes: ReadonlyMap<TextSet, number>,
): ReportPart {
  const rows = sets.map((set) => {
    const { name, version, licence } = packageNamed(set.package);
    const use = { train: 'trained on', calibrate: 'calibrated on', test: 'judged on' }[set.use];
    const texts = String(sizes.get(set) ?? 0);
    return [set.name, `${name} ${version}`, licence, set.scanner, set.label, texts, use];
  });
  const head = ['set', 'package', 'licence as stated', 'scanner', 'label', 'texts', 'use'];
  return {
    title: 'Sets',
    lines: [
      'Whole sets are held out. A training text that is nearly a held-out one (half of its runs of four',
      'words in common, or four fifths of the held-out text within it) is left out of training. Texts of',
      'our own (`scripts/guard/phrases*.yaml`) are only trained on. No text of any set is in the repository.',
      '',
      ...table(head, rows),
    ],
    data: rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]]))),
  };
}
