// Shows where a policy is wrong: file, line, column, the line itself, and what to do.
import pc from 'picocolors';
import { PlatformError } from '../../../runtime/errors.ts';
import type { RegoFinding } from '../../../runtime/modules/rego.ts';
import { EXIT_FAILED } from '../../failure.ts';
import { print, printJson } from './sources.ts';

/** One finding as text of a few lines; the caret stands under the column. */
export function describeFinding(finding: RegoFinding): string {
  const { file, row, column, source } = finding;
  const place = file === undefined ? '' : `${file}:${row ?? 1}:${column ?? 1}: `;
  const lines = [`${pc.bold(place)}${pc.red(finding.message)} ${pc.dim(`[${finding.code}]`)}`];
  if (source !== undefined && source !== '' && row !== undefined) {
    const number = String(row);
    lines.push(`  ${pc.dim(`${number} |`)} ${source}`);
    lines.push(`  ${' '.repeat(number.length)} ${pc.dim('|')} ${caret(source, column ?? 1)}`);
  }
  if (finding.hint !== undefined) lines.push(`  ${pc.cyan('hint:')} ${finding.hint}`);
  return lines.join('\n');
}

/** Tabs stay tabs, so that the caret stands under its character at any width of a tab. */
function caret(source: string, column: number): string {
  const before = [...source].slice(0, column - 1).join('');
  return `${before.replaceAll(/[^\t]/g, ' ')}${pc.red('^')}`;
}

/** All findings, then how many there are. */
export function describeFindings(findings: readonly RegoFinding[]): string {
  const count = `${findings.length} ${findings.length === 1 ? 'error' : 'errors'}`;
  return [...findings.map(describeFinding), count].join('\n\n');
}

/** Prints findings, as `{"ok":false,"errors":[…]}` with `json`; returns the exit code. */
export function reportFindings(errors: readonly RegoFinding[], json: boolean): number {
  if (json) printJson({ ok: false, errors });
  else print(describeFindings(errors));
  return EXIT_FAILED;
}

/** The same for an error that carries findings; any other one is thrown again. */
export function reportPolicyError(error: unknown, json: boolean): number {
  const errors = error instanceof PlatformError ? error.data.errors : undefined;
  if (!Array.isArray(errors)) throw error;
  return reportFindings(errors as RegoFinding[], json);
}
