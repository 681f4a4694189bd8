// Walks from requests that somebody would make to those next to them, one or two members at a time.
import { isJsonObject, type JsonObject, type JsonValue } from '../../../runtime/json.ts';
import { withNeighbours } from './neighbours.ts';
import type { Random } from './random.ts';
import { fitting, memberAt, replaced, type Slot } from './slots.ts';
import type { Subject } from './subjects.ts';
import type { Constraint, Path } from './syntax.ts';
import type { Candidate, Vocabulary } from './vocabulary.ts';

/** What both policies answered, in as much as the search is led by it. */
export interface Observation {
  /** Both rules: an input that reaches a new pair of them is worth going on from. */
  signature: string;
  /** Whether either policy allows it, or would if a person did. */
  allowed: boolean;
}

export interface SearchConfig {
  vocabulary: Vocabulary;
  slots: readonly Slot[];
  templates: readonly Constraint[][];
  /** Paths that one rule compares, two by two. */
  pairs: readonly (readonly [Path, Path])[];
  /** Paths that one condition compares with each other. */
  ties: readonly (readonly [Path, Path])[];
  random: Random;
  /** Asks both policies; undefined when there is to be no further question. */
  probe(input: JsonValue): Observation | undefined;
}

/** An input worth going on from, and whose it is. */
interface Seed {
  input: JsonObject;
  subject: Subject;
}

/** Where each stage ends, as a share of all inputs; `patience` is for when nothing is allowed. */
const STAGES = {
  wellMeant: 0.2,
  patience: 0.5,
  subjects: 0.3,
  ties: 0.38,
  singles: 0.58,
  templates: 0.72,
  subjectsAgain: 0.84,
  singlesAgain: 0.94,
  pairs: 1,
};
/** How many of the constants are tried together. */
const LIKELY = 8;
const SEEDS_PER_SIGNATURE = 3;
const SEEDS_MAX = 16;
const KEPT_MAX = 256;

/** Runs until `count` inputs were asked or `probe` ends it. */
export function search(config: SearchConfig, count: number): void {
  new Search(config, count).run();
}

class Search {
  readonly #config: SearchConfig;
  readonly #count: number;
  /** What a well-meant request varies: members of an identity belong together, and no object is emptied. */
  readonly #meant: readonly Slot[];
  #asked = 0;
  #isOver = false;
  readonly #kept: Seed[] = [];
  readonly #signatures = new Set<string>();
  readonly #seeds = new Map<string, Seed[]>();
  readonly #changedSeeds = new Map<string, Seed[]>();

  constructor(config: SearchConfig, count: number) {
    this.#config = config;
    this.#count = count;
    const { slots } = config;
    const below = (path: string[]) =>
      slots.some((each) => each.isIdentity && isBelow(path, each.path));
    const holds = ({ path }: Slot) => slots.some((each) => isBelow(each.path, path));
    this.#meant = slots.filter((slot) => !below(slot.path) && (slot.isIdentity || !holds(slot)));
  }

  run(): void {
    this.#wellMeant();
    if (this.#hasNoSeed()) this.#together();
    this.#changedSubjects(STAGES.subjects);
    this.#ties();
    this.#singles(STAGES.singles);
    this.#templates();
    // By now more is allowed than at first.
    this.#changedSubjects(STAGES.subjectsAgain);
    this.#singles(STAGES.singlesAgain);
    this.#pairs();
  }

  /** Random requests, led by the rules that they reach towards one that is allowed. */
  #wellMeant(): void {
    const { vocabulary, templates, random } = this.#config;
    for (let round = 0; this.#isBefore(STAGES.wellMeant); round++) {
      const subject = vocabulary.subjects[round % vocabulary.subjects.length]!;
      if (this.#kept.length === 0 || random.chance(0.1)) {
        this.#ask(this.#fresh(subject), subject);
        continue;
      }
      // What was reached last is the farthest.
      const from =
        this.#kept[Math.max(random.below(this.#kept.length), random.below(this.#kept.length))]!;
      const to = random.chance(0.7) ? from.subject : subject;
      let input = to === from.subject ? from.input : this.#as(from.input, to);
      if (templates.length > 0 && random.chance(0.1)) {
        input = this.#fitted(input, random.pick(templates), 0);
      }
      do {
        const slot = random.pick(this.#meant);
        input = this.#set(input, slot, this.#plain(slot, to));
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
    for (const { input, subject } of this.#kept.toReversed()) {
      for (const [first, second] of pairs) {
        for (const one of vocabulary.compared(first).slice(0, LIKELY)) {
          for (const other of vocabulary.compared(second).slice(0, LIKELY)) {
            if (!this.#hasNoSeed() || !this.#isBefore(STAGES.patience)) return;
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
    for (const subject of vocabulary.subjects.slice(0, vocabulary.changedSubjects)) {
      for (const [from] of this.#groups().reverse()) {
        const input = this.#as(from!.input, subject);
        this.#ask(input, subject);
        for (const slot of this.#meant) {
          for (const value of vocabulary.plain(slot, subject).slice(0, LIKELY)) {
            if (!this.#isBefore(share)) return;
            this.#ask(this.#set(input, slot, value), subject);
          }
        }
      }
    }
  }

  /** Two members that a condition compares with each other are made equal, and moved a little. */
  #ties(): void {
    for (const { input, subject } of this.#allSeeds()) {
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
        this.#ask(replaced(input, slot.path, value) as JsonObject, subject);
      }
    }
  }

  /** Every member of every seed with every candidate, the telling candidates of all of them first. */
  #singles(share: number): void {
    const { vocabulary, slots } = this.#config;
    const seeds = this.#allSeeds();
    for (let rank = 0, isMore = true; isMore && this.#isBefore(share); rank++) {
      isMore = false;
      for (const { input, subject } of seeds) {
        for (const slot of slots) {
          const candidates = vocabulary.all(slot, subject);
          if (rank >= candidates.length) continue;
          isMore = true;
          this.#ask(this.#set(input, slot, candidates[rank]), subject);
        }
      }
    }
  }

  /** What one rule and those that it refers to compare is set together, on the edge of each comparison. */
  #templates(): void {
    const { templates, random } = this.#config;
    while (templates.length > 0 && this.#isBefore(STAGES.templates)) {
      for (const template of templates) {
        const seed = this.#someSeed();
        if (seed === undefined) return;
        let input = this.#fitted(seed.input, template, 0.5);
        if (random.chance(0.3)) {
          const slot = random.pick(this.#config.slots);
          input = this.#set(input, slot, this.#plain(slot, seed.subject));
        }
        this.#ask(input, seed.subject);
      }
    }
  }

  /** The input with constants that a rule and those it refers to compare, some of them moved a little. */
  #fitted(from: JsonObject, template: readonly Constraint[], nearShare: number): JsonObject {
    const { random } = this.#config;
    let input = from;
    for (const { path, values } of template) {
      if (random.chance(0.2)) continue;
      const value = random.pick(values);
      const near = random.chance(nearShare) ? random.pickEarly(withNeighbours(value)) : value;
      input = replaced(input, path, near) as JsonObject;
    }
    return input;
  }

  /** Two members at a time. */
  #pairs(): void {
    const { vocabulary, slots, random } = this.#config;
    while (this.#isBefore(STAGES.pairs)) {
      const seed = this.#someSeed() ?? this.#kept[0];
      if (seed === undefined || slots.length === 0) return;
      let { input } = seed;
      for (let change = 0; change < 2; change++) {
        const slot = random.pick(slots);
        input = this.#set(input, slot, random.pickEarly(vocabulary.all(slot, seed.subject)));
      }
      this.#ask(input, seed.subject);
    }
  }

  /** A whole request of somebody, with what the data says of them where it fits. */
  #fresh(subject: Subject): JsonObject {
    let input: JsonObject = {};
    const left: string[] = [];
    for (const slot of this.#config.slots) {
      const name = slot.path.join('/');
      const isLeft = left.some((above) => name.startsWith(`${above}/`));
      if (isLeft || (slot.optional && this.#config.random.chance(0.5))) left.push(name);
      else if (this.#meant.includes(slot))
        input = this.#set(input, slot, this.#plain(slot, subject));
    }
    return this.#as(input, subject);
  }

  /** The same request, made by somebody else. */
  #as(input: JsonObject, { identity }: Subject): JsonObject {
    const slot = this.#config.slots.find(({ isIdentity }) => isIdentity);
    if (slot !== undefined) return this.#set(input, slot, fitting(identity, slot));
    const own = this.#config.slots.filter(({ path }) => path.length === 1 && path[0]! in identity);
    return own.reduce((made, each) => this.#set(made, each, identity[each.path[0]!]), input);
  }

  #plain(slot: Slot, subject: Subject): Candidate {
    const { vocabulary, random } = this.#config;
    if (slot.isIdentity && random.chance(0.5)) return vocabulary.plain(slot, subject)[0];
    const values = vocabulary.plain(slot, subject);
    if (values.length === 0) return undefined;
    return random.chance(0.7) ? random.pickEarly(values.slice(0, 24)) : random.pick(values);
  }

  #set(input: JsonObject, { path }: Slot, value: Candidate): JsonObject {
    return replaced(input, path, value) as JsonObject;
  }

  #ask(input: JsonObject, subject: Subject): void {
    if (this.#isOver || this.#asked >= this.#count || !isJsonObject(input)) return;
    this.#asked++;
    const seen = this.#config.probe(input);
    if (seen === undefined) {
      this.#isOver = true;
      return;
    }
    if (!this.#signatures.has(seen.signature) && this.#kept.length < KEPT_MAX) {
      this.#signatures.add(seen.signature);
      this.#kept.push({ input, subject });
    }
    if (seen.allowed) this.#keepSeed(seen.signature, { input, subject });
  }

  /** Some of each pair of rules; those of whom something changed do not compete with the others. */
  #keepSeed(signature: string, seed: Seed): void {
    const seeds = this.#isChanged(seed.subject) ? this.#changedSeeds : this.#seeds;
    const same = seeds.get(signature) ?? [];
    if (same.length >= SEEDS_PER_SIGNATURE) return;
    if (same.some(({ subject }) => subject === seed.subject)) return;
    seeds.set(signature, [...same, seed]);
  }

  #groups(): Seed[][] {
    return [...this.#changedSeeds.values(), ...this.#seeds.values()];
  }

  #hasNoSeed(): boolean {
    return this.#seeds.size + this.#changedSeeds.size === 0;
  }

  #isChanged(subject: Subject): boolean {
    const { subjects, changedSubjects } = this.#config.vocabulary;
    return subjects.indexOf(subject) < changedSubjects;
  }

  #allSeeds(): Seed[] {
    const groups = this.#groups();
    const [first, others] = [groups.map(([seed]) => seed!), groups.flatMap(([, ...rest]) => rest)];
    const seeds = [...first, ...others];
    const all = seeds.length > 0 ? seeds : this.#kept;
    return all.slice(0, SEEDS_MAX);
  }

  /** One of a rule chosen at random, so that a rule that is hard to reach is not left out. */
  #someSeed(): Seed | undefined {
    const { random } = this.#config;
    const all = this.#groups();
    if (all.length > 0) return random.pick(random.pick(all));
    return this.#kept.length > 0 ? random.pick(this.#kept) : undefined;
  }

  #isBefore(share: number): boolean {
    return !this.#isOver && this.#asked < this.#count * share;
  }
}

function isBelow(path: readonly string[], above: readonly string[]): boolean {
  return path.length > above.length && above.every((name, at) => path[at] === name);
}
