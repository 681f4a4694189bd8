// Compiles keywords to one automaton that finds all of them, overlapping, in one pass (Aho and Corasick, 1975).

/** The classes of bytes, the states and what is found in them; state 0 is where a text begins. */
export interface Automaton {
  /** The class of each byte; letters of ASCII have one class in both cases. */
  classes: Uint8Array;
  classCount: number;
  /** For each state and class the next state. */
  next: number[][];
  /** For each state but the first another, earlier in `order`, that mostly goes on to the same states. */
  like: number[];
  /** All states, the first one first. */
  order: number[];
  /** For each state the numbers of the keywords that end there. */
  found: number[][];
  /** For each state how far back may begin what a keyword shows that has not ended. */
  back: number[];
}

// Letters beyond ASCII that differ in case only from s and k: U+017F and U+212A.
const LONG_S = [0xc5, 0xbf];
const KELVIN = [0xe2, 0x84, 0xaa];

/** A keyword as it is looked for: UTF-8, the letters of ASCII small. */
export function keywordBytes(keyword: string): Uint8Array {
  return new TextEncoder().encode(keyword.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
}

/**
 * The automaton of the keywords (see `keywordBytes`; none may hold U+017F or U+212A). It reads s and k where these
 * stand, as case-insensitive patterns do. `reaches` tells for each keyword how many bytes before its end begins what
 * it shows.
 */
export function buildAutomaton(
  keywords: readonly Uint8Array[],
  reaches: readonly number[] = [],
): Automaton {
  const { classes, classCount } = classesOf(keywords);
  const trie = buildTrie(keywords, reaches, classes, classCount);
  const automaton = { classes, classCount, ...trie };
  if (keywords.some((keyword) => keyword.includes(0x73) || keyword.includes(0x6b))) {
    addFolded(automaton);
  }
  return automaton;
}

/** Class 0 is all that stands in no keyword. */
function classesOf(keywords: readonly Uint8Array[]): { classes: Uint8Array; classCount: number } {
  const classes = new Uint8Array(256);
  let classCount = 1;
  const used = new Set(keywords.flatMap((keyword) => [...keyword]));
  if (used.has(0x73)) for (const byte of LONG_S) used.add(byte);
  if (used.has(0x6b)) for (const byte of KELVIN) used.add(byte);
  for (const byte of [...used].sort((a, b) => a - b)) {
    classes[byte] = classCount;
    if (byte >= 0x61 && byte <= 0x7a) classes[byte - 0x20] = classCount;
    classCount++;
  }
  return { classes, classCount };
}

function buildTrie(
  keywords: readonly Uint8Array[],
  reaches: readonly number[],
  classes: Uint8Array,
  classCount: number,
): Pick<Automaton, 'next' | 'like' | 'order' | 'found' | 'back'> {
  const edges: Map<number, number>[] = [new Map()];
  const found: number[][] = [[]];
  const back = [0];
  keywords.forEach((keyword, number) => {
    let state = 0;
    const reach = reaches[number] ?? 0;
    back[0] = Math.max(back[0]!, reach - keyword.length);
    keyword.forEach((byte, index) => {
      const known = edges[state]!.get(classes[byte]!);
      const target = known ?? edges.push(new Map()) - 1;
      if (known === undefined) {
        edges[state]!.set(classes[byte]!, target);
        found.push([]);
        back.push(0);
      }
      state = target;
      back[state] = Math.max(back[state]!, reach - (keyword.length - index - 1));
    });
    found[state]!.push(number);
  });
  const next = edges.map(() => new Array<number>(classCount).fill(0));
  const fallback = new Array<number>(edges.length).fill(0);
  const queue = [0];
  for (const state of queue) {
    const behind = next[fallback[state]!]!;
    for (let letter = 0; letter < classCount; letter++) {
      const target = edges[state]!.get(letter);
      // Of the start itself there is nothing to fall back to.
      const other = state === 0 ? 0 : behind[letter]!;
      next[state]![letter] = target ?? other;
      if (target === undefined) continue;
      fallback[target] = other;
      queue.push(target);
      found[target]!.push(...found[other]!);
      back[target] = Math.max(back[target]!, back[other]!);
    }
  }
  return { next, like: fallback, order: queue, found, back };
}

/** Adds the states in the midst of U+017F and U+212A, behind which it goes on as behind s and k. */
function addFolded(automaton: Automaton): void {
  const { classes } = automaton;
  const plain = automaton.next.length;
  const pending = new Map<string, number>();
  const step = (state: number, byte: number) => automaton.next[state]![classes[byte]!]!;
  /** The state in which the bytes of `letter` from `index` on lead to `target`, and others on from `state`. */
  const waiting = (letter: readonly number[], index: number, target: number, state: number) => {
    const key = `${letter.length},${index},${target},${state}`;
    const known = pending.get(key);
    if (known !== undefined) return known;
    const row = [...automaton.next[state]!];
    const number = automaton.next.push(row) - 1;
    automaton.like.push(state);
    automaton.order.push(number);
    pending.set(key, number);
    automaton.found.push([...automaton.found[state]!]);
    automaton.back.push(Math.max(automaton.back[state]!, automaton.back[target]!));
    const byte = letter[index]!;
    const isLast = index === letter.length - 1;
    row[classes[byte]!] = isLast ? target : waiting(letter, index + 1, target, step(state, byte));
    return number;
  };
  for (const [letter, small] of [
    [LONG_S, 0x73],
    [KELVIN, 0x6b],
  ] as const) {
    if (classes[small] === 0) continue;
    const behind = automaton.next.slice(0, plain).map((_, state) => {
      return { state, target: step(state, small), other: step(state, letter[0]!) };
    });
    for (const { state, target, other } of behind) {
      if (target !== 0)
        automaton.next[state]![classes[letter[0]!]!] = waiting(letter, 1, target, other);
    }
  }
}
