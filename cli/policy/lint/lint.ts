// Runs the rules over policies, and writes what is safe to fix.
import type {
  RegoCompiler,
  RegoFile,
  RegoFinding,
  RegoSources,
} from '../../../runtime/modules/rego.ts';
import { builtins } from './expressions.ts';
import { type Edit, type LintFinding, sourceOf } from './finding.ts';
import { applyIgnores } from './ignore.ts';
import { RULES } from './rules.ts';

export interface LintRun {
  /** Findings in the order of files and rows; errors of the parser come instead of them. */
  findings: LintFinding[];
  files: number;
}

/**
 * Lints the files that `isLinted` picks; the others are looked at where a rule needs them, as tests
 * are. `rules` limits which rules run.
 */
export function lint(
  compiler: RegoCompiler,
  sources: RegoSources,
  isLinted: (path: string) => boolean,
  rules: readonly string[] = RULES.map(({ id }) => id),
): LintRun {
  const parsed = compiler.parse(sources);
  if (!parsed.ok) return { findings: inOrder(parsed.errors), files: sources.files.length };
  const all = sources.files.map((file) => sourceOf(file, parsed.modules[file.path]!));
  const linted = all.filter(({ path }) => isLinted(path));
  const errors = rules.includes('builtin') ? compiler.check(sources).errors : [];
  const found = [
    ...builtins(errors, linted),
    ...RULES.filter(({ id }) => rules.includes(id)).flatMap(
      ({ check }) => check?.({ all, linted }) ?? [],
    ),
  ];
  const kept = applyIgnores(
    found,
    linted,
    RULES.map(({ id }) => id),
  );
  const wanted = kept.filter((finding) => finding.code !== 'ignore' || judges(rules));
  return { findings: inOrder(distinct(wanted)), files: linted.length };
}

/** An unused comment is known as such only when every rule ran. */
function judges(rules: readonly string[]): boolean {
  return rules.length === RULES.length;
}

function distinct(findings: readonly LintFinding[]): LintFinding[] {
  const seen = new Set<string>();
  return findings.filter(({ code, file, row, column }) => {
    const key = `${code} ${file}:${row}:${column}`;
    return !seen.has(key) && seen.add(key);
  });
}

function inOrder<T extends RegoFinding>(findings: readonly T[]): T[] {
  return [...findings].sort((a, b) => {
    if (a.file !== b.file) return (a.file ?? '') < (b.file ?? '') ? -1 : 1;
    return (a.row ?? 0) - (b.row ?? 0) || (a.column ?? 0) - (b.column ?? 0);
  });
}

/** The files that the fixes of some findings change, with their new text. */
export function fixed(files: readonly RegoFile[], findings: readonly LintFinding[]): RegoFile[] {
  const edits = findings.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
  return files.flatMap((file) => {
    const own = edits.filter((edit) => edit.file === file.path);
    return own.length === 0 ? [] : [{ ...file, content: edited(file.content, own) }];
  });
}

/** Applies edits from the end; of two that overlap, the later one waits for the next run. */
function edited(content: string, edits: readonly Edit[]): string {
  let text = content;
  let from = Number.POSITIVE_INFINITY;
  for (const edit of [...edits].sort((a, b) => b.start - a.start)) {
    if (edit.end > from) continue;
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
    from = edit.start;
  }
  return text;
}
