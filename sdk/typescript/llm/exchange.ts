// One request to a model: its prompt is scanned before it leaves, its response before it is handed over.
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts';
import {
  ATTRIBUTE,
  BLOCKED_BY_GUARD,
  OUTPUT_BLOCKED_BY_GUARD,
} from '../../../runtime/telemetry/names.ts';
import { CredentialError, type GuardrailError, type ScannerReport } from '../errors.ts';
import { reports } from '../scan.ts';
import { promptSegments } from './content.ts';
import { readEvents } from './events.ts';
import { blocked, type Guarding } from './guarding.ts';
import { Hold } from './hold.ts';
import { Observed } from './observe.ts';
import { type Answer, emptyAnswer, objects, type ToolCall, type Wire } from './wire.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface ExchangeOptions {
  /** Undefined when nothing is scanned. */
  guarding?: Guarding;
  captureContent: boolean;
  onToolCall?: (call: ToolCall) => unknown;
}

/** A call that is covered, as its parts need it. */
interface Call extends ExchangeOptions {
  wire: Wire;
  model: string;
  observed: Observed;
  /** We asked for the usage: the caller does not get the chunk that carries it. */
  hidesUsage: boolean;
}

/** A `fetch` that does for the wires of models what platform_llm promises; other requests pass untouched. */
export function guardedFetch(next: Fetch, wires: readonly Wire[], options: ExchangeOptions): Fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    const wire = wires.find(({ path }) => path.test(url.pathname));
    if (wire === undefined || method.toUpperCase() !== 'POST') return next(input, init);
    const body = await requestBody(input, init);
    const isStream = wire.isStream(body, url);
    const model = wire.model(body, url);
    const observed = new Observed(wire, model);
    const hidesUsage =
      isStream && wire.path.source.includes('chat\\/completions') && wire.system === 'openai'
        ? body.stream_options === undefined
        : false;
    const call: Call = { ...options, wire, model, observed, hidesUsage };
    return observed.span.within(async () => {
      const refusal = checkPrompt(call, body);
      if (refusal !== undefined) return failing(refusal);
      const sent = hidesUsage
        ? withBody(input, init, { ...body, stream_options: { include_usage: true } })
        : ([input, init] as const);
      let response: Response;
      try {
        response = await next(...sent);
      } catch (error) {
        observed.failed(error);
        throw error;
      }
      if (!response.ok) {
        observed.failed(new Error(), undefined, `HTTP ${response.status}`);
        return response;
      }
      const type = response.headers.get('content-type') ?? '';
      return type.startsWith('text/event-stream')
        ? streamed(call, response)
        : whole(call, response);
    });
  };
}

async function requestBody(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<JsonObject> {
  const text =
    init?.body === undefined && input instanceof Request
      ? await input.clone().text()
      : await new Response(init?.body).text();
  const body: unknown = JSON.parse(text);
  if (!isJsonObject(body)) throw new TypeError('the body of the request is no JSON object');
  return body;
}

function withBody(
  input: string | URL | Request,
  init: RequestInit | undefined,
  body: JsonObject,
): readonly [string | URL | Request, RequestInit | undefined] {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  headers.delete('content-length');
  return [input, { ...init, headers, body: JSON.stringify(body) }];
}

/** The error of a prompt that must not leave, or undefined. */
function checkPrompt(call: Call, body: JsonObject): GuardrailError | undefined {
  const { guarding, observed } = call;
  const segments = promptSegments(body);
  const found = guarding?.prompt(segments) ?? {};
  if (Object.keys(found).length > 0) {
    const { blocks } = guarding!;
    note(call, found, ATTRIBUTE.promptBlocked, ATTRIBUTE.blockingScanners);
    if (blocks) {
      const error = blocked('guard_blocked', found);
      observed.failed(error, undefined, BLOCKED_BY_GUARD);
      return error;
    }
  }
  if (call.captureContent) observed.prompt(segments);
  return undefined;
}

function note(
  { observed, guarding }: Call,
  found: Record<string, ScannerReport>,
  blockedName: string,
  scannersName: string,
): void {
  observed.span.set({
    [blockedName]: guarding!.blocks,
    [scannersName]: Object.keys(found).toSorted().join(','),
  });
}

/** A response whose body cannot be read: clients retry and wrap what `fetch` throws, but not this. */
function failing(error: unknown): Response {
  const body = new ReadableStream({ start: (controller) => controller.error(error) });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}

async function whole(call: Call, response: Response): Promise<Response> {
  const { wire, observed, captureContent } = call;
  const text = await response.text();
  let answer: Answer | undefined;
  try {
    answer = wire.read(JSON.parse(text) as JsonObject);
    const { texts, others, tools } = answer;
    checkOutput(call, () => [...texts, ...others, ...tools.map((tool) => tool.arguments)]);
    await showTools(call, answer);
  } catch (error) {
    observed.failed(error, answer, statusOf(error));
    return failing(error);
  }
  observed.answered(answer, captureContent);
  return new Response(text, { status: response.status, headers: passed(response) });
}

function checkOutput(call: Call, texts: () => string[]): void {
  if (call.guarding === undefined) return;
  refuse(call, call.guarding.response(texts()));
}

/** Throws when something was found and detections block. */
function refuse(call: Call, found: Record<string, ScannerReport>): void {
  if (Object.keys(found).length === 0) return;
  note(call, found, ATTRIBUTE.outputBlocked, ATTRIBUTE.outputBlockingScanners);
  if (call.guarding!.blocks) throw blocked('guard_output_blocked', found);
}

function statusOf(error: unknown): string | undefined {
  const { code } = error as { code?: string };
  return code === 'guard_output_blocked' ? OUTPUT_BLOCKED_BY_GUARD : undefined;
}

/** Asks about every tool call of a response; throws for one that is denied. */
async function showTools({ onToolCall, wire, model }: Call, answer: Answer): Promise<void> {
  if (onToolCall === undefined) return;
  for (const tool of answer.tools) {
    if (tool === undefined) continue;
    const verdict = await onToolCall({
      ...tool,
      provider: wire.system,
      model: answer.model ?? model,
    });
    const isObject = isJsonObject(verdict);
    if (verdict !== false && !(isObject && verdict.allow === false)) continue;
    const id = isObject ? verdict.decision_id : undefined;
    throw new CredentialError('tool_call_denied', `the call of ${tool.name} is denied`, {
      data: typeof id === 'string' ? { decision_id: id } : {},
    });
  }
}

/** The headers of a response whose body was read and is written again. */
function passed(response: Response): Headers {
  const headers = new Headers(response.headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding'])
    headers.delete(name);
  return headers;
}

function streamed(call: Call, response: Response): Response {
  const upstream = new AbortController();
  const source = pump(call, response, upstream.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await source.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        controller.error(error);
      }
    },
    async cancel() {
      upstream.abort();
      await source.return(undefined);
    },
  });
  return new Response(body, { status: response.status, headers: passed(response) });
}

/** What may leave of a stream, piece by piece; the connection is closed however this ends. */
async function* pump(call: Call, response: Response, signal: AbortSignal): AsyncGenerator<string> {
  const { wire, observed, guarding, captureContent, onToolCall, hidesUsage } = call;
  const answer = emptyAnswer();
  const hold = new Hold({
    ...{ wire, answer, holdsTools: onToolCall !== undefined },
    ...(guarding === undefined ? {} : { scan: () => guarding.stream() }),
    hides: (event) => hidesUsage && isUsageOnly(event),
  });
  try {
    for await (const event of readEvents(response.body as unknown as AsyncIterable<Uint8Array>)) {
      signal.throwIfAborted();
      refuse(call, reports(hold.add(event)));
      const out = hold.release(false);
      if (out !== '') yield out;
    }
    refuse(call, reports(hold.end()));
    await showTools(call, answer);
    const out = hold.release(true);
    if (out !== '') yield out;
    observed.answered(
      { ...answer, ...(guarding === undefined ? {} : hold.texts()) },
      captureContent,
    );
  } catch (error) {
    observed.failed(error, answer, statusOf(error));
    await response.body?.cancel().catch(() => undefined);
    throw error;
  } finally {
    // A reader that went away early.
    observed.answered(answer, false);
  }
}

function isUsageOnly(event: JsonObject): boolean {
  return (
    isJsonObject(event.usage) && Array.isArray(event.choices) && objects(event.choices).length === 0
  );
}
