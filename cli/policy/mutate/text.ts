// Edits of a source by the places that the syntax tree gives, and what is found between them.
import type { AstLocation } from '../../../runtime/modules/rego-ast.ts';

/** Replaces the text from `start` up to `end`, both offsets in UTF-16 units. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** A source whose nodes are found by their location. */
export class SourceText {
  readonly content: string;
  readonly #lines: string[];
  readonly #starts: number[] = [];

  constructor(content: string) {
    this.content = content;
    this.#lines = content.split('\n');
    let start = 0;
    for (const line of this.#lines) {
      this.#starts.push(start);
      start += line.length + 1;
    }
  }

  /** The text of a row that counts from 1. */
  line(row: number): string {
    return this.#lines[row - 1] ?? '';
  }

  /** Where a node stands; undefined when its text is not there, as for what the parser made up. */
  span(location: AstLocation | undefined): { start: number; end: number } | undefined {
    if (location?.text === undefined || location.text === '') return undefined;
    const line = this.#lines[location.row - 1];
    if (line === undefined) return undefined;
    // OPA counts characters, not units.
    const before = [...line].slice(0, location.col - 1).join('');
    const start = this.#starts[location.row - 1]! + before.length;
    if (!this.content.startsWith(location.text, start)) return undefined;
    return { start, end: start + location.text.length };
  }

  /** The last character before `offset` that is no space. */
  before(offset: number): string {
    return this.content.slice(0, offset).trimEnd().at(-1) ?? '';
  }

  /** The text with edits that do not overlap. */
  apply(edits: readonly Edit[]): string {
    let out = this.content;
    for (const { start, end, text } of edits.toSorted((a, b) => b.start - a.start)) {
      out = out.slice(0, start) + text + out.slice(end);
    }
    return out;
  }
}
