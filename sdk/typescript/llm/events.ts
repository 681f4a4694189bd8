// Server-sent events: from bytes to events and back (https://html.spec.whatwg.org/multipage/server-sent-events.html).

/** One event; `data` is its lines joined by line feeds, undefined where there are none. */
export interface ServerEvent {
  event?: string;
  data?: string;
  /** Its other lines: `id`, `retry`, and what is no field. */
  others: string[];
}

/** An event that is longer is refused: no provider sends one, and it would be held in memory. */
const EVENT_CHARACTERS_MAX = 16 << 20;

/**
 * Cuts a stream of bytes into events; ends with the stream, also amid an event. Lines end as every client ends them,
 * by CR LF, LF or CR in any mixture, so that none sees other events than are judged here.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void> {
  let lines: string[] = [];
  let characters = 0;
  for await (const line of readLines(body)) {
    characters += line.length + 1;
    if (characters > EVENT_CHARACTERS_MAX) throw new RangeError('an event is too long');
    if (line !== '') {
      lines.push(line);
      continue;
    }
    if (lines.length > 0) yield parse(lines);
    lines = [];
    characters = 0;
  }
  if (lines.length > 0) yield parse(lines);
}

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  // Pieces of a line are joined when it ends: joining them as they come takes quadratic time.
  let waiting: string[] = [];
  let characters = 0;
  let endedByReturn = false;
  for await (const bytes of body) {
    let text = decoder.decode(bytes, { stream: true });
    if (text === '') continue;
    // The line feed of a CR LF that two pieces share.
    if (endedByReturn && text.startsWith('\n')) text = text.slice(1);
    endedByReturn = text === '' ? false : text.endsWith('\r');
    const parts = text.split(/\r\n|\n|\r/);
    for (const part of parts.slice(0, -1)) {
      yield waiting.length === 0 ? part : waiting.join('') + part;
      waiting = [];
      characters = 0;
    }
    const rest = parts.at(-1)!;
    characters += rest.length;
    if (characters > EVENT_CHARACTERS_MAX) throw new RangeError('an event is too long');
    if (rest !== '') waiting.push(rest);
  }
  const rest = waiting.join('') + decoder.decode();
  if (rest !== '') yield rest;
}

function parse(lines: readonly string[]): ServerEvent {
  const event: ServerEvent = { others: [] };
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event.event = value;
    // What a comment says reaches nobody; that there is one keeps connections open.
    else event.others.push(colon === 0 ? ':' : line);
  }
  if (data.length > 0) event.data = data.join('\n');
  return event;
}

/** An event as text, ready to be sent, with other data than it came with where that is given. */
export function writeEvent({ event, others, data }: ServerEvent, given = data): string {
  const named = event === undefined ? [] : [`event: ${event}`];
  const lines = given === undefined ? [] : given.split('\n').map((line) => `data: ${line}`);
  return [...named, ...others, ...lines, '', ''].join('\n');
}
