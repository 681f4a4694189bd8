// Leaves out of a canonical JSON input what a policy cannot read, so that its module need not parse it.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** Up to here a loop copies faster than the call of a native copy. */
const COPY_LOOP_BYTES = 64;
/** Longer strings are searched for their end by a native call. */
const SCAN_LOOP_BYTES = 48;

/** A member that is read: whole when `members` is undefined, otherwise only the members below. */
interface Node {
  name: Uint8Array;
  members: Node[] | undefined;
}

/** Writes the parts of `input` that are read to `target` at `at`; returns the length, or -1. */
export type Projection = (input: Uint8Array, target: Uint8Array, at: number) => number;

/**
 * Makes the projection for a list of JSON Pointers (RFC 6901), or returns undefined when the list
 * covers the whole input. The projection takes canonical JSON (RFC 8785); anything else that it
 * notices, such as an escaped key, makes it return -1, and then the whole input must be used.
 */
export function createProjection(pointers: readonly string[]): Projection | undefined {
  const root: Node = { name: new Uint8Array(0), members: [] };
  for (const pointer of pointers) insert(root, pointer.split('/').slice(1).map(unescaped));
  const members = root.members;
  if (members === undefined) return undefined;
  const scanner = new Scanner();
  return (input, target, at) => {
    if (input[0] !== OPEN_OBJECT) return -1;
    scanner.input = input;
    scanner.target = target;
    scanner.at = at;
    return scanner.object(0, members) === input.length ? scanner.at - at : -1;
  };
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function insert(node: Node, path: string[]): void {
  const [first, ...rest] = path;
  if (first === undefined) {
    node.members = undefined;
    return;
  }
  if (node.members === undefined) return;
  const name = new TextEncoder().encode(first);
  let child = node.members.find((member) => Buffer.compare(member.name, name) === 0);
  if (child === undefined) {
    child = { name, members: [] };
    node.members.push(child);
  }
  insert(child, rest);
}

/** One pass over one input. Plain fields and loops: this runs before every decision. */
class Scanner {
  input: Uint8Array = new Uint8Array(0);
  target: Uint8Array = this.input;
  at = 0;

  /** Copies the object at `position` with the members that are read; returns its end, or -1. */
  object(from: number, members: readonly Node[]): number {
    const { input, target } = this;
    const { length } = input;
    target[this.at++] = OPEN_OBJECT;
    let position = from + 1;
    if (input[position] === CLOSE_OBJECT) {
      target[this.at++] = CLOSE_OBJECT;
      return position + 1;
    }
    let kept = false;
    for (;;) {
      const key = position;
      if (input[key] !== QUOTE) return -1;
      for (position = key + 1; position < length; position++) {
        const byte = input[position]!;
        if (byte === QUOTE) break;
        if (byte === BACKSLASH) return -1;
      }
      const node = find(members, input, key + 1, position);
      if (input[position + 1] !== COLON) return -1;
      const value = position + 2;
      if (node === undefined) {
        position = skip(input, value);
      } else {
        if (kept) target[this.at++] = COMMA;
        kept = true;
        if (node.members !== undefined && input[value] === OPEN_OBJECT) {
          this.copy(key, value);
          position = this.object(value, node.members);
        } else {
          position = skip(input, value);
          this.copy(key, position);
        }
      }
      if (position < 0) return -1;
      const next = input[position++];
      if (next === CLOSE_OBJECT) break;
      if (next !== COMMA) return -1;
    }
    target[this.at++] = CLOSE_OBJECT;
    return position;
  }

  copy(start: number, end: number): void {
    const { input, target } = this;
    if (end - start > COPY_LOOP_BYTES) {
      target.set(input.subarray(start, end), this.at);
      this.at += end - start;
      return;
    }
    let at = this.at;
    for (let index = start; index < end; index++) target[at++] = input[index]!;
    this.at = at;
  }
}

function find(
  members: readonly Node[],
  input: Uint8Array,
  start: number,
  end: number,
): Node | undefined {
  const length = end - start;
  search: for (const node of members) {
    const { name } = node;
    if (name.length !== length) continue;
    for (let index = 0; index < length; index++) {
      if (name[index] !== input[start + index]) continue search;
    }
    return node;
  }
  return undefined;
}

/** The position after the value at `from`, or -1. */
function skip(input: Uint8Array, from: number): number {
  const first = input[from];
  if (first === QUOTE) return skipString(input, from);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipNested(input, from);
  for (let position = from; position < input.length; position++) {
    const byte = input[position];
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      return position === from ? -1 : position;
    }
  }
  return -1;
}

function skipString(input: Uint8Array, from: number): number {
  const near = Math.min(input.length, from + SCAN_LOOP_BYTES);
  let position = from + 1;
  for (; position < near; position++) {
    const byte = input[position];
    if (byte === QUOTE) return position + 1;
    if (byte === BACKSLASH) position++;
  }
  for (;;) {
    const quote = input.indexOf(QUOTE, position);
    if (quote < 0) return -1;
    // A quote after an odd number of backslashes belongs to the string.
    let before = quote;
    while (before > position && input[before - 1] === BACKSLASH) before--;
    if ((quote - before) % 2 === 0) return quote + 1;
    position = quote + 1;
  }
}

function skipNested(input: Uint8Array, from: number): number {
  const { length } = input;
  let depth = 0;
  let position = from;
  while (position < length) {
    const byte = input[position++];
    if (byte === QUOTE) {
      position = skipString(input, position - 1);
      if (position < 0) return -1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (--depth === 0) return position;
    }
  }
  return -1;
}
