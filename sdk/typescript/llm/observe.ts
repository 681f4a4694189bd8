// The span and the metrics of one call to a model.
import { ATTRIBUTE, METRIC, SPAN } from '../../../runtime/telemetry/names.ts';
import { currentAgent } from '../agent.ts';
import { count, histogram, type OpenSpan, openSpan } from '../telemetry.ts';
import type { Segment } from './content.ts';
import { costOf } from './prices.ts';
import type { Answer, Wire } from './wire.ts';

/** One call, from before its prompt is scanned until its last piece was released. */
export class Observed {
  readonly span: OpenSpan;
  readonly #wire: Wire;
  readonly #model: string;
  readonly #started = performance.now();
  #isOver = false;

  constructor(wire: Wire, model: string) {
    this.#wire = wire;
    this.#model = model;
    const agent = currentAgent();
    this.span = openSpan(SPAN.llmChat, {
      [ATTRIBUTE.genAiSystem]: wire.system,
      [ATTRIBUTE.genAiProvider]: wire.provider,
      [ATTRIBUTE.genAiOperation]: wire.operation,
      [ATTRIBUTE.genAiRequestModel]: model,
      ...(agent === undefined
        ? {}
        : { [ATTRIBUTE.agentName]: agent.agentName, [ATTRIBUTE.tenant]: agent.tenant }),
    });
  }

  /** Records the texts of a prompt; only where the user asked for it. */
  prompt(segments: readonly Segment[]): void {
    const messages = segments.map(({ role, text }) => ({ role, content: text }));
    this.span.set({ [ATTRIBUTE.genAiInput]: JSON.stringify(messages) });
  }

  /** Ends the call that was answered. */
  answered(answer: Answer, capturesContent: boolean): void {
    if (this.#isOver) return;
    this.#note(answer);
    if (capturesContent) {
      const messages = answer.texts.map((content) => ({ role: 'assistant', content }));
      this.span.set({ [ATTRIBUTE.genAiOutput]: JSON.stringify(messages) });
    }
    this.#end();
  }

  /** Ends the call that failed; an error's message may hold data, so its name alone is told. */
  failed(error: unknown, answer?: Answer, status?: string): void {
    if (this.#isOver) return;
    if (answer !== undefined) this.#note(answer);
    const name = error instanceof Error ? error.name : 'Error';
    this.span.set({ [ATTRIBUTE.errorType]: name });
    this.span.fail(status ?? name);
    count(METRIC.llmErrors, 1, { ...this.#labels(), [ATTRIBUTE.errorTypeLabel]: name });
    this.#end();
  }

  #note({ id, model, finishReasons, usage }: Answer): void {
    if (id !== undefined) this.span.set({ [ATTRIBUTE.genAiResponseId]: id });
    if (model !== undefined) this.span.set({ [ATTRIBUTE.genAiResponseModel]: model });
    if (finishReasons.length > 0) this.span.set({ [ATTRIBUTE.genAiFinishReasons]: finishReasons });
    if (usage === undefined) return;
    this.span.set({
      [ATTRIBUTE.genAiInputTokens]: usage.input,
      [ATTRIBUTE.genAiOutputTokens]: usage.output,
      [ATTRIBUTE.genAiTotalTokens]: usage.input + usage.output,
    });
    const cost = costOf(model ?? this.#model, usage);
    if (cost !== undefined) this.span.set({ [ATTRIBUTE.llmCost]: cost });
    const labels = { ...this.#labels(), agent: currentAgent()?.agentName ?? '' };
    count(METRIC.llmInputTokens, usage.input, labels);
    count(METRIC.llmOutputTokens, usage.output, labels);
  }

  #labels(): Record<string, string> {
    return { model: this.#model, provider: this.#wire.system };
  }

  #end(): void {
    this.#isOver = true;
    const milliseconds = performance.now() - this.#started;
    this.span.set({ [ATTRIBUTE.durationMs]: milliseconds });
    count(METRIC.llmCalls, 1, this.#labels());
    histogram(METRIC.llmDuration, milliseconds / 1000, this.#labels());
    this.span.end();
  }
}
