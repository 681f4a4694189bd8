// Some rows of a log as text, each with the proof that it is in the log (C2SP tlog-proof).
import { EvidenceError } from '../../errors.ts';
import type { ByteSource } from '../frame.ts';
import { decodeBase64 } from '../note.ts';
import type { RowContent } from '../row.ts';
import type { Selection } from './manifest.ts';

export const SELECTION = 'selection/rows';
export const PROOF_HEADER = 'c2sp.org/tlog-proof@v1';
/** As much as the record module reads, and the longest line that is waited for. */
const LINE_BYTES_MAX = 1 << 20;
const PATH_MAX = 53;
const READ_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/** A row with its place in the log and the hashes that lead from it to the root. */
export interface ProvedRow {
  row: Uint8Array;
  index: number;
  path: Uint8Array[];
}

/** Whether the row is of the selection, by its time and by who acted. */
export function isSelected({ time, spiffe_id }: RowContent, selection: Selection): boolean {
  const { from, to, tenant, agent } = selection;
  // Times have one spelling, so their order is that of the text.
  if (from !== undefined && time < from) return false;
  if (to !== undefined && time >= to) return false;
  if (agent !== undefined && spiffe_id !== agent) return false;
  return tenant === undefined || tenantOf(spiffe_id) === tenant;
}

/** The tenant of `spiffe://<trust domain>/agent/<tenant>/…`. */
function tenantOf(spiffeId: string): string | undefined {
  const [, , , kind, tenant] = spiffeId.split('/');
  return kind === 'agent' ? tenant : undefined;
}

/**
 * The row on a line, then `index N` and the hashes of the audit path in base64, one a line, then an
 * empty line. With the line `c2sp.org/tlog-proof@v1` before it and the checkpoint behind it, what
 * follows the row is its tlog-proof.
 */
export function encodeProved({ row, index, path }: ProvedRow): Uint8Array {
  const hashes = path.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('');
  return Buffer.concat([row, Buffer.from(`\nindex ${index}\n${hashes}\n`)]);
}

/**
 * Reads what `encodeProved` wrote, in constant memory. Throws `evidence_corrupt` for a line that is
 * something else, and for rows that are not in the order of the log: no row can stand there twice.
 */
export async function* readProved(source: ByteSource): AsyncGenerator<ProvedRow> {
  const lines = readLines(source);
  let last = -1;
  for (;;) {
    const first = await lines.next();
    if (first.done) return;
    const index = indexOf((await lines.next()).value);
    if (index === undefined) throw refuse(last, 'has no index');
    if (index === last) throw refuse(last, `is row ${index} a second time`);
    if (index < last) throw refuse(last, `is row ${index}: the rows are not in order`);
    const path: Uint8Array[] = [];
    for (;;) {
      const line = (await lines.next()).value;
      if (line === undefined) throw refuse(last, 'is cut off');
      if (line.byteLength === 0) break;
      const hash = decodeBase64(text(line));
      if (hash?.byteLength !== 32 || path.length >= PATH_MAX) throw refuse(last, 'has no proof');
      path.push(hash);
    }
    last = index;
    yield { row: first.value, index, path };
  }
}

function indexOf(line: Uint8Array | undefined): number | undefined {
  const [, digits] = /^index (0|[1-9]\d{0,15})$/.exec(text(line ?? new Uint8Array(0))) ?? [];
  const index = Number(digits);
  return digits !== undefined && Number.isSafeInteger(index) ? index : undefined;
}

async function* readLines(source: ByteSource): AsyncGenerator<Uint8Array, undefined> {
  let buffer = Buffer.alloc(0);
  let position = 0;
  for (;;) {
    let start = 0;
    for (;;) {
      const end = buffer.indexOf(NEWLINE, start);
      if (end < 0) break;
      yield buffer.subarray(start, end);
      start = end + 1;
    }
    buffer = buffer.subarray(start);
    if (buffer.byteLength > LINE_BYTES_MAX) {
      throw new EvidenceError('evidence_corrupt', 'a line of the selection is too long');
    }
    const more = await source.read(position, READ_BYTES);
    if (more.byteLength === 0) break;
    position += more.byteLength;
    buffer = Buffer.concat([buffer, more]);
  }
  if (buffer.byteLength > 0) {
    throw new EvidenceError('evidence_corrupt', 'the selection ends in the middle of a line');
  }
}

function text(line: Uint8Array): string {
  return Buffer.from(line).toString('latin1');
}

function refuse(last: number, why: string): EvidenceError {
  const where = last < 0 ? 'the first row' : `the row after row ${last}`;
  return new EvidenceError('evidence_corrupt', `in the selection ${where} ${why}`);
}
