// The text with what was found taken out of it, for callers that go on with it.
import { type RedactFinding, redact } from '../../runtime/guard/redact.ts';
import type { GuardFinding, GuardResult } from '../../runtime/modules/guard.ts';
import type { Caller } from '../common/caller.ts';
import type { Judge } from './judge.ts';
import type { Scanned } from './scan.ts';

const VALUES = ['PII', 'Secrets'];

/**
 * Hidden characters are left out, secrets and personal data become `[EMAIL_1]`, one number a different value; what
 * the other scanners find is the text's meaning and stays. Empty where more was found than is listed: what is not
 * listed would stay in it. What hidden characters kept apart is looked at once more without them.
 */
export function sanitized(judge: Judge, caller: Caller, { request, result }: Scanned): string {
  if (result.truncated) return '';
  const hidden = result.findings.filter(({ scanner }) => scanner === 'InvisibleText');
  const text = without(Buffer.from(request.text), hidden);
  const values = valuesOf(result).map((finding) => shifted(finding, hidden));
  const scanners = request.scanners.filter((name) => VALUES.includes(name));
  if (hidden.length === 0 || text === '' || scanners.length === 0) return redacted(text, values);
  const { output } = judge.guard(caller, { ...request, scanners, text });
  if (!Array.isArray(output.findings) || output.truncated !== false) return '';
  return redacted(text, [...values, ...valuesOf(output as unknown as GuardResult)]);
}

function valuesOf({ findings }: GuardResult): GuardFinding[] {
  return findings.filter(({ scanner }) => VALUES.includes(scanner));
}

function redacted(text: string, values: readonly RedactFinding[]): string {
  return redact(text, values, { mode: 'redact' }).text;
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
