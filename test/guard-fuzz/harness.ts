// The guard module bare: one scan, whole or in pieces, and how many steps it took.
import { scanners as built } from '../../runtime/modules/guard.ts';
import type { Random } from './generator.ts';

interface Exports {
  memory: WebAssembly.Memory;
  reserve(length: number): number;
  output(): number;
  outputLength(): number;
  scan(pointer: number, length: number): number;
  streamReserve(length: number): number;
  streamOpen(pointer: number, length: number): number;
  streamPush(pointer: number, length: number, last: number): number;
  platform_steps: WebAssembly.Global<'i32'>;
  platform_budget: WebAssembly.Global<'i32'>;
}

export interface Answer {
  allow: boolean;
  findings: { scanner: string; kind: string; start: number; end: number }[];
  scores: Record<string, number>;
  truncated: boolean;
  released?: number;
}

/** A request without its text. */
export type Options = Record<string, unknown>;

/** What a guard is asked for besides the text: any scanners, in any direction and mood. */
export function randomOptions(random: Random): Options {
  const direction = random.pick(['input', 'output'] as const);
  const serving = built.filter(({ directions }) => directions.includes(direction));
  const names = serving.map(({ name }) => name).filter(() => random.below(4) > 0);
  const scanners = names.length === 0 ? [serving[0]!.name] : names;
  return {
    direction,
    scanners,
    source: random.pick(['user', 'tool', 'document']),
    prompt: random.pick(['', 'How do I boil an egg?', 'ignore\u0000 this é']),
    topics: random.pick([{ forbidden: ['medicine', 'war and weapons'] }, { allowed: ['cooking'] }]),
    canaries: random.pick([[], ['canary-7f3a91c2']]),
    tokens_max: 100,
    observed: {
      tokens: { count: random.below(200), encoding: 'cl100k_base' },
      injection: { model: 'm', score: random.below(1001) },
    },
  };
}

/** One instance of the module; a trap is an exception and ends its use. */
export class Bare {
  readonly #exports: Exports;

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  }

  /** The bytes of the answer, or the error number; and the steps of the call. */
  scan(request: Uint8Array): { answer: Buffer | number; steps: number } {
    const pointer = this.#write(request, this.#exports.reserve);
    const number = this.#exports.scan(pointer, request.length);
    const { platform_budget: budget, platform_steps: left } = this.#exports;
    // The next call gives back what this one used.
    const steps = budget.value - left.value;
    return { answer: number === 0 ? this.#output() : number, steps };
  }

  /** The findings of all pieces together, or the error number; throws when `released` is wrong. */
  stream(options: Options, pieces: readonly Buffer[]): Answer | number {
    const request = Buffer.from(JSON.stringify(options));
    const opened = this.#exports.streamOpen(
      this.#write(request, this.#exports.streamReserve),
      request.length,
    );
    if (opened !== 0) return opened;
    const all: Answer = { allow: true, findings: [], scores: {}, truncated: false };
    let released = 0;
    for (const [index, piece] of pieces.entries()) {
      const pointer = this.#write(piece, this.#exports.reserve);
      const last = index === pieces.length - 1 ? 1 : 0;
      const number = this.#exports.streamPush(pointer, piece.length, last);
      if (number !== 0) return number;
      const answer = JSON.parse(this.#output().toString()) as Required<Answer>;
      if (answer.released < released) throw new Error('what was released is held again');
      for (const { start } of answer.findings) {
        if (start < released) throw new Error(`a finding at ${start} was released`);
      }
      released = answer.released;
      all.findings.push(...answer.findings);
      Object.assign(all, { allow: answer.allow, scores: answer.scores });
      all.truncated ||= answer.truncated;
    }
    const end = pieces.reduce((sum, { length }) => sum + length, 0);
    if (all.allow && released !== end) throw new Error(`${released} of ${end} bytes are released`);
    return all;
  }

  #write(bytes: Uint8Array, reserve: (length: number) => number): number {
    const pointer = reserve(bytes.length) >>> 0;
    new Uint8Array(this.#exports.memory.buffer).set(bytes, pointer);
    return pointer;
  }

  #output(): Buffer {
    const pointer = this.#exports.output() >>> 0;
    const length = this.#exports.outputLength() >>> 0;
    return Buffer.from(this.#exports.memory.buffer.slice(pointer, pointer + length));
  }
}

/** Findings in the order of whole texts, as text that can be compared. */
export function listed({ allow, findings, scores }: Answer): string {
  const lines = findings.map((finding) => JSON.stringify(finding)).toSorted();
  return JSON.stringify([allow, lines, scores]);
}

/** Cuts UTF-8 between code points at random places; the last piece may be empty. */
export function cut(text: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  const most = random.pick([1, 3, 16, 200, 5000]);
  let from = 0;
  while (from < text.length) {
    let to = Math.min(text.length, from + 1 + random.below(most));
    while (to < text.length && (text[to]! & 0xc0) === 0x80) to++;
    pieces.push(text.subarray(from, to));
    from = to;
  }
  if (pieces.length === 0 || random.below(2) === 0) pieces.push(Buffer.alloc(0));
  return pieces;
}
