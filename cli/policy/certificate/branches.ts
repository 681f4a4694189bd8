// The ways in which a condition can hold, and whether it surely does.
import type { Abstract } from './abstract.ts';

/** The local variables of a body; a later one of the same name hides an earlier one. */
export class Scoped {
  readonly #name: string;
  readonly #value: Abstract | undefined;
  readonly #outer: Scoped | undefined;

  private constructor(name: string, value: Abstract | undefined, outer: Scoped | undefined) {
    this.#name = name;
    this.#value = value;
    this.#outer = outer;
  }

  static readonly NONE = new Scoped('', undefined, undefined);

  /** `undefined` declares the variable without a value (`some x`). */
  with(name: string, value: Abstract | undefined): Scoped {
    return new Scoped(name, value, this);
  }

  /** The variable's value, `declared` when it has none yet, undefined when nobody declared it. */
  find(name: string): Abstract | 'declared' | undefined {
    for (let at: Scoped | undefined = this; at !== undefined; at = at.#outer) {
      if (at.#name === name && at.#name !== '') return at.#value ?? 'declared';
    }
    return undefined;
  }
}

/** One way, with the variables that it gives values to. `sure`: at least one input of it exists. */
export interface Branch<T> {
  value: T;
  env: Scoped;
  sure: boolean;
}

/** All ways: each actual solution is one of `list`; `total` says that there surely is one. */
export interface Branches<T> {
  list: readonly Branch<T>[];
  total: boolean;
}

export const NEVER: Branches<never> = { list: [], total: false };

export function one<T>(value: T, env: Scoped, sure = true): Branches<T> {
  return { list: [{ value, env, sure }], total: sure };
}

export function several<T>(list: readonly Branch<T>[], total = false): Branches<T> {
  return { list, total: total || list.some(({ sure }) => sure) };
}

/** What follows from each way, one after the other. */
export function then<T, U>(
  first: Branches<T>,
  next: (branch: Branch<T>) => Branches<U>,
): Branches<U> {
  const list: Branch<U>[] = [];
  let each = first.list.length > 0;
  let some = false;
  for (const branch of first.list) {
    const following = next(branch);
    for (const { value, env, sure } of following.list) {
      list.push({ value, env, sure: sure && branch.sure });
    }
    if (!following.total) each = false;
    else if (branch.sure) some = true;
  }
  return { list, total: some || (first.total && each) };
}
