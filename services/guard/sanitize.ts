// The text with what was found taken out of it, for callers that go on with it.
import type { ScannerName } from '../../runtime/modules/guard.ts';
import type { Scanned } from './scan.ts';

/** Scanners whose findings are values to be taken out; what the others find is the text's meaning. */
const replaced: ReadonlySet<ScannerName> = new Set(['InvisibleText', 'PII', 'Secrets']);

/**
 * Hidden characters are left out, secrets become `******`, personal data `[REDACTED_EMAIL_1]` with one number a
 * different value. Empty where more was found than is listed: what is not listed would stay in it.
 */
export function sanitized({ request, result }: Scanned): string {
  if (result.truncated) return '';
  const bytes = Buffer.from(request.text);
  const numbers = new Map<string, number>();
  let text = '';
  let done = 0;
  for (const { scanner, kind, start, end } of result.findings) {
    if (!replaced.has(scanner) || end <= done) continue;
    if (start >= done) {
      text += bytes.toString('utf8', done, start);
      const value = `${kind} ${bytes.toString('utf8', start, end)}`;
      if (scanner === 'PII' && !numbers.has(value)) numbers.set(value, countOf(numbers, kind) + 1);
      text += placeholder(scanner, kind, numbers.get(value) ?? 0);
    }
    // One that overlaps the last is covered by its placeholder.
    done = end;
  }
  return text + bytes.toString('utf8', done);
}

function countOf(numbers: ReadonlyMap<string, number>, kind: string): number {
  return [...numbers.keys()].filter((value) => value.startsWith(`${kind} `)).length;
}

function placeholder(scanner: ScannerName, kind: string, number: number): string {
  if (scanner === 'InvisibleText') return '';
  return scanner === 'Secrets' ? '******' : `[REDACTED_${kind.toUpperCase()}_${number}]`;
}
