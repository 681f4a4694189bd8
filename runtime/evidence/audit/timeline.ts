// Decisions over time in a bounded number of equal parts, however long the log is.

/** How many decisions allowed and denied. */
export interface Answers {
  allowed: number;
  denied: number;
}

/** One part of the log's time. */
export interface TimelineBucket {
  /** RFC 3339, UTC, milliseconds. */
  start: string;
  byBoundary: Record<string, Answers>;
  /** Rows. */
  diverged: number;
  undetermined: number;
}

/** What is counted in one part. */
export interface Counted {
  byBoundary: Map<string, Answers>;
  diverged: number;
  undetermined: number;
}

/** The plain form of a timeline: what it takes to go on with it. */
export interface TimelineState {
  startMs: number;
  widthMs: number;
  /** By index: boundaries with their answers, diverged, undetermined. */
  buckets: [number, [string, number, number][], number, number][];
}

export const BUCKETS_MAX = 240;
/** Different boundaries that one part counts apart: a log has a few, and a forger any number. */
const BOUNDARIES_MAX = 64;
/** Under which name all are counted that come after so many. */
export const OTHER_NAMES = '(others)';
const NAME_CHARACTERS_MAX = 256;
const FIRST_WIDTH_MS = 1000;
/** Of ECMAScript. */
const TIME_MS_MIN = -8.64e15;

/**
 * What is counted under this name: itself, or for all names after the first `namesMax` one for all. The
 * beginning of a long name stands for it, so that it is the number of names that bounds the memory.
 */
export function answersOf(answers: Map<string, Answers>, name: string, namesMax: number): Answers {
  let known = answers.get(name);
  if (known !== undefined) return known;
  const short = shortName(name);
  const own = answers.has(short) || answers.size < namesMax ? short : OTHER_NAMES;
  known = answers.get(own) ?? { allowed: 0, denied: 0 };
  answers.set(own, known);
  return known;
}

/** The name, or of a long one its beginning. */
export function shortName(name: string): string {
  if (name.length <= NAME_CHARACTERS_MAX) return name;
  // By way of bytes: a part of a string would keep all of it in memory.
  return Buffer.from(`${name.slice(0, NAME_CHARACTERS_MAX)}…`).toString('utf8');
}

/** Parts of equal width; the width doubles whenever a time does not fit any more. */
export class Timeline {
  #startMs = 0;
  #widthMs = FIRST_WIDTH_MS;
  #buckets = new Map<number, Counted>();
  /** Of the part that was asked for last; no number where there is none. */
  #lastIndex = Number.NaN;
  #last: Counted | undefined;

  constructor(state?: TimelineState) {
    if (state === undefined) return;
    this.#startMs = state.startMs;
    this.#widthMs = state.widthMs;
    for (const [index, boundaries, diverged, undetermined] of state.buckets) {
      const answers = boundaries.map(
        ([name, allowed, denied]) => [name, { allowed, denied }] as const,
      );
      this.#buckets.set(index, { byBoundary: new Map(answers), diverged, undetermined });
    }
  }

  /** Milliseconds that each part takes. */
  get widthMs(): number {
    return this.#widthMs;
  }

  /** Where to count the answers at a boundary at this time, in milliseconds since 1970. */
  answers(timeMs: number, boundary: string): Answers {
    return answersOf(this.at(timeMs).byBoundary, boundary, BOUNDARIES_MAX);
  }

  /** Where to count what happened at this time, in milliseconds since 1970. */
  at(timeMs: number): Counted {
    if (this.#buckets.size === 0) this.#startMs = floorTo(timeMs, this.#widthMs);
    let index = Math.floor((timeMs - this.#startMs) / this.#widthMs);
    if (index === this.#lastIndex) return this.#last!;
    if (index < 0 || index >= BUCKETS_MAX) {
      this.#fit(timeMs);
      index = Math.floor((timeMs - this.#startMs) / this.#widthMs);
    }
    let bucket = this.#buckets.get(index);
    if (bucket === undefined) {
      bucket = { byBoundary: new Map(), diverged: 0, undetermined: 0 };
      this.#buckets.set(index, bucket);
    }
    this.#lastIndex = index;
    this.#last = bucket;
    return bucket;
  }

  /** The parts from the first to the last that has something in it, empty ones between them. */
  buckets(): TimelineBucket[] {
    const last = Math.max(-1, ...this.#buckets.keys());
    return Array.from({ length: last + 1 }, (_, index) => {
      const { byBoundary, ...rows } = this.#buckets.get(index) ?? NOTHING;
      const startMs = Math.max(this.#startMs + index * this.#widthMs, TIME_MS_MIN);
      const start = new Date(startMs).toISOString();
      return { start, byBoundary: Object.fromEntries(byBoundary), ...rows };
    });
  }

  state(): TimelineState {
    const buckets = [...this.#buckets].map(
      ([index, { byBoundary, diverged, undetermined }]): TimelineState['buckets'][number] => [
        index,
        [...byBoundary].map(([name, { allowed, denied }]) => [name, allowed, denied]),
        diverged,
        undetermined,
      ],
    );
    return { startMs: this.#startMs, widthMs: this.#widthMs, buckets };
  }

  // Rows may be older than the first one: a clock can be set back.
  #fit(timeMs: number): void {
    const [oldStart, oldWidth, old] = [this.#startMs, this.#widthMs, this.#buckets];
    const from = Math.min(oldStart, timeMs);
    const to = Math.max(oldStart + Math.max(...old.keys()) * oldWidth, timeMs);
    let width = oldWidth;
    while (to - floorTo(from, width) >= width * BUCKETS_MAX) width *= 2;
    this.#widthMs = width;
    this.#startMs = floorTo(from, width);
    this.#buckets = new Map();
    this.#lastIndex = Number.NaN;
    for (const [index, counted] of old) {
      const at = Math.floor((oldStart + index * oldWidth - this.#startMs) / width);
      const into = this.#buckets.get(at);
      if (into === undefined) this.#buckets.set(at, counted);
      else merge(into, counted);
    }
  }
}

const NOTHING: Counted = { byBoundary: new Map(), diverged: 0, undetermined: 0 };

function merge(into: Counted, from: Counted): void {
  into.diverged += from.diverged;
  into.undetermined += from.undetermined;
  for (const [name, { allowed, denied }] of from.byBoundary) {
    const answers = answersOf(into.byBoundary, name, BOUNDARIES_MAX);
    answers.allowed += allowed;
    answers.denied += denied;
  }
}

function floorTo(timeMs: number, widthMs: number): number {
  return Math.floor(timeMs / widthMs) * widthMs;
}
