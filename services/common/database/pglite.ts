// The embedded database: PGlite in a thread of its own, so that no query holds up a service.
import { Worker } from 'node:worker_threads';
import { DatabaseError } from '../../../runtime/errors.ts';
import type { PgliteConfig } from './pglite-here.ts';
import type { Answer, Command } from './pglite-worker.ts';
import type { Database, Queries, SqlRow } from './port.ts';

/**
 * Opens PGlite. It runs with `fsync` off: what must survive a power cut is written elsewhere first
 * (evidence rows to their segment), and can be indexed again from there. A thread that dies is
 * replaced at the next call; what was in flight fails with `database_unavailable`.
 */
export async function openPglite(config: PgliteConfig = {}): Promise<Database> {
  const thread = new Thread(config);
  try {
    await thread.call({ kind: 'open' });
  } catch (error) {
    await thread.end();
    throw error;
  }
  return {
    query: (text, values = []) => thread.call({ kind: 'query', text, values }),
    async script(text) {
      await thread.call({ kind: 'script', text });
    },
    transaction: (work) => inTransaction(thread, work),
    close: () => thread.close(),
  };
}

async function inTransaction<Result>(
  thread: Thread,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  const transaction = thread.nextTransaction();
  await thread.call({ kind: 'begin', transaction });
  try {
    const result = await work({
      query: (text, values = []) => thread.call({ kind: 'query', text, values, transaction }),
    });
    await thread.call({ kind: 'commit', transaction });
    return result;
  } catch (error) {
    await thread.call({ kind: 'rollback', transaction }).catch(() => {});
    throw error;
  }
}

interface Waiting {
  resolve: (rows: SqlRow[]) => void;
  reject: (error: DatabaseError) => void;
}

/** The thread, its questions and answers. It keeps the process alive only while one is open. */
class Thread {
  readonly #config: PgliteConfig;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #calls = 0;
  #transactions = 0;
  #closed = false;

  constructor(config: PgliteConfig) {
    this.#config = config;
  }

  nextTransaction(): number {
    return this.#transactions++;
  }

  call(command: Command): Promise<SqlRow[]> {
    if (this.#closed) return Promise.reject(unavailable('the database is closed'));
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#calls++;
    worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, command });
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const closing = this.#worker && this.call({ kind: 'close' });
    this.#closed = true;
    await closing;
    await this.end();
  }

  /** Ends the thread as it is. */
  async end(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const url = new URL('./pglite-worker.ts', import.meta.url);
    // The options of the process may be such as no thread can have, like those of `node -e`.
    const worker = new Worker(url, { workerData: this.#config, execArgv: [] });
    worker.on('message', (answer: Answer) => this.#settle(worker, answer));
    worker.on('error', (cause) => this.#lose(worker, cause));
    worker.on('exit', () => this.#lose(worker, undefined));
    return worker;
  }

  #settle(worker: Worker, answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) worker.unref();
    if ('rows' in answer) waiting?.resolve(answer.rows);
    else {
      const { code, message, data } = answer.failure;
      waiting?.reject(new DatabaseError(code, message, { data }));
    }
  }

  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) {
      reject(unavailable('the thread of the database ended', cause));
    }
    this.#waiting.clear();
  }
}

function unavailable(message: string, cause?: unknown): DatabaseError {
  return new DatabaseError('database_unavailable', message, { cause });
}
