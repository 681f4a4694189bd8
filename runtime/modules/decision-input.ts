// Writes an input, a JavaScript value, straight into the memory of the decision module, in the layout of its
// values (wasm/engine/value.ts): no JSON text in between, and only what the policy can read.
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** What the writer needs of the module's memory, renewed whenever the memory has grown. */
export interface InputMemory {
  words: Int32Array;
  bytes: Uint8Array;
  floats: Float64Array;
  /** The module's own null, false and true. */
  null: number;
  false: number;
  true: number;
}

// Offsets and flags of wasm/engine/value.ts.
const NUMBER = 4;
const STRING = 5;
const ARRAY = 6;
const OBJECT = 7;
const SORTED = 2 << 8;
const INTEGER = 4 << 8;
const CONTAINER_BYTES = 32;
const TEXT = 12;
const NUMBER_TEXT = 20;

const DEPTH_MAX = 64;
/** Up to here a loop is faster than the call of the encoder. */
const LOOP_CHARACTERS = 48;
/** The longest text of a number. */
const NUMBER_CHARACTERS = 32;
const encoder = new TextEncoder();

/** A member that the policy reads: whole, or only the members below. */
export interface ReadMember {
  name: string;
  /** The interned key in the module. */
  key: number;
  members: ReadMember[] | undefined;
}

/**
 * The members that JSON Pointers (RFC 6901) name, those of each object in the order of their UTF-8 bytes;
 * undefined when the whole input is read. `intern` gives a key's place in the module.
 */
export function readMembers(
  pointers: readonly string[],
  intern: (name: string) => number,
): ReadMember[] | undefined {
  const root: Pick<ReadMember, 'members'> = { members: [] };
  for (const pointer of pointers) {
    let node = root;
    for (const part of pointer.split('/').slice(1)) {
      if (node.members === undefined) break;
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      let child = node.members.find((member) => member.name === name);
      if (child === undefined) {
        child = { name, key: intern(name), members: [] };
        node.members.push(child);
        node.members.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
      }
      node = child;
    }
    node.members = undefined;
  }
  return root.members;
}

/** Writes inputs; one for a module's instance. */
export class InputWriter {
  #words: Int32Array = new Int32Array(0);
  #bytes: Uint8Array = new Uint8Array(0);
  #memory: InputMemory | undefined;
  #at = 0;
  #end = 0;

  /**
   * Writes `value` between `start` (8-aligned) and `end`; returns the root's place, or 0 when it does
   * not fit or is no JSON value, and then the JSON text must be given instead.
   */
  write(
    memory: InputMemory,
    start: number,
    end: number,
    value: JsonValue,
    members: readonly ReadMember[] | undefined,
  ): number {
    this.#memory = memory;
    this.#words = memory.words;
    this.#bytes = memory.bytes;
    this.#at = start;
    this.#end = end;
    if (members !== undefined && isJsonObject(value)) return this.#members(value, members);
    return this.#value(value, 0);
  }

  /** Reserves 8-aligned bytes; 0 when there is no room. */
  #take(bytes: number): number {
    const place = this.#at;
    const next = (place + bytes + 7) & ~7;
    if (next > this.#end) return 0;
    this.#at = next;
    return place;
  }

  #value(value: JsonValue | undefined, depth: number): number {
    if (typeof value === 'string') return this.#string(value);
    if (typeof value === 'number') return this.#number(value);
    if (value === true) return this.#memory!.true;
    if (value === false) return this.#memory!.false;
    if (value === null) return this.#memory!.null;
    if (typeof value !== 'object' || depth >= DEPTH_MAX) return 0;
    if (Array.isArray(value)) return this.#array(value, depth + 1);
    return this.#object(value, depth + 1);
  }

  #string(text: string): number {
    const { length } = text;
    const start = this.#at;
    const room = this.#end - start - TEXT - 8;
    if (length > room) return 0;
    const bytes = this.#bytes;
    let at = start + TEXT;
    if (length <= LOOP_CHARACTERS) {
      for (let index = 0; index < length; index++) {
        const unit = text.charCodeAt(index);
        if (unit > 0x7f) return this.#encoded(text, room);
        bytes[at++] = unit;
      }
      return this.#stringHead(length);
    }
    return this.#encoded(text, room);
  }

  /** UTF-8 by the encoder, which would replace a lone surrogate in silence. */
  #encoded(text: string, room: number): number {
    if (text.length * 3 > room || !text.isWellFormed()) return 0;
    const place = this.#at + TEXT;
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(place, place + room));
    return this.#stringHead(written);
  }

  #stringHead(length: number): number {
    const place = this.#take(TEXT + length);
    if (place === 0) return 0;
    const word = place >> 2;
    this.#words[word] = STRING;
    this.#words[word + 1] = 0;
    this.#words[word + 2] = length;
    return place;
  }

  #number(value: number): number {
    if (Number.isSafeInteger(value)) {
      const place = this.#take(16);
      if (place === 0) return 0;
      const word = place >> 2;
      this.#words[word] = NUMBER | INTEGER;
      this.#words[word + 1] = 0;
      this.#words[word + 2] = value | 0;
      this.#words[word + 3] = Math.floor(value / 2 ** 32);
      return place;
    }
    if (!Number.isFinite(value) || Number.isInteger(value)) return 0;
    const text = String(value);
    const place = this.#take(NUMBER_TEXT + NUMBER_CHARACTERS);
    if (place === 0) return 0;
    const word = place >> 2;
    this.#words[word] = NUMBER;
    this.#words[word + 1] = 0;
    this.#memory!.floats[(place >> 3) + 1] = value;
    this.#words[word + 4] = text.length;
    for (let index = 0; index < text.length; index++) {
      this.#bytes[place + NUMBER_TEXT + index] = text.charCodeAt(index);
    }
    return place;
  }

  #container(kind: number, count: number, stride: number): number {
    const place = this.#take(CONTAINER_BYTES + count * stride);
    if (place === 0) return 0;
    const words = this.#words;
    const word = place >> 2;
    words[word] = kind;
    words[word + 1] = 0;
    words[word + 2] = count;
    words[word + 3] = count;
    words[word + 4] = place + CONTAINER_BYTES;
    words[word + 5] = 0;
    words[word + 6] = 0;
    words[word + 7] = 0;
    return place;
  }

  #array(value: readonly JsonValue[], depth: number): number {
    const place = this.#container(ARRAY, value.length, 4);
    if (place === 0) return 0;
    let slot = (place + CONTAINER_BYTES) >> 2;
    for (const element of value) {
      const written = this.#value(element, depth);
      if (written === 0) return 0;
      this.#words[slot++] = written;
    }
    return place;
  }

  #object(value: JsonObject, depth: number): number {
    const names = Object.keys(value);
    const place = this.#container(OBJECT, names.length, 8);
    if (place === 0) return 0;
    let slot = (place + CONTAINER_BYTES) >> 2;
    for (const name of names) {
      const key = this.#string(name);
      const written = this.#value(value[name], depth);
      if (key === 0 || written === 0) return 0;
      this.#words[slot++] = key;
      this.#words[slot++] = written;
    }
    return place;
  }

  /** An object of those members that are read. Its entries are sorted: the members are. */
  #members(value: JsonObject, members: readonly ReadMember[]): number {
    const place = this.#container(OBJECT | SORTED, members.length, 8);
    if (place === 0) return 0;
    let count = 0;
    let slot = (place + CONTAINER_BYTES) >> 2;
    for (const member of members) {
      if (!Object.hasOwn(value, member.name)) continue;
      const inner = value[member.name];
      const below = member.members;
      const written =
        below !== undefined && isJsonObject(inner)
          ? this.#members(inner, below)
          : this.#value(inner, 1);
      if (written === 0) return 0;
      this.#words[slot++] = member.key;
      this.#words[slot++] = written;
      count++;
    }
    this.#words[(place >> 2) + 2] = count;
    return place;
  }
}
