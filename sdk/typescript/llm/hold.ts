// Holds the events of a streamed response until the guard has released all of their text.
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts';
import type { GuardFinding, GuardStream } from '../../../runtime/modules/guard.ts';
import { type ServerEvent, writeEvent } from './events.ts';
import { type Answer, type Piece, textOf, type Wire } from './wire.ts';

interface HeldPiece {
  piece: Piece;
  /** In bytes of the field's text. */
  start: number;
  end: number;
}

interface Held {
  event: ServerEvent;
  /** The event's JSON, when it holds text. */
  json?: JsonObject;
  pieces: HeldPiece[];
  /** A part of a tool call, which leaves when the call was allowed. */
  isTool: boolean;
}

interface Field {
  stream: GuardStream;
  pushed: number;
  released: number;
  text: string;
}

export interface HoldOptions {
  wire: Wire;
  answer: Answer;
  /** Begins to scan a field; undefined when nothing is scanned. */
  scan?: () => GuardStream;
  /** Whether parts of tool calls wait for the stream's end. */
  holdsTools: boolean;
  /** Whether an event is one that only we asked for. */
  hides(event: JsonObject): boolean;
}

/** The events of one stream, in the order in which they came. */
export class Hold {
  readonly #options: HoldOptions;
  readonly #fields = new Map<string, Field>();
  #queue: Held[] = [];

  constructor(options: HoldOptions) {
    this.#options = options;
  }

  /** Takes an event; returns what was found in its text, and in what was held, now that more is known. */
  add(event: ServerEvent): GuardFinding[] {
    const held: Held = { event, pieces: [], isTool: false };
    this.#queue.push(held);
    const json = parsed(event.data);
    if (json === undefined) return [];
    if (this.#options.hides(json)) this.#queue.pop();
    const findings: GuardFinding[] = [];
    for (const piece of this.#options.wire.event(json, this.#options.answer)) {
      held.json = json;
      held.isTool ||= piece.field.startsWith('tool');
      const field = this.#field(piece.field);
      if (field === undefined) continue;
      findings.push(...this.#push(field, piece.text, false));
      const start = field.pushed;
      field.pushed += Buffer.byteLength(piece.text);
      held.pieces.push({ piece, start, end: field.pushed });
    }
    return findings;
  }

  /** Says that nothing more comes; returns what was found at the ends of the fields. */
  end(): GuardFinding[] {
    return [...this.#fields.values()].flatMap((field) => this.#push(field, '', true));
  }

  /** The text of every field so far, as `answer.texts` and `others` have it. */
  texts(): { texts: string[]; others: string[] } {
    const all = [...this.#fields].filter(([name]) => !name.startsWith('tool'));
    const of = (isText: boolean) =>
      all
        .filter(([name]) => isText === /^(text|response\.output_text)/.test(name))
        .map(([, { text }]) => text);
    return { texts: of(true), others: of(false) };
  }

  /** The events that may leave now, as text; all of them once tool calls were allowed at the end. */
  release(areToolsAllowed: boolean): string {
    let out = '';
    while (this.#queue.length > 0) {
      const held = this.#queue[0]!;
      if (held.isTool && this.#options.holdsTools && !areToolsAllowed) return out;
      if (held.pieces.some(({ piece, end }) => this.#fields.get(piece.field)!.released < end)) {
        return out + this.#cut(held);
      }
      this.#queue.shift();
      const { event, json } = held;
      out +=
        held.pieces.length === 0
          ? `${event.raw}\n\n`
          : writeEvent(event.event, JSON.stringify(json));
    }
    return out;
  }

  /** The released beginning of an event that is text only; the rest stays. */
  #cut({ event, json, pieces }: Held): string {
    const [first, ...more] = pieces;
    if (first === undefined || more.length > 0 || !this.#options.wire.canCut(json!)) return '';
    const { piece, start } = first;
    const { released } = this.#fields.get(piece.field)!;
    if (released <= start) return '';
    const bytes = Buffer.from(piece.text);
    let at = released - start;
    while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
    if (at === 0) return '';
    piece.set(bytes.subarray(0, at).toString());
    const out = writeEvent(event.event, JSON.stringify(json));
    piece.text = bytes.subarray(at).toString();
    piece.set(piece.text);
    first.start += at;
    return out;
  }

  #field(name: string): Field | undefined {
    const { scan } = this.#options;
    let field = this.#fields.get(name);
    if (field === undefined) {
      if (scan === undefined) return undefined;
      field = { stream: scan(), pushed: 0, released: 0, text: '' };
      this.#fields.set(name, field);
    }
    return field;
  }

  #push(field: Field, text: string, isLast: boolean): GuardFinding[] {
    const { findings, released } = field.stream.push(text, isLast);
    field.released = released;
    field.text += text;
    return findings;
  }
}

function parsed(data: string | undefined): JsonObject | undefined {
  if (data === undefined || !textOf(data).startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
