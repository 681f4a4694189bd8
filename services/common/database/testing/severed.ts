// A real PostgreSQL that ends its client's connections in the middle of things, for tests of writers.
import { eventually } from '../../../../runtime/testing/eventually.ts';
import { openPg } from '../pg.ts';
import type { Database, Queries } from '../port.ts';
import { startPostgres } from './postgres.ts';

const clientName = 'under-test';

/** Before the statement is sent, or while it is on its way; then either of both may come first. */
export type Cut = 'before' | 'during';

/**
 * A database whose connections the server ends at a step: each statement, and the commit of each
 * transaction, is one. Every other statement reaches the server as it is.
 */
export class SeverablePostgres implements Database {
  /** Past the failures: sees what the server has. */
  readonly admin: Database;
  /** How many steps there were since `cutAt`. */
  steps = 0;
  readonly #server = startPostgres();
  readonly #inner: Database;
  #at = 0;
  #cut: Cut = 'before';
  #severing: Promise<unknown> = Promise.resolve();

  constructor() {
    this.admin = openPg({ url: this.#server.url });
    this.#inner = openPg({ url: `${this.#server.url}&application_name=${clientName}` });
  }

  cutAt(step: number, cut: Cut): void {
    Object.assign(this, { steps: 0 });
    this.#at = step;
    this.#cut = cut;
  }

  /** No cuts from now on; resolves when the client has a connection again. */
  async heal(): Promise<void> {
    this.#at = 0;
    await this.#severing;
    await eventually(() =>
      this.#inner.query('select 1').then(
        () => true,
        () => false,
      ),
    );
  }

  /** Runs `work` against a locked table and ends its connection once it waits there. */
  async severWhileWaiting(table: string, work: () => Promise<unknown>): Promise<unknown> {
    let outcome: Promise<unknown> | undefined;
    await this.admin.transaction(async (queries) => {
      await queries.query(`lock table ${table} in access exclusive mode`);
      outcome = work().catch((error: unknown) => error);
      await eventually(async () => {
        const waiting = await this.admin.query(
          `select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`,
          [clientName],
        );
        return waiting.length > 0;
      });
      await this.#sever();
    });
    return await outcome;
  }

  query(text: string, values?: readonly unknown[]) {
    return this.#step(() => this.#inner.query(text, values));
  }

  script(text: string) {
    return this.#step(() => this.#inner.script(text));
  }

  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.#inner.transaction(async (queries) => {
      const result = await work({
        query: (text, values) => this.#step(() => queries.query(text, values)),
      });
      // The commit comes right after this; it is not waited for while it is under way.
      await this.#step(async () => {});
      return result;
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#inner.close(), this.admin.close()]);
    this.#server.remove();
  }

  async #step<Result>(run: () => Promise<Result>): Promise<Result> {
    this.steps += 1;
    if (this.steps !== this.#at) return await run();
    const severing = this.#sever();
    this.#severing = severing;
    if (this.#cut === 'before') await severing;
    return await run();
  }

  /** Resolves when the server has ended every connection of the client. */
  #sever(): Promise<unknown> {
    return this.admin.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1',
      [clientName],
    );
  }
}
