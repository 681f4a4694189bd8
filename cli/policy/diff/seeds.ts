// Keeps the inputs that a search goes on from: those that reached a new pair of rules, and those that were allowed.
import type { JsonObject } from '../../../runtime/json.ts';
import type { Random } from './random.ts';
import type { Subject } from './subjects.ts';

/** What both policies answered, in as much as the search is led by it. */
export interface Observation {
  /** Both rules: an input that reaches a new pair of them is worth going on from. */
  signature: string;
  /** Whether either policy allows it, or would if a person did. */
  allowed: boolean;
}

/** An input worth going on from, and whose it is. */
export interface Seed {
  input: JsonObject;
  subject: Subject;
}

const SEEDS_PER_SIGNATURE = 3;
const SEEDS_MAX = 16;
const KEPT_MAX = 256;

/** Those of subjects of whom something changed do not compete with the others, for they are few. */
export class Seeds {
  /** The first input of each pair of rules, in the order in which they were reached. */
  readonly kept: Seed[] = [];
  /** The same for the changed subjects alone. */
  readonly keptChanged: Seed[] = [];
  readonly #signatures = new Set<string>();
  readonly #allowed = new Map<string, Seed[]>();
  readonly #allowedChanged = new Map<string, Seed[]>();
  readonly #changed: ReadonlySet<Subject>;

  constructor(changed: readonly Subject[]) {
    this.#changed = new Set(changed);
  }

  /** Keeps an input that was asked, where it is worth it. */
  add(seed: Seed, { signature, allowed }: Observation): void {
    const isChanged = this.#changed.has(seed.subject);
    const reached = isChanged ? this.keptChanged : this.kept;
    const name = `${isChanged} ${signature}`;
    if (!this.#signatures.has(name) && reached.length < KEPT_MAX) {
      this.#signatures.add(name);
      reached.push(seed);
    }
    if (!allowed) return;
    const seeds = isChanged ? this.#allowedChanged : this.#allowed;
    const same = seeds.get(signature) ?? [];
    if (same.length >= SEEDS_PER_SIGNATURE) return;
    if (same.some(({ subject }) => subject === seed.subject)) return;
    seeds.set(signature, [...same, seed]);
  }

  /** True while nothing was allowed. */
  get isNothingAllowed(): boolean {
    return this.#allowed.size + this.#allowedChanged.size === 0;
  }

  /** Allowed inputs by the pair of rules, those of the changed subjects first. */
  groups(): Seed[][] {
    return [...this.#allowedChanged.values(), ...this.#allowed.values()];
  }

  /** Everything that was reached, the changed subjects' last. */
  reached(): Seed[] {
    return [...this.kept, ...this.keptChanged];
  }

  /** Some of all groups; where nothing was allowed, what was reached. */
  all(): Seed[] {
    const groups = this.groups();
    const [first, others] = [groups.map(([seed]) => seed!), groups.flatMap(([, ...rest]) => rest)];
    const seeds = [...first, ...others];
    return (seeds.length > 0 ? seeds : this.reached()).slice(0, SEEDS_MAX);
  }

  /** One of a pair of rules chosen at random, so that one that is hard to reach is not left out. */
  some(random: Random): Seed | undefined {
    const groups = this.groups();
    if (groups.length > 0) return random.pick(random.pick(groups));
    const reached = this.reached();
    return reached.length > 0 ? random.pick(reached) : undefined;
  }
}
