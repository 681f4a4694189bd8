// Makes requests that somebody would make, out of the places of an input and the values that belong there.
import type { JsonObject } from '../../../runtime/json.ts';
import { withNeighbours } from './neighbours.ts';
import type { Random } from './random.ts';
import { fitting, replaced, type Slot } from './slots.ts';
import type { Subject } from './subjects.ts';
import type { Constraint, Path } from './syntax.ts';
import type { Candidate, Vocabulary } from './vocabulary.ts';

/** Of all values that belong in a place, the early ones are taken more often. */
const EARLY = 24;

/** Requests at one boundary, the same ones for the same random numbers. */
export class Requests {
  /** What a well-meant request varies: members of an identity belong together, and no object is emptied. */
  readonly meant: readonly Slot[];
  readonly #slots: readonly Slot[];
  readonly #vocabulary: Vocabulary;
  readonly #random: Random;

  constructor(slots: readonly Slot[], vocabulary: Vocabulary, random: Random) {
    this.#slots = slots;
    this.#vocabulary = vocabulary;
    this.#random = random;
    const isOfIdentity = (path: Path) =>
      slots.some((each) => each.isIdentity && isBelow(path, each.path));
    const isHolder = ({ path }: Slot) => slots.some((each) => isBelow(each.path, path));
    this.meant = slots.filter(
      (slot) => !isOfIdentity(slot.path) && (slot.isIdentity || !isHolder(slot)),
    );
  }

  /** A whole request of somebody, with what the data says of them where it fits. */
  fresh(subject: Subject): JsonObject {
    let input: JsonObject = {};
    const left: string[] = [];
    for (const slot of this.#slots) {
      const name = slot.path.join('/');
      const isLeft = left.some((above) => name.startsWith(`${above}/`));
      if (isLeft || (slot.optional && this.#random.chance(0.5))) left.push(name);
      else if (this.meant.includes(slot)) input = set(input, slot, this.plain(slot, subject));
    }
    return this.as(input, subject);
  }

  /** The same request, made by somebody else. */
  as(input: JsonObject, { identity }: Subject): JsonObject {
    const slot = this.#slots.find(({ isIdentity }) => isIdentity);
    if (slot !== undefined) return set(input, slot, fitting(identity, slot));
    const own = this.#slots.filter(({ path }) => path.length === 1 && path[0]! in identity);
    return own.reduce((made, each) => set(made, each, identity[each.path[0]!]), input);
  }

  /** A value that somebody who means well may have in a place. */
  plain(slot: Slot, subject: Subject): Candidate {
    const values = this.#vocabulary.plain(slot, subject);
    if (slot.isIdentity && this.#random.chance(0.5)) return values[0];
    if (values.length === 0) return undefined;
    return this.#random.chance(0.7)
      ? this.#random.pickEarly(values.slice(0, EARLY))
      : this.#random.pick(values);
  }

  /** The request with constants that a rule and those it refers to compare, `nearShare` of them moved a little. */
  fitted(from: JsonObject, template: readonly Constraint[], nearShare: number): JsonObject {
    let input = from;
    for (const { path, values } of template) {
      if (this.#random.chance(0.2)) continue;
      const value = this.#random.pick(values);
      const near = this.#random.chance(nearShare)
        ? this.#random.pickEarly(withNeighbours(value))
        : value;
      input = replaced(input, path, near) as JsonObject;
    }
    return input;
  }
}

/** The request with a value in one place; undefined takes the member away. */
export function set(input: JsonObject, { path }: Slot, value: Candidate): JsonObject {
  return replaced(input, path, value) as JsonObject;
}

/** True where the second path leads to something that holds what the first leads to. */
export function isBelow(path: Path, above: Path): boolean {
  return path.length > above.length && above.every((name, at) => path[at] === name);
}
