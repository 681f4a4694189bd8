// Puts the values back where `redact` left tokens, also in text that comes in pieces.

/** The values behind tokens: what `redact` returned, or anything that looks one up, such as a vault. */
export type TokenMap =
  | Readonly<Record<string, string>>
  | { get(token: string): string | undefined };

/** A token as `redact` writes it; no other text is replaced. */
const TOKEN = /<[a-z][a-z0-9_]{0,63}:[0-9a-f]{16}>/g;
/** What may still become one. */
const BEGINNING = /<(?:[a-z][a-z0-9_]{0,63}(?::[0-9a-f]{0,16})?)?$/;
/** No token is longer. */
const TOKEN_LENGTH_MAX = 83;

/** Replaces each token that `map` has by its value; tokens that it does not have stay. */
export function untokenize(text: string, map: TokenMap): string {
  return text.replace(TOKEN, (token) => lookUp(map, token) ?? token);
}

/**
 * As `untokenize` for a text that comes in pieces, whose tokens may be split anywhere: what the pieces give, joined, is
 * what the whole text gives. At most 82 characters wait for the next piece.
 */
export class Untokenizer {
  readonly #map: TokenMap;
  #waiting = '';

  constructor(map: TokenMap) {
    this.#map = map;
  }

  /** Takes the next piece and returns what is certain; with `isLast` all that is left. */
  push(piece: string, isLast = false): string {
    const text = this.#waiting + piece;
    const tail = text.slice(-TOKEN_LENGTH_MAX);
    const beginning = isLast ? -1 : tail.search(BEGINNING);
    const certain = beginning < 0 ? text.length : text.length - tail.length + beginning;
    this.#waiting = text.slice(certain);
    return untokenize(text.slice(0, certain), this.#map);
  }
}

function lookUp(map: TokenMap, token: string): string | undefined {
  if (isLookup(map)) return map.get(token);
  return Object.hasOwn(map, token) ? map[token] : undefined;
}

function isLookup(map: TokenMap): map is { get(token: string): string | undefined } {
  return typeof map.get === 'function';
}
