// The text with what was found taken out of it, for callers that go on with it.
import { type RedactFinding, redact } from '../../runtime/guard/redact.ts';
import type { GuardFinding } from '../../runtime/modules/guard.ts';
import type { Scanned } from './scan.ts';

/**
 * Hidden characters are left out, secrets and personal data become `[EMAIL_1]`, one number a different value; what
 * the other scanners find is the text's meaning and stays. Empty where more was found than is listed: what is not
 * listed would stay in it.
 */
export function sanitized({ request, result }: Scanned): string {
  if (result.truncated) return '';
  const bytes = Buffer.from(request.text);
  const of = (...scanners: string[]) =>
    result.findings.filter(({ scanner }) => scanners.includes(scanner));
  const hidden = of('InvisibleText');
  const values = of('PII', 'Secrets').map((finding) => shifted(finding, hidden));
  return redact(without(bytes, hidden), values, { mode: 'redact' }).text;
}

/** What is left of the text; the findings of one scanner do not overlap. */
function without(bytes: Buffer, hidden: readonly GuardFinding[]): string {
  let text = '';
  let done = 0;
  for (const { start, end } of hidden) {
    text += bytes.toString('utf8', done, start);
    done = end;
  }
  return text + bytes.toString('utf8', done);
}

/** Where a finding is once what is hidden is gone. */
function shifted(
  { kind, start, end }: GuardFinding,
  hidden: readonly GuardFinding[],
): RedactFinding {
  const before = (offset: number) =>
    hidden.reduce(
      (bytes, gone) =>
        bytes + Math.max(0, Math.min(gone.end, offset) - Math.min(gone.start, offset)),
      0,
    );
  return { kind, start: start - before(start), end: end - before(end) };
}
