// Turns the expressions of the phone metadata (digits, classes, alternatives, bounded repeats) into automata over digits.

/** A place in an automaton: where each digit leads, and where one gets without reading. */
interface Place {
  digits: number;
  next: number;
  free: number[];
}

/** An automaton with one end; place 0 is its beginning. */
export interface DigitAutomaton {
  places: Place[];
  end: number;
}

const ALL = 0x3ff;

/** Reads one expression of the metadata. Throws on syntax that the metadata has not had so far. */
export function digitAutomaton(expression: string): DigitAutomaton {
  const places: Place[] = [];
  let at = 0;

  function place(): number {
    places.push({ digits: 0, next: -1, free: [] });
    return places.length - 1;
  }

  function alternatives(from: number): number {
    const end = place();
    do {
      const start = place();
      places[from]!.free.push(start);
      places[sequence(start)]!.free.push(end);
    } while (expression[at] === '|' && at++ >= 0);
    return end;
  }

  function sequence(from: number): number {
    let here = from;
    while (at < expression.length && expression[at] !== '|' && expression[at] !== ')') {
      here = repeated(here);
    }
    return here;
  }

  /** One item with its repeat: the item is read again for each time that it may stand. */
  function repeated(from: number): number {
    const begin = at;
    let here = item(from);
    const [least, most] = repeat();
    const after = at;
    if (least === 0) places[from]!.free.push(here);
    for (let times = 1; times < most; times++) {
      at = begin;
      const last = here;
      here = item(last);
      if (times >= least) places[last]!.free.push(here);
    }
    at = after;
    return here;
  }

  function repeat(): [number, number] {
    if (expression[at] === '?') {
      at++;
      return [0, 1];
    }
    if (expression[at] !== '{') return [1, 1];
    const close = expression.indexOf('}', at);
    const [least, most] = expression
      .slice(at + 1, close)
      .split(',')
      .map(Number);
    at = close + 1;
    return [least!, most ?? least!];
  }

  function item(from: number): number {
    if (expression.startsWith('(?:', at)) {
      at += 3;
      const end = alternatives(from);
      if (expression[at++] !== ')') throw new Error(`no ) in ${expression}`);
      return end;
    }
    const to = place();
    places[from]!.free.push(to);
    const next = place();
    places[to]!.digits = digits();
    places[to]!.next = next;
    return next;
  }

  /** The digits that one item stands for, a bit each. */
  function digits(): number {
    const first = expression[at++];
    if (first === '\\' && expression[at] === 'd') {
      at++;
      return ALL;
    }
    if (first === '[') return digitClass();
    if (first === undefined || first < '0' || first > '9') {
      throw new Error(`${first} at ${at} of ${expression}`);
    }
    return 1 << Number(first);
  }

  function digitClass(): number {
    let set = 0;
    while (expression[at] !== ']') {
      const from = Number(expression[at++]);
      const isRange = expression[at] === '-';
      const to = isRange ? Number(expression[at + 1]) : from;
      if (isRange) at += 2;
      for (let digit = from; digit <= to; digit++) set |= 1 << digit;
    }
    at++;
    return set;
  }

  const start = place();
  const end = alternatives(start);
  if (at !== expression.length) throw new Error(`rest at ${at} of ${expression}`);
  return { places, end };
}

/** The places that are reached from `from` without reading, sorted. */
export function closure({ places }: DigitAutomaton, from: readonly number[]): number[] {
  const seen = new Set(from);
  const open = [...from];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    for (const next of places[here]!.free) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  // Only the places that read, and the end, tell states apart.
  return [...seen]
    .filter((p) => places[p]!.digits !== 0 || places[p]!.free.length === 0)
    .sort((a, b) => a - b);
}

/** The places after reading `digit` in any of the places `from`. */
export function step(automaton: DigitAutomaton, from: readonly number[], digit: number): number[] {
  const { places } = automaton;
  const next = from.filter((p) => (places[p]!.digits >> digit) & 1).map((p) => places[p]!.next);
  return closure(automaton, next);
}
