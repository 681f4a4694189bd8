// Walks from requests that somebody would make to those next to them, one or two members at a time.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import type { Made } from './elements.ts';
import { withNeighbours } from './neighbours.ts';
import type { Random } from './random.ts';
import { isBelow, Requests, set } from './requests.ts';
import { type Observation, type Seed, Seeds } from './seeds.ts';
import { memberAt, replaced, type Slot } from './slots.ts';
import type { Subject } from './subjects.ts';
import type { Constraint, Path } from './syntax.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface SearchConfig {
  vocabulary: Vocabulary;
  slots: readonly Slot[];
  templates: readonly Constraint[][];
  /** The templates of the rules that were edited. */
  edited: readonly Constraint[][];
  /** Values made of the constants of the rules that were edited. */
  made: readonly Made[];
  /** Paths that one rule compares, two by two. */
  pairs: readonly (readonly [Path, Path])[];
  /** Paths that one condition compares with each other. */
  ties: readonly (readonly [Path, Path])[];
  random: Random;
  /** Asks both policies; undefined when there is to be no further question. */
  probe(input: JsonValue): Observation | undefined;
}

/** Where each stage ends, as a share of all inputs; `patience` is for when nothing is allowed. */
const STAGES = {
  wellMeant: 0.2,
  patience: 0.5,
  changedWalk: 0.26,
  subjects: 0.32,
  made: 0.42,
  edges: 0.48,
  edited: 0.5,
  ties: 0.53,
  singles: 0.6,
  templates: 0.72,
  subjectsAgain: 0.84,
  singlesAgain: 0.94,
  pairs: 1,
};
/** Of all inputs, for what is made for edited rules, each time. */
const MADE_SHARE = 0.1;
/** How many of the constants are tried together. */
const LIKELY = 8;

/** Runs until `count` inputs were asked or `probe` ends it. */
export function search(config: SearchConfig, count: number): void {
  new Search(config, count).run();
}

class Search {
  readonly #config: SearchConfig;
  readonly #count: number;
  readonly #requests: Requests;
  readonly #seeds: Seeds;
  /** The subjects of whom the data, or their tenant's policies, are not the same on both sides. */
  readonly #changed: readonly Subject[];
  #asked = 0;
  #isOver = false;

  constructor(config: SearchConfig, count: number) {
    this.#config = config;
    this.#count = count;
    const { slots, vocabulary, random } = config;
    this.#requests = new Requests(slots, vocabulary, random);
    this.#changed = vocabulary.subjects.slice(0, vocabulary.changedSubjects);
    this.#seeds = new Seeds(this.#changed);
  }

  run(): void {
    const { subjects } = this.#config.vocabulary;
    if (this.#requests.meant.length === 0) {
      // Neither policy reads anything: one question has all answers.
      this.#ask({}, subjects[0]!);
      return;
    }
    this.#walk(subjects, () => this.#seeds.kept, STAGES.wellMeant);
    if (this.#seeds.isNothingAllowed) this.#together();
    // They are so few among all that a walk of their own is what gets them anywhere.
    if (this.#changed.length > 0)
      this.#walk(this.#changed, () => this.#seeds.keptChanged, STAGES.changedWalk);
    this.#changedSubjects(STAGES.subjects);
    this.#made();
    this.#edges();
    this.#fitTemplates(this.#config.edited, STAGES.edited);
    this.#ties();
    this.#singles(STAGES.singles);
    this.#fitTemplates(this.#config.templates, STAGES.templates);
    // By now more is allowed than at first.
    this.#changedSubjects(STAGES.subjectsAgain);
    this.#singles(STAGES.singlesAgain);
    this.#made();
    this.#pairs();
  }

  /** Random requests, led by the rules that they reach towards one that is allowed. */
  #walk(subjects: readonly Subject[], reached: () => readonly Seed[], share: number): void {
    const { templates, random } = this.#config;
    for (let round = 0; this.#isBefore(share); round++) {
      const subject = subjects[round % subjects.length]!;
      const kept = reached();
      if (kept.length === 0 || random.chance(0.1)) {
        this.#ask(this.#requests.fresh(subject), subject);
        continue;
      }
      // What was reached last is the farthest.
      const from = kept[Math.max(random.below(kept.length), random.below(kept.length))]!;
      const to = random.chance(0.7) ? from.subject : subject;
      let input = to === from.subject ? from.input : this.#requests.as(from.input, to);
      if (templates.length > 0 && random.chance(0.5)) {
        input = this.#requests.fitted(input, random.pick(templates), 0);
      }
      do {
        const slot = random.pick(this.#requests.meant);
        input = set(input, slot, this.#requests.plain(slot, to));
      } while (random.chance(0.4));
      this.#ask(input, to);
    }
  }

  /**
   * Where nothing was allowed yet, two members may have to fit each other, as a port and its scheme: every
   * two that one rule compares, each with its constants, in what was reached last.
   */
  #together(): void {
    const { vocabulary, pairs } = this.#config;
    for (const { input, subject } of this.#seeds.reached().reverse()) {
      for (const [first, second] of pairs) {
        for (const one of vocabulary.compared(first).slice(0, LIKELY)) {
          for (const other of vocabulary.compared(second).slice(0, LIKELY)) {
            if (!this.#seeds.isNothingAllowed || !this.#isBefore(STAGES.patience)) return;
            const half = replaced(input, first, one);
            this.#ask(replaced(half, second, other) as JsonObject, subject);
          }
        }
      }
    }
  }

  /** Those of whom the data or their tenant's policies changed ask for what others were allowed. */
  #changedSubjects(share: number): void {
    const { vocabulary } = this.#config;
    for (const subject of this.#changed) {
      for (const [from] of this.#seeds.groups().reverse()) {
        const input = this.#requests.as(from!.input, subject);
        this.#ask(input, subject);
        for (const slot of this.#requests.meant) {
          for (const value of vocabulary.plain(slot, subject).slice(0, LIKELY)) {
            if (!this.#isBefore(share)) return;
            this.#ask(set(input, slot, value), subject);
          }
        }
      }
    }
  }

  /** Lists, texts and numbers made for the edited rules, in requests that fit them otherwise. */
  #made(): void {
    const { made } = this.#config;
    const seeds = this.#seeds.groups().slice(0, LIKELY);
    // What came before may have taken longer than its share.
    const end = Math.max(STAGES.made, this.#asked / this.#count + MADE_SHARE);
    for (let rank = 0, isMore = true; isMore; rank++) {
      isMore = false;
      for (const { path, values, template } of made) {
        const value = values[rank];
        if (value === undefined) continue;
        isMore = true;
        for (const [seed] of seeds) {
          if (!this.#isBefore(end)) return;
          this.#askFitted(seed!, template, path, value);
        }
      }
    }
  }

  /** What an edited rule compares, all of it as the rule wants it but one member, which is moved a little. */
  #edges(): void {
    const { edited } = this.#config;
    for (let rank = 0, isMore = true; isMore; rank++) {
      isMore = false;
      for (const template of edited) {
        for (const { path, values } of template) {
          const candidates = values.flatMap(withNeighbours);
          if (rank >= candidates.length) continue;
          isMore = true;
          for (const [seed] of this.#seeds.groups()) {
            if (!this.#isBefore(STAGES.edges)) return;
            this.#askFitted(seed!, template, path, candidates[rank]!);
          }
        }
      }
    }
  }

  /** Asks for what a seed asked for, as a template wants it, with one value in its place. */
  #askFitted(seed: Seed, template: readonly Constraint[], path: Path, value: JsonValue): void {
    let { input } = seed;
    for (const each of template) {
      const picked = this.#config.random.pick(each.values);
      input = replaced(input, each.path, picked) as JsonObject;
    }
    this.#ask(replaced(input, path, value) as JsonObject, seed.subject);
  }

  /** Two members that a condition compares with each other are made equal, and moved a little. */
  #ties(): void {
    for (const { input, subject } of this.#seeds.all()) {
      for (const [first, second] of this.#config.ties) {
        for (const [from, to] of [
          [first, second],
          [second, first],
        ] as const) {
          const value = memberAt(input, from);
          if (value === undefined || (typeof value === 'object' && value !== null)) continue;
          for (const near of withNeighbours(value).slice(0, LIKELY)) {
            if (!this.#isBefore(STAGES.ties)) return;
            this.#beside(replaced(input, to, near) as JsonObject, to, subject);
          }
        }
      }
    }
  }

  /** The input, and it with each constant of the members beside a path, as an answer beside its time. */
  #beside(input: JsonObject, path: Path, subject: Subject): void {
    this.#ask(input, subject);
    const above = path.slice(0, -1);
    if (above.length === 0) return;
    for (const slot of this.#config.slots) {
      if (slot.path.length !== path.length || !isBelow(slot.path, above)) continue;
      for (const value of this.#config.vocabulary.compared(slot.path).slice(0, LIKELY)) {
        this.#ask(set(input, slot, value), subject);
      }
    }
  }

  /** Every member of every seed with every candidate, the telling candidates of all of them first. */
  #singles(share: number): void {
    const { vocabulary, slots } = this.#config;
    const seeds = this.#seeds.all();
    for (let rank = 0, isMore = true; isMore && this.#isBefore(share); rank++) {
      isMore = false;
      for (const { input, subject } of seeds) {
        for (const slot of slots) {
          const candidates = vocabulary.all(slot, subject);
          if (rank >= candidates.length) continue;
          isMore = true;
          this.#ask(set(input, slot, candidates[rank]), subject);
        }
      }
    }
  }

  /** What one rule and those that it refers to compare is set together, on the edge of each comparison. */
  #fitTemplates(templates: readonly Constraint[][], share: number): void {
    const { random, slots } = this.#config;
    while (templates.length > 0 && this.#isBefore(share)) {
      for (const template of templates) {
        const seed = this.#seeds.some(random);
        if (seed === undefined || !this.#isBefore(share)) return;
        let input = this.#requests.fitted(seed.input, template, 0.5);
        if (random.chance(0.3)) {
          const slot = random.pick(slots);
          input = set(input, slot, this.#requests.plain(slot, seed.subject));
        }
        this.#ask(input, seed.subject);
      }
    }
  }

  /** Two members at a time. */
  #pairs(): void {
    const { vocabulary, slots, random } = this.#config;
    while (this.#isBefore(STAGES.pairs)) {
      const seed = this.#seeds.some(random);
      if (seed === undefined) return;
      let { input } = seed;
      for (let change = 0; change < 2; change++) {
        const slot = random.pick(slots);
        input = set(input, slot, random.pickEarly(vocabulary.all(slot, seed.subject)));
      }
      this.#ask(input, seed.subject);
    }
  }

  #ask(input: JsonObject, subject: Subject): void {
    if (this.#isOver || this.#asked >= this.#count || !isJsonObject(input)) return;
    this.#asked++;
    const seen = this.#config.probe(input);
    if (seen === undefined) this.#isOver = true;
    else this.#seeds.add({ input, subject }, seen);
  }

  #isBefore(share: number): boolean {
    return !this.#isOver && this.#asked < this.#count * share;
  }
}
