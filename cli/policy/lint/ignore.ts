// Comments that take a finding back: `# lint: ignore <rule> <why>`.
import { at, type LintFinding, type Source } from './finding.ts';

interface Ignore {
  source: Source;
  row: number;
  rule: string;
  why: string;
  /** The rows that it speaks of: its own, and the next one that is no comment. */
  rows: number[];
  used: boolean;
}

/** Removes what is ignored, and reports comments without a reason or without a use. */
export function applyIgnores(
  findings: readonly LintFinding[],
  linted: readonly Source[],
  ids: readonly string[],
): LintFinding[] {
  const ignores = linted.flatMap(ignoresOf);
  const left = findings.filter(({ file, row, code }) => {
    const ignore = ignores.find(
      (one) =>
        one.source.path === file &&
        one.rule === code &&
        one.why !== '' &&
        one.rows.includes(row ?? 1),
    );
    if (ignore !== undefined) ignore.used = true;
    return ignore === undefined;
  });
  const wrong = ignores.flatMap((ignore) => {
    const message = complaint(ignore, ids);
    if (message === undefined) return [];
    const location = { file: ignore.source.path, row: ignore.row, col: 1 };
    const hint = 'write `# lint: ignore RULE and why it does not apply here` above the line';
    return [at(ignore.source, location, { code: 'ignore', message, hint })];
  });
  return [...left, ...wrong];
}

function complaint({ rule, why, used }: Ignore, ids: readonly string[]): string | undefined {
  if (!ids.includes(rule)) return `there is no rule ${rule} to ignore`;
  if (why === '') return `this ignores ${rule} without saying why`;
  return used ? undefined : `there is nothing to ignore by ${rule} here`;
}

function ignoresOf(source: Source): Ignore[] {
  const lines = source.content.split('\n');
  return (source.module.comments ?? []).flatMap(({ text, location }) => {
    const words = text.trim().split(/\s+/);
    if (words[0] !== 'lint:' || words[1] !== 'ignore') return [];
    const next = lines.findIndex(
      (line, index) => index >= location.row && line.trim() !== '' && !line.trim().startsWith('#'),
    );
    const rows = next < 0 ? [location.row] : [location.row, next + 1];
    const [rule = '', ...why] = words.slice(2);
    return [{ source, row: location.row, rule, why: why.join(' '), rows, used: false }];
  });
}
