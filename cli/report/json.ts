// The report for programs: one JSON document, which docs/audit-report.schema.json describes.
import type { AuditReport } from '../../runtime/evidence/audit/audit.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { type AuditFacts, verdictOf } from './model.ts';

export const REPORT_SCHEMA = 'platform/audit-report/v1';

/** Everything that the audit found, and how it was done; members as docs/auditor.md lists them. */
export function reportDocument(report: AuditReport, facts: AuditFacts): JsonObject {
  const { log, origin, rows, checkpoints, tailBytes, rowVerdicts, decisionVerdicts } = report;
  const { firstTime, lastTime, boundaries, rules, controls, gaps } = report;
  const document = {
    ...{ schema: REPORT_SCHEMA, verdict: verdictOf(report), log, origin, rows, checkpoints },
    ...{ root: report.root ?? null, tail_bytes: tailBytes },
    ...{ row_verdicts: rowVerdicts, decision_verdicts: decisionVerdicts },
    ...{ open_intents: report.openIntents, diverged_count: report.divergedCount },
    diverged: report.diverged.map(({ decisionId, module, ...finding }) => ({
      ...finding,
      module: module ?? null,
      decision_id: decisionId ?? null,
    })),
    undetermined: Object.fromEntries(report.undetermined),
    ...{ checkpoint_damage: report.checkpointDamage ?? null, tampered: report.tampered ?? null },
    ...{ first_time: firstTime ?? null, last_time: lastTime ?? null },
    timeline_width_ms: report.timelineWidthMs,
    timeline: report.timeline.map(({ start, byBoundary, diverged, undetermined }) => ({
      ...{ start, by_boundary: byBoundary, diverged, undetermined },
    })),
    ...{ boundaries, rules, controls, gaps, rows_after_kept: report.rowsAfterKept },
    ...{ intents_not_followed: report.intentsNotFollowed, vouched: report.isVouched },
    complete: completeOf(report),
    ...methodOf(facts),
  };
  return document as unknown as JsonObject;
}

function completeOf({ complete }: AuditReport): JsonValue {
  if (complete === undefined) return null;
  return { rows: complete.rows, time: complete.time ?? null, by: complete.by };
}

function methodOf({ exported, ...facts }: AuditFacts): Record<string, JsonValue> {
  const { madeAt, seconds, logKeys, bundleKeys, keptCheckpoints, openings } = facts;
  const { isSigned, ...manifest } = exported ?? { isSigned: false };
  return {
    made_at: madeAt.toISOString(),
    seconds: Math.round(seconds * 1000) / 1000,
    export:
      exported === undefined ? null : ({ ...manifest, signed: isSigned } as unknown as JsonObject),
    keys: {
      log: { keys: logKeys.texts, source: logKeys.source },
      bundles: { ids: bundleKeys.ids, source: bundleKeys.source },
    },
    kept_checkpoints: keptCheckpoints,
    openings,
  };
}
