// Leaves out of a canonical JSON input what a policy cannot read, so that its module need not parse it.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

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
  return (input, target, at) => {
    if (input[0] !== OPEN_OBJECT) return -1;
    const scanner = new Scanner(input, target, at);
    const end = scanner.object(0, members);
    return end === input.length ? scanner.written() : -1;
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

/** One pass over one input; every method returns the position after what it read, or -1. */
class Scanner {
  readonly #input: Uint8Array;
  readonly #target: Uint8Array;
  readonly #start: number;
  #at: number;

  constructor(input: Uint8Array, target: Uint8Array, at: number) {
    this.#input = input;
    this.#target = target;
    this.#start = at;
    this.#at = at;
  }

  written(): number {
    return this.#at - this.#start;
  }

  object(from: number, members: Node[]): number {
    const input = this.#input;
    this.#target[this.#at++] = OPEN_OBJECT;
    let kept = false;
    let position = from + 1;
    if (input[position] === CLOSE_OBJECT) {
      this.#target[this.#at++] = CLOSE_OBJECT;
      return position + 1;
    }
    for (;;) {
      const key = position;
      if (input[key] !== QUOTE) return -1;
      position = key + 1;
      while (input[position] !== QUOTE) {
        if (input[position] === BACKSLASH || position >= input.length) return -1;
        position++;
      }
      const node = this.#find(members, key + 1, position);
      if (input[++position] !== COLON) return -1;
      position++;
      if (node === undefined) {
        position = this.#skip(position);
      } else {
        if (kept) this.#target[this.#at++] = COMMA;
        kept = true;
        this.#copy(key, position);
        position = this.#member(node, position);
      }
      if (position < 0) return -1;
      const next = input[position++];
      if (next === CLOSE_OBJECT) break;
      if (next !== COMMA) return -1;
    }
    this.#target[this.#at++] = CLOSE_OBJECT;
    return position;
  }

  #member(node: Node, position: number): number {
    if (node.members !== undefined && this.#input[position] === OPEN_OBJECT) {
      return this.object(position, node.members);
    }
    const end = this.#skip(position);
    if (end > 0) this.#copy(position, end);
    return end;
  }

  #find(members: Node[], start: number, end: number): Node | undefined {
    const input = this.#input;
    const length = end - start;
    search: for (const node of members) {
      const name = node.name;
      if (name.length !== length) continue;
      for (let index = 0; index < length; index++) {
        if (name[index] !== input[start + index]) continue search;
      }
      return node;
    }
    return undefined;
  }

  #copy(start: number, end: number): void {
    const input = this.#input;
    const target = this.#target;
    if (end - start > 64) {
      target.set(input.subarray(start, end), this.#at);
      this.#at += end - start;
      return;
    }
    let at = this.#at;
    for (let index = start; index < end; index++) target[at++] = input[index]!;
    this.#at = at;
  }

  #skip(from: number): number {
    const input = this.#input;
    let position = from;
    let depth = 0;
    do {
      const byte = input[position];
      if (byte === QUOTE) {
        position = this.#string(position);
        if (position < 0) return -1;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        depth++;
        position++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth--;
        position++;
      } else if (byte === undefined) {
        return -1;
      } else {
        position = depth > 0 ? position + 1 : this.#scalar(position);
      }
    } while (depth > 0);
    return depth < 0 || position === from ? -1 : position;
  }

  /** A number or a literal name: it ends before a comma or a closing bracket. */
  #scalar(from: number): number {
    const input = this.#input;
    let position = from;
    for (; position < input.length; position++) {
      const byte = input[position];
      if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) break;
    }
    return position;
  }

  #string(from: number): number {
    const input = this.#input;
    let position = from + 1;
    for (;;) {
      const byte = input[position];
      if (byte === QUOTE) return position + 1;
      if (byte === undefined) return -1;
      position += byte === BACKSLASH ? 2 : 1;
    }
  }
}
