// Wraps a client of a language model: every call is a span, is scanned, and its tool calls are shown to policy.
import { ConfigurationError } from '../errors.ts';
import { anthropicMessages } from './anthropic.ts';
import { mistralChat, openaiChat, openaiCompletions } from './chat.ts';
import { type Fetch, guardedFetch } from './exchange.ts';
import { googleContent } from './google.ts';
import { Guarding, isEnabled } from './guarding.ts';
import { openaiResponses } from './responses.ts';
import type { ToolCall } from './wire.ts';

export { extractPromptText } from './content.ts';
export type { ToolCall } from './wire.ts';

export interface LlmOptions {
  /** Records prompts and responses as span attributes; for development. */
  captureContent?: boolean;
  /**
   * Asked about every tool call of a response before any part of it is handed over. What it throws is thrown;
   * `false`, or an object whose `allow` is false, throws a CredentialError (`tool_call_denied`).
   */
  onToolCall?: (call: ToolCall) => unknown;
}

/** How a provider's client is given another `fetch`; undefined when it is not that provider's. */
type Adapter = (client: Client, wrap: (next: Fetch) => Fetch) => object | undefined;

// biome-ignore lint/suspicious/noExplicitAny: four packages that the SDK does not depend on
type Client = any;

const ADAPTERS: readonly { wires: Parameters<typeof guardedFetch>[1]; adapt: Adapter }[] = [
  { wires: [openaiChat, openaiResponses, openaiCompletions], adapt: openai },
  { wires: [anthropicMessages], adapt: anthropic },
  { wires: [googleContent], adapt: google },
  { wires: [mistralChat], adapt: mistral },
];

/**
 * Returns a client of the same class whose calls to models are observed, and guarded where
 * `PLATFORM_LLM_GUARD_ENABLED` says so: prompts are scanned before they leave, responses before they are handed
 * over, streams as they come. A block throws a GuardrailError, in streams from the iterator; a helper of the
 * provider that wraps every error, such as Anthropic's `messages.stream()`, has it as `cause`. The client given
 * stays as it was. Throws a ConfigurationError for a client of none of the four providers.
 *
 * @example
 * const client = platformLlm(new OpenAI());
 * await client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] });
 */
export function platformLlm<LlmClient extends object>(
  client: LlmClient,
  options: LlmOptions = {},
): LlmClient {
  const { captureContent = false, onToolCall } = options;
  const guarding = isEnabled() ? new Guarding() : undefined;
  for (const { wires, adapt } of ADAPTERS) {
    const wrap = (next: Fetch) =>
      guardedFetch(next, wires, { captureContent, onToolCall, ...(guarding && { guarding }) });
    const wrapped = adapt(client, wrap);
    if (wrapped !== undefined) return wrapped as LlmClient;
  }
  throw new ConfigurationError(
    'platformLlm wraps clients of OpenAI, Anthropic, Google and Mistral',
  );
}

function openai(client: Client, wrap: (next: Fetch) => Fetch): object | undefined {
  if (client.chat?.completions === undefined || typeof client.withOptions !== 'function') return;
  return client.withOptions({ fetch: wrap(client.fetch ?? fetch) });
}

function anthropic(client: Client, wrap: (next: Fetch) => Fetch): object | undefined {
  if (client.messages?.create === undefined || typeof client.withOptions !== 'function') return;
  return client.withOptions({ fetch: wrap(client.fetch ?? fetch) });
}

function google(client: Client, wrap: (next: Fetch) => Fetch): object | undefined {
  if (client.models?.generateContentStream === undefined) return;
  const given = client.apiClient?.clientOptions;
  if (given === undefined) return;
  const httpOptions = { ...given.httpOptions, fetch: wrap(given.httpOptions?.fetch ?? fetch) };
  return new client.constructor({ ...given, httpOptions });
}

function mistral(client: Client, wrap: (next: Fetch) => Fetch): object | undefined {
  const given = client._options;
  if (given === undefined || typeof client.chat?.complete !== 'function') return;
  const next = given.httpClient;
  const request = wrap((input, init) => {
    // A body that was changed makes another request of the same kind.
    const asked = new Request(input, init);
    return next === undefined ? fetch(asked) : next.request(asked);
  });
  return new client.constructor({ ...given, httpClient: { request } });
}
