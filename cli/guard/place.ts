// Where a byte of a text is, as people and editors count: lines and columns from 1.

export interface Place {
  line: number;
  /** In Unicode code points. */
  column: number;
}

const NEWLINE = 0x0a;

/** Finds places in one text; made once, asked for each finding. */
export class Places {
  readonly #bytes: Uint8Array;
  /** The offset of each line's first byte. */
  readonly #starts: number[] = [0];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** The place of a byte that begins a character. */
  of(offset: number): Place {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    let column = 1;
    for (let at = this.#starts[low]!; at < offset; at++) {
      // Bytes that go on with a character count nothing.
      if ((this.#bytes[at]! & 0xc0) !== 0x80) column += 1;
    }
    return { line: low + 1, column };
  }

  /** A line without its end. */
  line(number: number): string {
    const [start, next] = [this.#starts[number - 1] ?? 0, this.#starts[number]];
    return Buffer.from(this.#bytes.subarray(start, next))
      .toString('utf8')
      .replace(/\r?\n$/, '');
  }
}
