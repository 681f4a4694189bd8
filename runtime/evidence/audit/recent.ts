// Remembers the values that were asked for last, and makes the others anew.

/** At most `max` values by name; the one that was not asked for longest gives way. */
export class Recent<Value> {
  readonly #max: number;
  /** Oldest first. */
  readonly #values = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The value of that name; `make` makes it where it is not remembered. */
  get(name: string, make: () => Value): Value {
    const known = this.#values.get(name);
    const value = known ?? make();
    if (known !== undefined) this.#values.delete(name);
    else if (this.#values.size >= this.#max) this.#values.delete(this.#oldest());
    this.#values.set(name, value);
    return value;
  }

  #oldest(): string {
    return this.#values.keys().next().value as string;
  }
}
