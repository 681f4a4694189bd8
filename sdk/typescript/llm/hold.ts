// Holds the events of a streamed response until the guard has released all of their text.
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts';
import type { GuardFinding, GuardStream } from '../../../runtime/modules/guard.ts';
import { ConfigurationError, InputError } from '../errors.ts';
import { type ServerEvent, writeEvent } from './events.ts';
import type { Answer, Piece, Wire } from './wire.ts';

/** Each open field has an instance of the guard module. */
const FIELDS_MAX = 512;
/** A character that JSON needs no escape for: whoever reads it gets other text than stands there. */
const ESCAPE = /\\u/;

interface HeldPiece {
  piece: Piece;
  field: Field;
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
  /** Undefined when the field has ended. */
  stream: GuardStream | undefined;
  pushed: number;
  released: number;
  parts: string[];
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
  /** The texts of fields that have ended, and of what came whole. */
  readonly #judged = new Set<string>();
  #opened = 0;
  #holdsTools: boolean;
  #queue: Held[] = [];

  constructor(options: HoldOptions) {
    this.#options = options;
    this.#holdsTools = options.holdsTools;
  }

  /**
   * Takes an event; returns what was found in its text, and in what was held, now that more is known. Throws a
   * ConfigurationError for an event that cannot be judged.
   */
  add(event: ServerEvent): GuardFinding[] {
    const held: Held = { event, pieces: [], isTool: false };
    const json = this.#read(event);
    const { wire, answer, hides } = this.#options;
    const pieces = json === undefined ? [] : wire.event(json, answer);
    if (json !== undefined && hides(json)) return [];
    this.#queue.push(held);
    if (json === undefined) return [];
    const findings: GuardFinding[] = [];
    if (pieces.length > 0) held.json = json;
    held.isTool = pieces.some(({ field }) => field.startsWith('tool'));
    for (const piece of pieces) if (!piece.isWhole) findings.push(...this.#take(piece, held));
    const ends = wire.ends?.(json);
    if (ends !== undefined) findings.push(...this.#end(ends));
    for (const piece of pieces) if (piece.isWhole) findings.push(...this.#takeWhole(piece, held));
    return findings;
  }

  /** Says that nothing more comes; returns what was found at the ends of the fields. */
  end(): GuardFinding[] {
    return this.#end(() => true);
  }

  /** The text of every field so far, as `answer.texts` and `others` have it. */
  texts(): { texts: string[]; others: string[] } {
    const all = [...this.#fields].filter(([name]) => !name.startsWith('tool'));
    const of = (isText: boolean) =>
      all
        .filter(
          ([name]) => isText === /^(text|refusal|response\.(output_text|refusal)) /.test(name),
        )
        .map(([, { parts }]) => parts.join(''));
    return { texts: of(true), others: of(false) };
  }

  /** The events that may leave now, as text; all of them once tool calls were allowed at the end. */
  release(areToolsAllowed: boolean): string {
    let out = '';
    while (this.#queue.length > 0) {
      const held = this.#queue[0]!;
      if (held.isTool && this.#holdsTools && !areToolsAllowed) return out;
      if (held.pieces.some(({ field, end }) => field.released < end)) {
        return out + this.#cut(held);
      }
      this.#queue.shift();
      const { event, json } = held;
      out += writeEvent(event, json === undefined ? event.data : JSON.stringify(json));
    }
    return out;
  }

  /** The released beginning of an event that is text only; the rest stays. */
  #cut({ event, json, pieces }: Held): string {
    const [first, ...more] = pieces;
    if (first === undefined || more.length > 0 || !this.#options.wire.canCut(json!)) return '';
    const { piece, start } = first;
    const { released } = first.field;
    if (released <= start) return '';
    const bytes = Buffer.from(piece.text);
    let at = released - start;
    while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
    if (at === 0) return '';
    piece.set(bytes.subarray(0, at).toString());
    const out = writeEvent(event, JSON.stringify(json));
    piece.text = bytes.subarray(at).toString();
    piece.set(piece.text);
    first.start += at;
    return out;
  }

  #take(piece: Piece, held: Held): GuardFinding[] {
    const field = this.#field(piece.field);
    if (field === undefined) return [];
    const findings = this.#push(field, piece.text, false);
    const start = field.pushed;
    field.pushed += Buffer.byteLength(piece.text);
    held.pieces.push({ piece, field, start, end: field.pushed });
    if (held.isTool && ESCAPE.test(field.parts.slice(-2).join(''))) this.#holdsTools = true;
    return findings;
  }

  /** What only repeats a text that was judged is not judged again. */
  #takeWhole(piece: Piece, held: Held): GuardFinding[] {
    const { scan } = this.#options;
    if (scan === undefined || this.#judged.has(piece.text)) return [];
    this.#count();
    const field: Field = { stream: scan(), pushed: 0, released: 0, parts: [] };
    field.pushed = Buffer.byteLength(piece.text);
    const findings = this.#push(field, piece.text, false);
    findings.push(...this.#close(field, held.isTool));
    held.pieces.push({ piece, field, start: 0, end: field.pushed });
    return findings;
  }

  #field(name: string): Field | undefined {
    const { scan } = this.#options;
    let field = this.#fields.get(name);
    if (scan === undefined || field?.stream !== undefined) return field;
    this.#count();
    const parts = field === undefined ? [] : field.parts;
    field = { stream: scan(), pushed: 0, released: 0, parts: [...parts] };
    this.#fields.set(name, field);
    return field;
  }

  #count(): void {
    this.#opened += 1;
    if (this.#opened > FIELDS_MAX) {
      throw new InputError('input_too_large', 'the response has too many parts');
    }
  }

  #end(ends: (field: string) => boolean): GuardFinding[] {
    return [...this.#fields]
      .filter(([name, { stream }]) => stream !== undefined && ends(name))
      .flatMap(([name, field]) => this.#close(field, name.startsWith('tool')));
  }

  #close(field: Field, isTool: boolean): GuardFinding[] {
    const findings = this.#push(field, '', true);
    field.stream = undefined;
    const text = field.parts.join('');
    this.#judged.add(text);
    const { scan } = this.#options;
    const meant = isTool ? unescaped(text) : undefined;
    if (meant !== undefined && scan !== undefined)
      findings.push(...scan().push(meant, true).findings);
    return findings;
  }

  #push(field: Field, text: string, isLast: boolean): GuardFinding[] {
    if (field.stream === undefined) return [];
    const { findings, released } = field.stream.push(text, isLast);
    field.released = released;
    if (text !== '') field.parts.push(text);
    return findings;
  }

  /** The JSON of an event; undefined where it has none, as the mark of the end. */
  #read({ data, others }: ServerEvent): JsonObject | undefined {
    // A line that is no field may be all of an error, which one client reads.
    const given = data ?? others.find((line) => line.trimStart().startsWith('{'));
    if (given === undefined || given.trim() === '' || given.trim() === '[DONE]') return undefined;
    const value = parsed(given);
    if (isJsonObject(value) && (data !== undefined || value.error !== undefined)) return value;
    throw new ConfigurationError('responses of models are read as JSON only');
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** The arguments of a tool as whoever reads them gets them, where they hold an escaped character. */
export function unescaped(text: string): string | undefined {
  if (!ESCAPE.test(text)) return undefined;
  const value = parsed(text);
  return value === undefined ? undefined : JSON.stringify(value);
}
