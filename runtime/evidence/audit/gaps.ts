// What a log cannot show, in sentences for people.
import type { AuditReport } from './audit.ts';

/** The gaps of a log whose rows hold. */
export function gapsOf(report: AuditReport): string[] {
  const { checkpointDamage, openIntents, tailBytes } = report;
  const gaps = [...completenessGaps(report)];
  if (checkpointDamage !== undefined) {
    gaps.push(
      `The latest checkpoint beside the log is damaged (${checkpointDamage}): rows of the seconds before it may be missing.`,
    );
  }
  if (openIntents > 0) {
    gaps.push(
      `${openIntents} intents have no outcome in the log: what became of these actions is not known.`,
    );
  }
  if (report.intentsNotFollowed > 0) {
    gaps.push(
      `Of ${report.intentsNotFollowed} more intents it was not followed whether their outcome came, so many were open at the same time.`,
    );
  }
  if (tailBytes > 0) {
    gaps.push(
      `The last ${tailBytes} bytes are of a group of rows that was never acknowledged: what it was about had not happened yet.`,
    );
  }
  return gaps;
}

function completenessGaps({ complete, rows, rowsAfterKept }: AuditReport): string[] {
  if (complete === undefined || rows === 0) return [];
  if (complete.by === 'beside') {
    return [
      'No checkpoint was given that was kept elsewhere: rows that were cut off the end together with the checkpoints beside the log could not be seen.',
    ];
  }
  if (rowsAfterKept === 0) return [];
  const until =
    complete.rows === 0
      ? 'The newest checkpoint that was kept covers no row.'
      : `That no row is missing is proved for the first ${complete.rows}, up to ${complete.time}, by the newest checkpoint that was kept.`;
  return [
    `${until} The ${rowsAfterKept} rows after it hold, but whether more followed them and were cut off is undetermined: a newer checkpoint would tell.`,
  ];
}
