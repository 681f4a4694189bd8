// The index behind provenance: which fields held a value whole, a token, or a run of words; bounded in its entries, its fields and the steps of a look-up.
import type { Source } from './provenance.ts';
import { normalise, type Token, tokens, words } from './provenance-text.ts';

/** Runs of this many words in common are a quotation and not a coincidence. */
const phraseWords = 3;

/** What looking up the values of one call may still cost. */
export interface Budget {
  steps: number;
}

export class SeenText {
  readonly #fields: Source[] = [];
  readonly #fieldIds = new Map<string, number>();
  // Most keys stand in one field, and a set for each would be most of the memory.
  readonly #entries = new Map<string, number | Set<number>>();
  readonly #entriesMax: number;
  readonly #fieldsMax: number;
  #size = 0;

  constructor(entriesMax: number, fieldsMax: number) {
    this.#entriesMax = entriesMax;
    this.#fieldsMax = fieldsMax;
  }

  /** How much is held: fields, and pairs of a key and a field that held it. */
  get held(): { fields: number; entries: number } {
    return { fields: this.#fields.length, entries: this.#size };
  }

  /** Remembers one text of a field; false when the index is full. */
  add(source: Source, text: string): boolean {
    const field = this.#field(source);
    if (field === undefined) return false;
    const list = words(text);
    if (!this.#put(wholeKey(list, text), field)) return false;
    for (const token of tokens(normalise(text))) {
      if (!this.#put(tokenKey(token), field)) return false;
    }
    for (let size = 1; size <= phraseWords; size++) {
      for (let start = 0; start + size <= list.length; start++) {
        if (!this.#put(list.slice(start, start + size).join(' '), field)) return false;
      }
    }
    return true;
  }

  // The number of a field; the same field has the same number.
  #field(source: Source): number | undefined {
    const key = JSON.stringify([source.tool, source.path, source.via]);
    const known = this.#fieldIds.get(key);
    if (known !== undefined) return known;
    if (this.#fields.length >= this.#fieldsMax) return undefined;
    this.#fields.push(source);
    this.#fieldIds.set(key, this.#fields.length - 1);
    return this.#fields.length - 1;
  }

  hasToken(token: Token): boolean {
    return this.#entries.has(tokenKey(token));
  }

  /**
   * The fields that held the text whole, among other text, or in part, `most` of them at the most;
   * tokens may be left out. What was found is not all when the budget is below zero afterwards.
   */
  find(
    text: string,
    weak: boolean,
    most: number,
    budget: Budget,
    omit: (token: Token) => boolean = () => false,
  ): Source[] {
    const list = words(text);
    const best = new Map<string, Source>();
    const report = (ids: Iterable<number>, match: Source['match'], kind?: Source['kind']) => {
      for (const id of ids) {
        if (best.size >= most || --budget.steps < 0) return;
        this.#report(best, id, budget, match, kind);
      }
    };
    report(this.#held(wholeKey(list, text)), 'equal');
    report(this.#around(list, budget), weak ? 'weak' : 'inside');
    for (const token of tokens(normalise(text))) {
      if (omit(token)) continue;
      const ids = this.#held(tokenKey(token));
      if (list.length === 1) report(ids, 'inside');
      report(ids, 'part', token.kind);
    }
    for (let start = 0; start + phraseWords <= list.length; start++) {
      if (best.size >= most || budget.steps < 0) break;
      report(this.#held(list.slice(start, start + phraseWords).join(' ')), 'part', 'phrase');
    }
    return [...best.values()];
  }

  // Fields that hold every run of the words; one that holds them all but apart is counted as well,
  // which errs towards calling a value seen in free text.
  *#around(list: string[], budget: Budget): Generator<number> {
    const size = Math.min(phraseWords, list.length);
    const runs = new Map<string, ReadonlySet<number>>();
    for (let start = 0; start + size <= list.length && size > 0; start++) {
      const run = list.slice(start, start + size).join(' ');
      if (runs.has(run)) continue;
      const ids = this.#held(run);
      if (ids.size === 0) return;
      runs.set(run, ids);
    }
    const [first, ...others] = [...runs.values()];
    for (const id of first ?? []) {
      const all = others.every((ids) => --budget.steps >= 0 && ids.has(id));
      if (budget.steps < 0) return;
      if (all) yield id;
    }
  }

  #report(
    best: Map<string, Source>,
    id: number,
    budget: Budget,
    match: Source['match'],
    kind?: Source['kind'],
  ) {
    // The best whole match of a field comes first, and it says all that a phrase would.
    const key = match === 'part' ? `${id} ${kind}` : String(id);
    if (best.has(key) || (kind === 'phrase' && best.has(String(id)))) return;
    const field = this.#fields[id] as Source;
    // A long path costs its length in every answer that names it.
    budget.steps -= field.path?.length ?? 0;
    best.set(key, { ...field, match, ...(kind && { kind }) });
  }

  #held(key: string): ReadonlySet<number> {
    const fields = this.#entries.get(key);
    return typeof fields === 'object' ? fields : new Set(fields === undefined ? [] : [fields]);
  }

  #put(key: string, field: number): boolean {
    const fields = this.#entries.get(key);
    if (fields === field || (typeof fields === 'object' && fields.has(field))) return true;
    if (++this.#size > this.#entriesMax) return false;
    if (fields === undefined) this.#entries.set(key, field);
    else if (typeof fields === 'object') fields.add(field);
    else this.#entries.set(key, new Set([fields, field]));
    return true;
  }
}

// Distinct from runs of words, which never hold these marks at their start.
function wholeKey(list: string[], text: string): string {
  return `= ${list.length > 0 ? list.join(' ') : normalise(text).trim()}`;
}

function tokenKey(token: Token): string {
  return `@ ${token.kind} ${token.value}`;
}
