// What the test server answers for one model, and how it is cut into the events of a stream.

/** One tool call of an answer. */
export interface ReplyTool {
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
  /** The same text in pieces, for streams. */
  pieces: string[];
}

/** An answer, apart from any provider's wire. */
export interface Reply {
  /** What the response names as its model. */
  model: string;
  text: string;
  /** The same text in pieces, for streams. */
  pieces: string[];
  /** What the model thought, where the wire has a place for it. */
  reasoning: string;
  tools: ReplyTool[];
  /** The provider's own word; without it the usual one for text or for tool calls. */
  finish?: string;
  usage: { input: number; output: number; cached: number };
  /** HTTP status; other than 200, the wire's error object with `message`. */
  status: number;
  message: string;
  headers: Record<string, string>;
  /** Before each event of a stream. */
  delayMs: number;
  /** After how many events a stream breaks: by an event of the wire, or by cutting the connection. */
  failAfter?: { events: number; how: 'event' | 'cut' };
}

/** One event of a stream, as `event:` (some wires have none) and `data:`. */
export interface StreamEvent {
  event?: string;
  data: unknown;
}

/** What one provider's wire says. */
export interface Wire {
  whole(reply: Reply, id: number, body: Record<string, unknown>): unknown;
  stream(reply: Reply, id: number, body: Record<string, unknown>): StreamEvent[];
  error(reply: Reply): unknown;
  /** The event by which the wire tells of an error amid a stream. */
  broken(reply: Reply): StreamEvent;
  /** Ends the stream, as `[DONE]` does; absent where the connection's end does. */
  done?: string;
}

type Given = Record<string, unknown>;

/** Reads `PUT /replies/MODEL`; what is not given has a value that most tests can do with. */
export function readReply(model: string, given: Given = {}): Reply {
  const pieces = list(given.pieces) ?? split(String(given.text ?? `Hello from ${model}.`));
  const usage = (given.usage ?? {}) as Partial<Reply['usage']>;
  return {
    model: String(given.model ?? model),
    text: pieces.join(''),
    pieces,
    reasoning: String(given.reasoning ?? ''),
    tools: ((given.tools ?? []) as Given[]).map(readTool),
    finish: given.finish as string | undefined,
    usage: { input: usage.input ?? 11, output: usage.output ?? 7, cached: usage.cached ?? 0 },
    status: Number(given.status ?? 200),
    message: String(given.message ?? 'the server was told to fail'),
    headers: (given.headers ?? {}) as Record<string, string>,
    delayMs: Number(given.delay_ms ?? 0),
    failAfter: given.fail_after as Reply['failAfter'],
  };
}

function readTool(given: Given, index: number): ReplyTool {
  const value = given.arguments ?? {};
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const pieces = list(given.pieces) ?? split(text);
  return {
    id: String(given.id ?? `call_${index}`),
    name: String(given.name ?? 'lookup'),
    arguments: pieces.join(''),
    pieces,
  };
}

function list(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

/** Pieces of about a token's size, never half a code point. */
function split(text: string): string[] {
  const points = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += 4) pieces.push(points.slice(at, at + 4).join(''));
  return pieces;
}
