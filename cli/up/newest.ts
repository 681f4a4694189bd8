// Keeps the newest of many things, in bounded memory.

/** So many things, of so many bytes together, that the next one is added to; the oldest make room. */
export class Newest<Item> {
  readonly #kept: { item: Item; bytes: number }[] = [];
  readonly #itemsMax: number;
  readonly #bytesMax: number;
  #bytes = 0;
  #isCut = false;

  constructor(itemsMax: number, bytesMax: number) {
    this.#itemsMax = itemsMax;
    this.#bytesMax = bytesMax;
  }

  /** Whether any had to go. */
  get isCut(): boolean {
    return this.#isCut;
  }

  add(item: Item, bytes: number): void {
    this.#kept.push({ item, bytes });
    this.#bytes += bytes;
    while (this.#kept.length > this.#itemsMax || this.#bytes > this.#bytesMax) {
      this.#bytes -= this.#kept.shift()!.bytes;
      this.#isCut = true;
    }
  }

  /** The newest first. */
  items(): Item[] {
    return this.#kept.map(({ item }) => item).reverse();
  }
}
