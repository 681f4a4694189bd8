// Asks the compiler's thread: one question at a time, few waiting, none for longer than its limit.
import { Worker } from 'node:worker_threads';
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { RegoFile } from '../../runtime/modules/rego.ts';
import type {
  Compiled,
  Query,
  QueryAnswer,
  WorkerAnswer,
  WorkerRequest,
} from './compiler-worker.ts';

const COMPILE_MS = 60_000;
const QUERY_MS = 10_000;
/** Each may hold the whole input and the whole data. */
const WAITING_MAX = 8;

interface Job {
  request: WorkerRequest;
  limitMs: number;
  resolve(answer: Compiled | QueryAnswer): void;
  reject(error: Error): void;
}

export class CompilerThread {
  #worker: Worker | undefined;
  #running: Job | undefined;
  #timer: NodeJS.Timeout | undefined;
  #waiting: Job[] = [];
  #number = 0;
  #closed = false;

  /**
   * The module that answers for every document of these sources.
   * @throws PlatformError `policy_invalid`, `compiler_failed`
   */
  compile(sources: { files: RegoFile[]; capabilities: JsonObject }): Promise<Compiled> {
    // Bundles come one by one, so that compiling needs no bound of its own.
    const request = { number: ++this.#number, compile: sources };
    return this.#ask(request, COMPILE_MS) as Promise<Compiled>;
  }

  /**
   * Answers one query with OPA's interpreter; errors of the evaluation are in the answer.
   * @throws PlatformError `service_unavailable` when too many wait, `query_failed` after ten seconds
   */
  async query(query: Query): Promise<QueryAnswer> {
    if (this.#waiting.length >= WAITING_MAX) {
      throw new PlatformError('service_unavailable', 'too many queries wait for the interpreter', {
        hint: 'ask again in a moment; packages and rules are answered without it',
      });
    }
    return (await this.#ask({ number: ++this.#number, query }, QUERY_MS)) as QueryAnswer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.splice(0)) job.reject(stopped());
    await this.#end(stopped());
  }

  #ask(request: WorkerRequest, limitMs: number): Promise<Compiled | QueryAnswer> {
    if (this.#closed) return Promise.reject(stopped());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, limitMs, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#running = job;
    this.#worker ??= this.#start();
    this.#timer = setTimeout(() => {
      const [code, what] =
        'query' in job.request
          ? (['query_failed', 'the query'] as const)
          : (['compiler_failed', 'the compiler'] as const);
      const message = `${what} ran over its limit of ${job.limitMs / 1000} s`;
      void this.#end(new PlatformError(code, message));
    }, job.limitMs);
    this.#worker.postMessage(job.request);
  }

  #start(): Worker {
    const worker = new Worker(new URL('./compiler-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    worker.unref();
    worker.on('message', (answer: WorkerAnswer) => {
      const job = this.#running;
      if (job === undefined || answer.number !== job.request.number) return;
      this.#finish();
      if ('failure' in answer) {
        const { code, message, data } = answer.failure;
        job.reject(new PlatformError(code, message, { data }));
      } else job.resolve(answer.answer);
      this.#next();
    });
    worker.on('error', (cause) => {
      if (this.#worker !== worker) return;
      void this.#end(new PlatformError('compiler_failed', 'the compiler stopped', { cause }));
    });
    return worker;
  }

  #finish(): void {
    clearTimeout(this.#timer);
    this.#running = undefined;
  }

  /** Ends the thread with what runs on it; the next question gets a new one. */
  async #end(error: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    const job = this.#running;
    this.#finish();
    job?.reject(error);
    await worker?.terminate();
    if (!this.#closed) this.#next();
  }
}

function stopped(): PlatformError {
  return new PlatformError('service_unavailable', 'the service is stopping');
}
