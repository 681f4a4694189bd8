// The headers of one message while a filter works on them: order kept, names without case, bounds on both.
import type { HeaderPairs } from './filter.ts';
import { PAIRS_BYTES_MAX, PAIRS_MAX } from './pairs.ts';

const PSEUDO = new Set([':method', ':path', ':authority', ':scheme', ':status', ':protocol']);
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what RFC 9110 section 5.5 refuses.
const VALUE_FORBIDDEN = /[\u0000\r\n]/;

/** One header map; what a filter may not write is refused with false. */
export class HeaderMap {
  #pairs: HeaderPairs;

  constructor(pairs: HeaderPairs) {
    this.#pairs = pairs.map(([name, value]) => [name.toLowerCase(), value]);
  }

  get pairs(): HeaderPairs {
    return this.#pairs;
  }

  /** All values of a name as one (RFC 9110 section 5.3), or undefined. */
  value(name: string): string | undefined {
    const wanted = name.toLowerCase();
    const values = this.#pairs.filter(([known]) => known === wanted);
    return values.length === 0 ? undefined : values.map(([, value]) => value).join(',');
  }

  /** Appends a header, a pseudo-header in front (RFC 9113 section 8.3). */
  add(name: string, value: string): boolean {
    const pair: [string, string] = [name.toLowerCase(), value];
    if (!isLegalPair(pair) || !this.#hasRoomFor(pair)) return false;
    if (pair[0].startsWith(':')) this.#pairs.unshift(pair);
    else this.#pairs.push(pair);
    return true;
  }

  /** Leaves one header of that name. */
  replace(name: string, value: string): boolean {
    const first = this.#pairs.find(([known]) => known === name.toLowerCase());
    if (first === undefined) return this.add(name, value);
    if (!isLegalPair([first[0], value]) || !this.#hasRoomFor([first[0], value])) return false;
    first[1] = value;
    this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== first[0]);
    return true;
  }

  remove(name: string): void {
    const wanted = name.toLowerCase();
    this.#pairs = this.#pairs.filter(([known]) => known !== wanted);
  }

  set(pairs: HeaderPairs): boolean {
    const lower = pairs.map(([name, value]): [string, string] => [name.toLowerCase(), value]);
    if (!isLegal(lower)) return false;
    this.#pairs = lower.toSorted(([a], [b]) => Number(b[0] === ':') - Number(a[0] === ':'));
    return true;
  }

  #hasRoomFor([name, value]: [string, string]): boolean {
    let bytes = name.length + value.length;
    for (const pair of this.#pairs) bytes += pair[0].length + pair[1].length;
    return this.#pairs.length < PAIRS_MAX && bytes <= PAIRS_BYTES_MAX;
  }
}

/** Whether headers that a filter made up may be sent: known names, no line ends, not too many. */
export function isLegal(pairs: HeaderPairs): boolean {
  const bytes = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return pairs.length <= PAIRS_MAX && bytes <= PAIRS_BYTES_MAX && pairs.every(isLegalPair);
}

function isLegalPair([name, value]: [string, string]): boolean {
  return (TOKEN.test(name) || PSEUDO.has(name)) && !VALUE_FORBIDDEN.test(value);
}
