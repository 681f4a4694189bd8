// Where the values of a call's arguments came from: the user's prompt, or the result of an earlier tool call, field by field.
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { type Budget, SeenText } from './provenance-index.ts';
import {
  canonicalNumber,
  nameWords,
  normalise,
  type Token,
  tokens,
  words,
} from './provenance-text.ts';

/**
 * One place where a value was seen. `match`: the place held exactly the value (`equal`), held it
 * among other text (`inside`; `weak` when the value is too short to mean much there), or held a part
 * of it (`part`, with the `kind` of the part). `via`: whether the prompt, or the agent alone,
 * supplied the arguments of the call that returned the place.
 */
export interface Source {
  source: 'prompt' | 'tool' | 'unknown';
  tool?: string;
  path?: string;
  match?: 'equal' | 'inside' | 'weak' | 'part';
  kind?: 'link' | 'email' | 'account' | 'name' | 'phrase';
  via?: 'prompt' | 'agent';
}

/**
 * From the JSON Pointer of each string and number of the arguments to the places it was seen. A key
 * that is data stands at its member's pointer, or under `~key` there (which no pointer of a member
 * can be) when the member's value is a text with places of its own: neither vouches for the other.
 */
export type Provenance = Record<string, Source[]>;

export interface TraceLimits {
  promptCharacters: number;
  resultCharacters: number;
  indexEntries: number;
  fields: number;
  leaves: number;
  sourcesPerLeaf: number;
  steps: number;
}

const defaults: TraceLimits = {
  promptCharacters: 65_536,
  resultCharacters: 4_194_304,
  indexEntries: 400_000,
  fields: 4_096,
  leaves: 2_048,
  sourcesPerLeaf: 24,
  steps: 1_000_000,
};

/**
 * What one session has seen. Over a limit, every later answer carries the source `unknown`, which
 * no policy may trust; nothing is judged on a part of what was seen.
 */
export class SessionTrace {
  readonly #limits: TraceLimits;
  readonly #prompt: SeenText;
  readonly #results: SeenText;
  readonly #promptWords: string;
  #characters = 0;
  #overflow = false;

  constructor(prompt: string | null, limits: Partial<TraceLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
    this.#prompt = new SeenText(this.#limits.indexEntries, 1);
    this.#results = new SeenText(this.#limits.indexEntries, this.#limits.fields);
    const usable = prompt !== null && prompt.length <= this.#limits.promptCharacters ? prompt : '';
    this.#promptWords = ` ${words(usable).join(' ')} `;
    if (usable !== '' && !this.#prompt.add({ source: 'prompt' }, usable)) this.#overflow = true;
    if (prompt !== null && usable === '' && prompt !== '') this.#overflow = true;
  }

  /** Remembers a result's strings and numbers with the field each stood in. */
  recordResult(tool: string, result: JsonValue, args: JsonObject = {}): void {
    if (this.#overflow) return;
    const via = this.#chosenByPrompt(args) ? 'prompt' : 'agent';
    const budget = { leaves: this.#limits.leaves * 32 };
    walk(result, '', 0, budget, (path, text) => {
      this.#characters += path.length + text.length;
      if (this.#characters > this.#limits.resultCharacters) return false;
      return this.#results.add({ source: 'tool', tool, path, via }, text);
    }) || this.#overflowed();
  }

  /** The places of each string and number of the arguments; an empty list is a value never seen. */
  provenanceOf(args: JsonObject): Provenance {
    const found: Provenance = {};
    const budget = { steps: this.#limits.steps };
    let leaves = 0;
    const complete = eachArgument(args, '', 0, (pointer, text) => {
      if (++leaves > this.#limits.leaves) return false;
      found[pointer] = this.#sources(text, budget);
      return true;
    });
    // Too many leaves to look at: no leaf is known, rather than some.
    return complete ? found : { '': [{ source: 'unknown' }] };
  }

  #overflowed(): void {
    this.#overflow = true;
  }

  #chosenByPrompt(args: JsonObject): boolean {
    let leaves = 0;
    const all = eachArgument(args, '', 0, (_pointer, text) => {
      return ++leaves <= this.#limits.leaves && this.#inPrompt(text) !== undefined;
    });
    return all && leaves > 0;
  }

  #inPrompt(text: string): 'inside' | 'weak' | undefined {
    const sought = words(text);
    const whole = sought.length > 0 && this.#promptWords.includes(` ${sought.join(' ')} `);
    const token = tokens(normalise(text))[0];
    // The digits of `-12345678` or `12345678.9` are not that number.
    const alone =
      token !== undefined && sought.length === 1 && !/^(?:-[\d.]+|\d+\.\d+)$/.test(sought[0] ?? '');
    if (!whole && !(alone && this.#prompt.hasToken(token))) return undefined;
    return isWeak(sought) ? 'weak' : 'inside';
  }

  #sources(text: string, budget: Budget): Source[] {
    const sources: Source[] = [];
    const match = this.#inPrompt(text);
    if (match) sources.push({ source: 'prompt', match });
    else sources.push(...this.#partsInPrompt(text, budget));
    const stated = (token: Token) => this.#prompt.hasToken(token);
    // One more than is told, so that what is left out shows as `unknown`.
    const most = this.#limits.sourcesPerLeaf + 1;
    sources.push(...this.#results.find(text, isWeak(words(text)), most, budget, stated));
    if (this.#overflow || budget.steps < 0 || sources.length > this.#limits.sourcesPerLeaf) {
      sources.length = Math.min(sources.length, this.#limits.sourcesPerLeaf - 1);
      sources.push({ source: 'unknown' });
    }
    return sources;
  }

  #partsInPrompt(text: string, budget: Budget): Source[] {
    const normal = normalise(text);
    const named = nameWords(normal).some((name) => this.#promptWords.includes(` ${name} `));
    const parts: Source[] = named ? [{ source: 'prompt', match: 'part', kind: 'name' }] : [];
    for (const seen of this.#prompt.find(text, false, this.#limits.sourcesPerLeaf, budget)) {
      if (seen.match === 'part') parts.push({ source: 'prompt', match: 'part', kind: seen.kind });
    }
    return parts;
  }
}

// A number of up to three digits stands in many texts by chance.
function isWeak(sought: string[]): boolean {
  return sought.length === 1 && /^-?[\d.]{1,3}$/.test(sought[0] as string);
}

// A key that is none is data.
const fieldName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

function eachArgument(
  value: JsonValue,
  pointer: string,
  depth: number,
  visit: (pointer: string, text: string) => boolean,
): boolean {
  if (depth > 64) return false;
  if (typeof value === 'string') return value.trim() === '' || visit(pointer, value);
  if (typeof value === 'number') return visit(pointer, canonicalNumber(String(value)));
  if (value === null || typeof value === 'boolean') return true;
  if (Array.isArray(value)) {
    return value.every((inner, index) =>
      eachArgument(inner, `${pointer}/${index}`, depth + 1, visit),
    );
  }
  return Object.entries(value).every(([key, inner]) => {
    const member = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    // The names of the arguments themselves are the tool's.
    if (depth > 0 && !fieldName.test(key) && key.trim() !== '') {
      const text = typeof inner === 'number' || (typeof inner === 'string' && inner.trim() !== '');
      if (!visit(text ? `${member}/~key` : member, key)) return false;
    }
    return eachArgument(inner, member, depth + 1, visit);
  });
}

// Indices become `*`; so do keys that are data and no field names, and the key itself is then a value.
function walk(
  value: JsonValue,
  path: string,
  depth: number,
  budget: { leaves: number },
  visit: (path: string, text: string) => boolean,
): boolean {
  if (depth > 64 || --budget.leaves < 0) return false;
  if (typeof value === 'string') return visit(path, value);
  if (typeof value === 'number') return visit(path, canonicalNumber(String(value)));
  if (value === null || typeof value === 'boolean') return true;
  if (Array.isArray(value)) {
    return value.every((inner) => walk(inner, `${path}/*`, depth + 1, budget, visit));
  }
  return Object.entries(value).every(([key, inner]) => {
    if (fieldName.test(key)) {
      return walk(inner, `${path}/${key}`, depth + 1, budget, visit);
    }
    return visit(`${path}/{key}`, key) && walk(inner, `${path}/{}`, depth + 1, budget, visit);
  });
}
