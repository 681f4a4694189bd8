// Scans sources one by one and says what stays of the findings once those that were looked at are left out.

import { codeOf } from '../../runtime/errors.ts';
import { thresholdOf } from '../../runtime/guard/pipeline.ts';
import { maskedPreview } from '../../runtime/guard/preview.ts';
import type { Guard, GuardFinding, GuardOptions } from '../../runtime/modules/guard.ts';
import { ALLOW_COMMENT, type Allowed, fingerprintOf, isLeftOut } from './allowed.ts';
import { Places } from './place.ts';
import { contentOf, type Source } from './sources.ts';
import { type Title, titleOf } from './titles.ts';

/** One finding as people see it; never what was found. */
export interface FileFinding {
  file: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  scanner: GuardFinding['scanner'];
  kind: string;
  title: string;
  docs?: string;
  /** 0 to 1. */
  score: number;
  threshold: number;
  preview: string;
  fingerprint: string;
}

export interface ScanReport {
  findings: FileFinding[];
  /** How many were scanned. */
  files: number;
  /** Binary files, and those that `.platform-guard.yaml` leaves out. */
  skipped: number;
  /** Findings that stay as they are. */
  allowed: number;
  /** Files with more findings than are listed. */
  truncated: string[];
  /** What could not be scanned, and why. */
  refused: { file: string; code: string; message: string }[];
}

export interface ScanPlan {
  guard: Guard;
  options: GuardOptions;
  titles: ReadonlyMap<string, Title>;
  allowed: Allowed;
  /** Told before each source, with how many were done. */
  onProgress?(done: number): void;
}

/** Scans every source; one that cannot be scanned is among `refused`, and the rest goes on. */
export function scanSources(sources: readonly Source[], plan: ScanPlan): ScanReport {
  const report: ScanReport = {
    ...{ findings: [], files: 0, skipped: 0, allowed: 0, truncated: [], refused: [] },
  };
  sources.forEach((source, done) => {
    plan.onProgress?.(done);
    if (isLeftOut(plan.allowed.paths, source.name)) report.skipped += 1;
    else scanOne(source, plan, report);
  });
  return report;
}

function scanOne(source: Source, plan: ScanPlan, report: ScanReport): void {
  const refuse = (code: string, message: string) =>
    report.refused.push({ file: source.name, code, message });
  try {
    const content = contentOf(source.read());
    if ('refused' in content) refuse('input_too_large', content.refused);
    else if ('skipped' in content) report.skipped += 1;
    else {
      report.files += 1;
      scanText(source, content.text, plan, report);
    }
  } catch (error) {
    refuse(codeOf(error), error instanceof Error ? error.message : String(error));
  }
}

function scanText(source: Source, text: string, plan: ScanPlan, report: ScanReport): void {
  const { guard, options, titles, allowed } = plan;
  const result = guard.scan({ ...options, text });
  if (result.truncated) report.truncated.push(source.name);
  if (result.findings.length === 0) return;
  const bytes = Buffer.from(text);
  const places = new Places(bytes);
  for (const { scanner, kind, score, start, end } of result.findings) {
    const { line, column } = places.of(start);
    const last = places.of(end);
    if (source.isCounted?.(line, last.line) === false) continue;
    const value = bytes.toString('utf8', start, end);
    const fingerprint = fingerprintOf(source.name, kind, value);
    if (allowed.fingerprints.has(fingerprint) || places.line(line).includes(ALLOW_COMMENT)) {
      report.allowed += 1;
      continue;
    }
    report.findings.push({
      ...{ file: source.name, line, column, end_line: last.line, end_column: last.column },
      ...{ scanner, kind, ...titleOf(titles, kind), score: score / 1000 },
      threshold: thresholdOf(scanner, options.thresholds) / 1000,
      ...{ preview: maskedPreview(scanner, value), fingerprint },
    });
  }
}
