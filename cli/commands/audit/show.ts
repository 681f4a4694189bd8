// `platform audit show`: the last rows of the evidence, for people.
import Table from 'cli-table3';
import pc from 'picocolors';
import { decodeRow, type RowContent } from '../../../runtime/evidence/row.ts';
import { isJsonObject } from '../../../runtime/json.ts';
import type { StateFolder } from '../../state-folder.ts';
import { readGroups } from './rows.ts';

/** Prints the last `limit` rows, oldest first. */
export async function showRows(
  state: StateFolder,
  limit: number,
  asJson: boolean,
): Promise<number> {
  let last: Uint8Array[] = [];
  for await (const { rows } of readGroups(state)) {
    last.push(...rows);
    if (last.length > limit * 2 + 1024) last = last.slice(-limit);
  }
  const shown = limit === 0 ? [] : last.slice(-limit);
  if (asJson) {
    for (const bytes of shown) process.stdout.write(`${Buffer.from(bytes).toString('utf8')}\n`);
    return 0;
  }
  process.stdout.write(shown.length === 0 ? 'no rows yet\n' : `${table(shown.map(decodeRow))}\n`);
  return 0;
}

function table(rows: RowContent[]): string {
  const output = new Table({
    head: ['row', 'time', 'agent', 'boundary', 'subject', 'verdict', 'rule', 'decision'],
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) {
    output.push([
      row.sequence,
      row.time,
      printable(row.spiffe_id.replace(/^spiffe:\/\/[^/]*\/(agent\/)?/, '')),
      printable(row.boundary),
      printable(subjectOf(row)),
      verdictOf(row),
      printable(ruleOf(row)),
      row.decisions.map(({ id }) => printable(id.slice(0, 12))).join('\n'),
    ]);
  }
  return output.toString();
}

function subjectOf({ subject }: RowContent): string {
  return Object.values(subject)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' ');
}

function verdictOf({ kind, outcome, reason }: RowContent): string {
  if (kind === 'intent') return pc.green('allowed');
  if (kind === 'denial') return pc.red(`denied ${printable(reason?.code ?? '')}`.trim());
  if (kind === 'outcome') return printable(`outcome ${outcome ?? ''}`);
  return printable(`event ${reason?.code ?? outcome ?? ''}`.trim());
}

function ruleOf({ decisions }: RowContent): string {
  const rules = decisions.map(({ output }) => (isJsonObject(output) ? output.rule : undefined));
  return rules.filter((rule) => typeof rule === 'string').join(' ');
}

// What agents and tools are called comes from outside: nothing of it may steer the terminal.
function printable(text: string): string {
  const safe = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
  return safe.length > 80 ? `${safe.slice(0, 79)}…` : safe;
}
