// The store of tools in a relational database, read once and then answered from memory.
import { DatabaseError } from '../../runtime/errors.ts';
import type { Database } from '../common/database/port.ts';
import { MemoryToolStore, type ToolRecord, type ToolStore } from './tools.ts';

const schema = `
create table if not exists gateway_tools (
  name text primary key,
  service text not null,
  record text not null
)`;

// One statement whatever the number of tools: all of them or none.
const upsert = `
insert into gateway_tools (name, service, record)
  select name, service, record
  from json_to_recordset($1::json) as batch(name text, service text, record text)
  on conflict (name) do update set service = excluded.service, record = excluded.record`;

/**
 * Keeps tools in the table `gateway_tools`. The first use reads all of them, so that a database which
 * goes away later stops registrations and no calls. One gateway writes to a table at a time: another
 * one sees its changes when it starts.
 */
export class DatabaseToolStore implements ToolStore {
  readonly #database: Pick<Database, 'query' | 'script'>;
  #loaded: Promise<MemoryToolStore> | undefined;

  constructor(database: Pick<Database, 'query' | 'script'>) {
    this.#database = database;
  }

  async get(name: string): Promise<ToolRecord | undefined> {
    return (await this.#memory()).get(name);
  }

  async list(): Promise<ToolRecord[]> {
    return (await this.#memory()).list();
  }

  async put(records: readonly ToolRecord[]): Promise<void> {
    const memory = await this.#memory();
    const batch = records.map((record) => ({
      name: record.tool.name,
      service: record.tool.service,
      record: JSON.stringify(record),
    }));
    await this.#database.query(upsert, [JSON.stringify(batch)]);
    await memory.put(records);
  }

  /** A load that failed is tried again at the next use. */
  #memory(): Promise<MemoryToolStore> {
    this.#loaded ??= this.#load().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #load(): Promise<MemoryToolStore> {
    await this.#database.script(schema);
    const rows = await this.#database.query('select name, record from gateway_tools');
    const memory = new MemoryToolStore();
    await memory.put(rows.map(({ name, record }) => parse(String(name), String(record))));
    return memory;
  }
}

function parse(name: string, text: string): ToolRecord {
  try {
    const record = JSON.parse(text) as ToolRecord;
    if (record.tool.name === name) return record;
  } catch {
    // Falls through: what is no record is a fault of the database's content.
  }
  throw new DatabaseError('database_query_failed', `the stored tool ${name} is damaged`);
}
