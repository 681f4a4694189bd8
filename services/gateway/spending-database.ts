// What was spent by month in a relational database, so that a restart does not begin a budget anew.
import type { Database } from '../common/database/port.ts';
import type { Spending } from './spending.ts';

const schema = `
create table if not exists gateway_spending (
  subject text not null,
  month text not null,
  minor bigint not null,
  primary key (subject, month)
)`;

// One statement, so that of additions at one time each sees the others, in every process.
const addition = `
insert into gateway_spending (subject, month, minor) values ($1, $2, $3)
  on conflict (subject, month) do update set minor = gateway_spending.minor + excluded.minor
  returning minor`;

/** Keeps sums in the table `gateway_spending`; the first use creates it. */
export class DatabaseSpending implements Spending {
  readonly #database: Pick<Database, 'query' | 'script'>;
  #ready: Promise<void> | undefined;

  constructor(database: Pick<Database, 'query' | 'script'>) {
    this.#database = database;
  }

  async add(subject: string, month: string, minor: number): Promise<number> {
    // What failed is tried again at the next use.
    this.#ready ??= this.#database.script(schema).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
    const [row] = await this.#database.query(addition, [subject, month, minor]);
    return Number(row!.minor);
  }
}
