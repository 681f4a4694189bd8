// What has been started is ended in the opposite order, each part once, whatever fails.

type Step = () => Promise<unknown>;

export class Cleanup {
  readonly #steps: Step[] = [];
  readonly #last: Step[] = [];
  #running: Promise<void> | undefined;

  /** Ends what was just started. */
  add(step: Step): void {
    this.#steps.push(step);
  }

  /** Runs after everything else but what was added before anything. */
  addLast(step: Step): void {
    this.#last.push(step);
  }

  /** True from the moment that `run` was called. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Runs every step, the latest first; safe to call again. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    const [first, ...others] = this.#steps;
    const order = [...others.reverse(), ...this.#last, ...(first === undefined ? [] : [first])];
    // A part that does not end well must not keep the others from ending.
    for (const step of order) await step().catch(() => {});
  }
}
