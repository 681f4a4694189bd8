// Asks the worker, which decides and compiles; a worker that is stopped is replaced by a fresh one.
import type { Kind, Message, Question, Questions } from '../protocol.ts';

/** Why a question has no answer. */
export class EngineError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ code, message, hint }: { code: string; message: string; hint?: string }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: EngineError): void;
}

/** The page's side of the worker. */
export class EngineClient {
  readonly #onProgress: (text: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker;
  #number = 0;

  constructor(onProgress: (text: string) => void) {
    this.#onProgress = onProgress;
    this.#worker = this.#start();
  }

  ask<K extends Kind>(kind: K, ask: Questions[K]['ask']): Promise<Questions[K]['answer']> {
    this.#number += 1;
    const question: Question<K> = { number: this.#number, kind, ask };
    return new Promise((resolve, reject) => {
      this.#waiting.set(question.number, { resolve: resolve as never, reject });
      this.#worker.postMessage(question);
    });
  }

  /** Ends whatever runs; the fresh worker has to load again. */
  stop(): void {
    this.#worker.terminate();
    this.#fail('stopped', 'Stopped');
    this.#worker = this.#start();
  }

  #start(): Worker {
    const worker = new Worker('/playground/worker.js');
    worker.onmessage = ({ data }: MessageEvent<Message>) => this.#take(data);
    worker.onerror = () => this.#fail('internal', 'The worker cannot be started; reload the page');
    return worker;
  }

  #take(message: Message): void {
    if ('progress' in message) {
      this.#onProgress(message.progress);
      return;
    }
    const waiting = this.#waiting.get(message.number);
    this.#waiting.delete(message.number);
    if ('failure' in message) waiting?.reject(new EngineError(message.failure));
    else waiting?.resolve(message.answer);
  }

  #fail(code: string, message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new EngineError({ code, message }));
    this.#waiting.clear();
  }
}
