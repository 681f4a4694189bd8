// The index behind provenance: which fields held a value whole, a token, or a run of words; bounded in its number of entries.
import type { Source } from './provenance.ts';
import { normalise, type Token, tokens, words } from './provenance-text.ts';

/** Runs of this many words in common are a quotation and not a coincidence. */
const phraseWords = 3;

export class SeenText {
  readonly #fields: Source[] = [];
  readonly #fieldIds = new Map<string, number>();
  readonly #entries = new Map<string, number[]>();
  readonly #entriesMax: number;

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax;
  }

  /** The number of a field; the same field has the same number. */
  field(source: Source): number {
    const key = JSON.stringify([source.tool, source.path, source.via]);
    const known = this.#fieldIds.get(key);
    if (known !== undefined) return known;
    this.#fields.push(source);
    this.#fieldIds.set(key, this.#fields.length - 1);
    return this.#fields.length - 1;
  }

  /** Remembers one text of a field; false when the index is full. */
  add(field: number, text: string): boolean {
    const list = words(text);
    this.#put(wholeKey(list, text), field);
    for (const token of tokens(normalise(text))) this.#put(tokenKey(token), field);
    for (let size = 1; size <= phraseWords; size++) {
      for (let start = 0; start + size <= list.length; start++) {
        this.#put(list.slice(start, start + size).join(' '), field);
      }
      if (this.#entries.size > this.#entriesMax) return false;
    }
    return this.#entries.size <= this.#entriesMax;
  }

  hasToken(token: Token): boolean {
    return this.#entries.has(tokenKey(token));
  }

  /** Every field that held the text whole, among other text, or in part; tokens may be left out. */
  find(text: string, weak: boolean, omit: (token: Token) => boolean = () => false): Source[] {
    const list = words(text);
    const best = new Map<string, Source>();
    const report = (ids: readonly number[], match: Source['match'], kind?: Source['kind']) => {
      for (const id of ids) this.#report(best, id, match, kind);
    };
    report(this.#entries.get(wholeKey(list, text)) ?? [], 'equal');
    report(this.#around(list), weak ? 'weak' : 'inside');
    for (const token of tokens(normalise(text))) {
      if (omit(token)) continue;
      const ids = this.#entries.get(tokenKey(token)) ?? [];
      if (list.length === 1) report(ids, 'inside');
      report(ids, 'part', token.kind);
    }
    for (let start = 0; start + phraseWords <= list.length; start++) {
      const run = list.slice(start, start + phraseWords).join(' ');
      report(this.#entries.get(run) ?? [], 'part', 'phrase');
    }
    return [...best.values()];
  }

  // Fields that hold every run of the words; one that holds them all but apart is counted as well,
  // which errs towards calling a value seen in free text.
  #around(list: string[]): number[] {
    if (list.length === 0) return [];
    const size = Math.min(phraseWords, list.length);
    let common: number[] | undefined;
    for (let start = 0; start + size <= list.length; start++) {
      const ids = this.#entries.get(list.slice(start, start + size).join(' ')) ?? [];
      common = common === undefined ? ids : common.filter((id) => ids.includes(id));
      if (common.length === 0) return [];
    }
    return common ?? [];
  }

  #report(best: Map<string, Source>, id: number, match: Source['match'], kind?: Source['kind']) {
    // The best whole match of a field comes first, and it says all that a phrase would.
    const key = match === 'part' ? `${id} ${kind}` : String(id);
    if (best.has(key) || (kind === 'phrase' && best.has(String(id)))) return;
    best.set(key, { ...this.#fields[id], match, ...(kind && { kind }) } as Source);
  }

  #put(key: string, field: number): void {
    const fields = this.#entries.get(key);
    if (fields === undefined) this.#entries.set(key, [field]);
    else if (!fields.includes(field)) fields.push(field);
  }
}

// Distinct from runs of words, which never hold these marks at their start.
function wholeKey(list: string[], text: string): string {
  return `= ${list.length > 0 ? list.join(' ') : normalise(text).trim()}`;
}

function tokenKey(token: Token): string {
  return `@ ${token.kind} ${token.value}`;
}
