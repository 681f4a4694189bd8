// Server-sent events: from bytes to events and back (https://html.spec.whatwg.org/multipage/server-sent-events.html).

/** One event; `data` is its lines joined by line feeds, undefined for a comment. */
export interface ServerEvent {
  event?: string;
  data?: string;
  /** The lines as they came, for what is passed on untouched. */
  raw: string;
}

/** An event that is longer is refused: no provider sends one, and it would be held in memory. */
const EVENT_CHARACTERS_MAX = 16 << 20;

/** Cuts a stream of bytes into events; ends with the stream, also amid an event. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const bytes of body) {
    buffer += decoder.decode(bytes, { stream: true });
    const parts = buffer.split(/\r\n\r\n|\n\n|\r\r/);
    buffer = parts.pop()!;
    if (buffer.length > EVENT_CHARACTERS_MAX) throw new RangeError('an event is too long');
    for (const raw of parts) yield parse(raw);
  }
  buffer += decoder.decode();
  if (buffer.trim() !== '') yield parse(buffer);
}

function parse(raw: string): ServerEvent {
  const event: ServerEvent = { raw };
  const data: string[] = [];
  for (const line of raw.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') event.event = value;
  }
  if (data.length > 0) event.data = data.join('\n');
  return event;
}

/** An event as text, ready to be sent. */
export function writeEvent(event: string | undefined, data: string): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return `${event === undefined ? '' : `event: ${event}\n`}${lines.join('')}\n`;
}
