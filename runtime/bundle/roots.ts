// Finds the names at the top of a JSON object without reading the rest of it into JavaScript.
import { setImmediate } from 'node:timers/promises';
import { BundleError } from '../errors.ts';

/** How much is looked at before the event loop turns: about a millisecond. */
const PIECE_BYTES = 512 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/**
 * The names of the members of a JSON object, in their order. Whoever reads the members finds out whether they
 * are JSON: here the text only has to end where its first brace is closed.
 * @throws BundleError `bundle_truncated` for a text that does not
 */
export async function topLevelNames(json: Uint8Array): Promise<string[]> {
  const scan = new Scan(json);
  while (scan.next(PIECE_BYTES)) await setImmediate();
  return scan.names;
}

class Scan {
  readonly names: string[] = [];
  readonly #json: Uint8Array;
  #at: number;
  #depth = 0;
  /** Whether a string at hand would be a name: behind the first brace, and behind each comma at its depth. */
  #atName = false;

  constructor(json: Uint8Array) {
    this.#json = json;
    this.#at = afterSpace(json, 0);
    if (json[this.#at] !== 0x7b) throw unreadable();
  }

  /** Looks at so many bytes; false at the end of the object. */
  next(bytes: number): boolean {
    const json = this.#json;
    const until = Math.min(json.length, this.#at + bytes);
    let at = this.#at;
    let depth = this.#depth;
    while (at < until) {
      const byte = json[at]!;
      if (byte === QUOTE) {
        const end = endOfString(json, at);
        if (this.#atName && depth === 1) this.names.push(nameOf(json.subarray(at, end)));
        if (depth === 1) this.#atName = false;
        at = end;
        continue;
      }
      if (byte === COMMA) {
        if (depth === 1) this.#atName = true;
      } else if (byte === 0x7b || byte === 0x5b) {
        depth += 1;
        if (depth === 1) this.#atName = true;
      } else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
        if (depth === 0) return this.#end(at + 1);
      }
      at += 1;
    }
    if (at >= json.length) throw unreadable();
    this.#at = at;
    this.#depth = depth;
    return true;
  }

  #end(at: number): false {
    if (afterSpace(this.#json, at) !== this.#json.length) throw unreadable();
    return false;
  }
}

function afterSpace(json: Uint8Array, start: number): number {
  let at = start;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at += 1;
  return at;
}

/** The place behind the string that begins at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1;
  for (let byte = json[at]; byte !== QUOTE; byte = json[at]) {
    if (byte === undefined) throw unreadable();
    at += byte === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

function nameOf(written: Uint8Array): string {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(written)) as string;
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause?: unknown): BundleError {
  return new BundleError('bundle_truncated', 'data.json in the bundle is not a whole JSON object', {
    cause,
  });
}
