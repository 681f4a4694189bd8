// Guards with rules of a test, and what they find.
import { Guard, type GuardOptions, type GuardResult } from '../../../runtime/modules/guard.ts';
import { compileGuard } from '../compiler/link.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const options: GuardOptions = { direction: 'input', scanners: ['Secrets'] };

/** A finding: its kind, and where it starts and ends in bytes. */
export type Found = [kind: string, start: number, end: number];

/** The shipped guard with these rules (YAML) in place of its own. */
export function guardOf(rules: string): Guard {
  return Guard.create(compileGuard([{ file: 'test.yaml', text: rules }], { shipped: false }));
}

/** All that the guard finds in a text, by place; undefined when it is more than an answer holds. */
export function findIn(guard: Guard, text: string): Found[] | undefined {
  const result = guard.scan({ ...options, text });
  return result.truncated ? undefined : foundOf(result);
}

/** What the guard finds in a text that comes in pieces, and how many bytes it held back after each. */
export function findInPieces(guard: Guard, pieces: readonly string[]) {
  const stream = guard.stream(options);
  const found: Found[] = [];
  const held: number[] = [];
  let bytes = 0;
  let released = 0;
  pieces.forEach((piece, index) => {
    bytes += encoder.encode(piece).length;
    const result = stream.push(piece, index === pieces.length - 1);
    for (const [kind, start, end] of foundOf(result)) {
      if (start < released) throw new Error(`${kind} at ${start}, but ${released} were released`);
      found.push([kind, start, end]);
    }
    released = result.released;
    held.push(bytes - released);
  });
  return { found: found.sort(byPlace), held };
}

function foundOf({ findings }: GuardResult): Found[] {
  return findings.map(({ kind, start, end }): Found => [kind, start, end]).sort(byPlace);
}

export function byPlace(a: Found, b: Found): number {
  return a[1] - b[1] || a[2] - b[2] || (a[0] < b[0] ? -1 : Number(a[0] > b[0]));
}

/** The text of a finding. */
export function textOf(text: string, [, start, end]: Found): string {
  return decoder.decode(encoder.encode(text).subarray(start, end));
}
