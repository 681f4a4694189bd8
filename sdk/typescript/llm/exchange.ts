// One request to a model: its prompt is scanned before it leaves, its response before it is handed over.
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts';
import {
  ATTRIBUTE,
  BLOCKED_BY_GUARD,
  OUTPUT_BLOCKED_BY_GUARD,
} from '../../../runtime/telemetry/names.ts';
import {
  ConfigurationError,
  CredentialError,
  type GuardrailError,
  type ScannerReport,
} from '../errors.ts';
import { reports } from '../scan.ts';
import { promptSegments } from './content.ts';
import { readEvents } from './events.ts';
import { blocked, type Guarding } from './guarding.ts';
import { Hold, unescaped } from './hold.ts';
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
    const isJudged = options.guarding !== undefined || options.onToolCall !== undefined;
    const body = await requestBody(input, init);
    if (body === undefined) {
      if (!isJudged) return next(input, init);
      return failing(new ConfigurationError('requests of models are read as JSON only'));
    }
    const isStream = wire.isStream(body, url);
    const model = wire.model(body, url);
    const observed = new Observed(wire, model);
    const hidesUsage =
      isStream && wire.hasStreamOptions === true && body.stream_options === undefined;
    const call: Call = { ...options, wire, model, observed, hidesUsage };
    return observed.span.within(async () => {
      let refusal: unknown;
      try {
        refusal = checkPrompt(call, body);
      } catch (error) {
        observed.failed(error);
        refusal = error;
      }
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
      if (response.body === null) return whole(call, response);
      return type.trim().toLowerCase().startsWith('text/event-stream')
        ? streamed(call, response)
        : whole(call, response);
    });
  };
}

async function requestBody(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<JsonObject | undefined> {
  const text =
    init?.body === undefined && input instanceof Request
      ? await input.clone().text()
      : await new Response(init?.body).text();
  return jsonObject(text);
}

/** Undefined for what is none: the error of a parser would hold the text. */
function jsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
    const body = jsonObject(text);
    if (body !== undefined) answer = wire.read(body);
    else if (call.guarding !== undefined || call.onToolCall !== undefined) {
      throw new ConfigurationError('responses of models are read as JSON only');
    }
    if (answer !== undefined) {
      checkOutput(call, answer);
      await showTools(call, answer);
    }
  } catch (error) {
    observed.failed(error, answer, statusOf(error));
    return failing(error);
  }
  observed.answered(answer ?? emptyAnswer(), captureContent);
  return new Response(text, { status: response.status, headers: passed(response) });
}

function checkOutput(call: Call, { texts, others, tools }: Answer): void {
  if (call.guarding === undefined) return;
  const given = tools.map((tool) => tool.arguments);
  const meant = given.map((text) => unescaped(text) ?? '');
  refuse(call, call.guarding.response([texts.join('\n'), ...others, ...given, ...meant]));
}

/** Throws when something was found and detections block. */
function refuse(call: Call, found: Record<string, ScannerReport>): void {
  if (Object.keys(found).length === 0) return;
  note(call, found, ATTRIBUTE.outputBlocked, ATTRIBUTE.outputBlockingScanners);
  if (call.guarding!.blocks) throw blocked('guard_output_blocked', found);
}

function statusOf(error: unknown): string | undefined {
  const code = (error as { code?: string } | undefined | null)?.code;
  return code === 'guard_output_blocked' ? OUTPUT_BLOCKED_BY_GUARD : undefined;
}

/** Asks about every tool call of a response; throws for one that is denied. */
async function showTools({ onToolCall, wire, model }: Call, answer: Answer): Promise<void> {
  if (onToolCall === undefined) return;
  for (const tool of answer.tools) {
    const asked = { ...tool, provider: wire.system, model: answer.model ?? model };
    const verdict = await onToolCall(asked);
    // Whatever is no consent refuses.
    if (verdict === undefined || verdict === null || verdict === true) continue;
    const said = isJsonObject(verdict) ? verdict : {};
    if (said.allow === true) continue;
    const { reasons } = said;
    const id = said.decision_id ?? said.decisionId ?? said.id;
    throw new CredentialError('tool_call_denied', `the call of ${tool.name} is denied`, {
      data: {
        ...(typeof id === 'string' ? { decision_id: id } : {}),
        ...(reasons === undefined ? {} : { reasons }),
      },
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
  const upstream = response.body!.getReader();
  const gone = new AbortController();
  const source = pump(call, upstream, gone.signal);
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
      gone.abort();
      // First: a read that waits for the next piece would keep the connection open.
      await upstream.cancel().catch(() => undefined);
      await source.return(undefined);
    },
  });
  return new Response(body, { status: response.status, headers: passed(response) });
}

/** What may leave of a stream, piece by piece; the connection is closed however this ends. */
async function* pump(
  call: Call,
  upstream: ReadableStreamDefaultReader<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { wire, observed, guarding, captureContent, onToolCall, hidesUsage } = call;
  const answer = emptyAnswer();
  const hold = new Hold({
    ...{ wire, answer, holdsTools: onToolCall !== undefined },
    ...(guarding === undefined ? {} : { scan: () => guarding.stream() }),
    hides: (event) => hidesUsage && isUsageOnly(event),
  });
  try {
    for await (const event of readEvents(pieces(upstream))) {
      signal.throwIfAborted();
      refuse(call, reports(hold.add(event)));
      const out = hold.release(false);
      if (out !== '') yield out;
    }
    signal.throwIfAborted();
    refuse(call, reports(hold.end()));
    await showTools(call, answer);
    const out = hold.release(true);
    if (out !== '') yield out;
    observed.answered(
      { ...answer, ...(guarding === undefined ? {} : hold.texts()) },
      captureContent,
    );
  } catch (error) {
    // A reader that went away early is no failure.
    if (!signal.aborted) observed.failed(error, answer, statusOf(error));
    throw error;
  } finally {
    observed.answered(answer, false);
    await upstream.cancel().catch(() => undefined);
  }
}

async function* pieces(
  upstream: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { value, done } = await upstream.read();
    if (done) return;
    yield value;
  }
}

function isUsageOnly(event: JsonObject): boolean {
  return (
    isJsonObject(event.usage) && Array.isArray(event.choices) && objects(event.choices).length === 0
  );
}
