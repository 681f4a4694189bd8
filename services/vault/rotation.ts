// The master keys in force, and the change from one to the next while secrets are read and written.
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Database, SqlRow } from '../common/database/port.ts';
import type { MasterKeys } from './master-keys.ts';
import { type MasterKey, type Place, rewrap } from './seal.ts';

/** One version by its primary key. */
type VersionId = Pick<Place, 'scope' | 'key' | 'version'>;

export interface RotationConfig {
  database: Pick<Database, 'query' | 'transaction'>;
  masterKeys: MasterKeys;
  clock: () => Date;
  /** Told after each batch, so that nobody keeps what was wrapped before. */
  onRewrapped: (versions: readonly VersionId[]) => void;
  /** Told of trouble that does not stop the vault: a batch that has to be tried again. */
  onTrouble: (error: unknown) => void;
  batchSize?: number;
  retryMs?: number;
}

const list = 'select id, is_current from vault_master_keys';
const begin = `
insert into vault_master_keys (id, is_current, created_at) values ($1, true, $2)
on conflict do nothing`;
const retire = 'update vault_master_keys set is_current = false where is_current';
const enforce = `
insert into vault_master_keys (id, is_current, created_at) values ($1, true, $2)
on conflict (id) do update set is_current = true`;
const batch = `
select spiffe_scope, key, version, wrapped_key, master_key from vault_versions
where master_key in (select id from vault_master_keys where not is_current)
  and (spiffe_scope, key, version) > ($1, $2, $3)
order by spiffe_scope, key, version limit $4 for update skip locked`;
const store = `
update vault_versions v set wrapped_key = decode(r.wrapped, 'hex'), master_key = $1
from unnest($2::text[], $3::text[], $4::bigint[], $5::text[]) as r(scope, key, version, wrapped)
where v.spiffe_scope = r.scope and v.key = r.key and v.version = r.version`;
const remaining = `
select count(*) as remaining from vault_versions
where master_key in (select id from vault_master_keys where not is_current)`;
const dropUnused = `
delete from vault_master_keys k where not is_current
  and not exists (select 1 from vault_versions v where v.master_key = k.id)
returning id`;

export class Rotation {
  readonly #config: Required<RotationConfig>;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #rewrapped = 0;
  #failed = 0;

  private constructor(config: RotationConfig) {
    this.#config = { batchSize: 100, retryMs: 1000, ...config };
  }

  /**
   * Checks that every key which wraps something is held, and goes on with a rotation that was cut
   * off. A vault without keys takes the newest held. Throws `master_key_wrong`.
   */
  static async open(config: RotationConfig): Promise<Rotation> {
    const rotation = new Rotation(config);
    const [newest] = config.masterKeys.held();
    if (newest === undefined) throw wrong();
    const known = await config.database.query(list);
    if (known.length === 0) {
      await config.database.query(begin, [newest.id, config.clock().toISOString()]);
    }
    const rows = await config.database.query(list);
    for (const { id } of rows) await rotation.key(id as string);
    if (rows.some((row) => row.is_current !== true)) rotation.#start();
    return rotation;
  }

  /** A master key by its id. Throws `master_key_wrong` when it is not held, also not by now. */
  async key(id: string): Promise<MasterKey> {
    const { masterKeys } = this.#config;
    const find = () => masterKeys.held().find((key) => key.id === id);
    let key = find();
    if (key === undefined) {
      await masterKeys.reload();
      key = find();
    }
    if (key === undefined) throw wrong();
    return key;
  }

  /**
   * Puts the newest held key in force, or a fresh one where keys can be added, and begins to rewrap.
   * While a rotation runs it goes on instead. Resolves to the ids of both keys once the new one is in
   * force. Throws `configuration_invalid` when there is no other key to go to.
   */
  async rotate(): Promise<{ from: string; to: string }> {
    const { database, masterKeys, clock } = this.#config;
    const from = await this.#currentId();
    if (this.#running !== undefined) return { from, to: from };
    await masterKeys.reload();
    let newest = masterKeys.held()[0];
    if (newest?.id === from) newest = await masterKeys.add?.();
    if (newest === undefined) {
      throw new PlatformError(
        'configuration_invalid',
        'there is no other master key to rotate to',
        {
          hint: 'start with the new key in ENCRYPTION_KEY and the present one in ENCRYPTION_KEY_PREVIOUS',
        },
      );
    }
    const to = newest.id;
    await database.transaction(async (queries) => {
      await queries.query(retire);
      await queries.query(enforce, [to, clock().toISOString()]);
    });
    this.#start();
    return { from, to };
  }

  /** Where the rotation stands; `failed` are versions whose data key does not unwrap. */
  async progress(): Promise<JsonObject> {
    const [row] = await this.#config.database.query(remaining);
    const left = (row as SqlRow).remaining as number;
    const state = this.#running ? 'running' : left > 0 ? 'incomplete' : 'idle';
    return {
      ...{ state, master_key: await this.#currentId() },
      ...{ rewrapped: this.#rewrapped, remaining: left, failed: this.#failed },
    };
  }

  /** Resolves when no rotation runs any more, finished or not. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Stops after the batch under way; the next start goes on from there. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #currentId(): Promise<string> {
    const rows = await this.#config.database.query(list);
    return rows.find((row) => row.is_current === true)?.id as string;
  }

  #start(): void {
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    this.#rewrapped = 0;
    while (!signal.aborted) {
      try {
        if (await this.#pass(signal)) return;
      } catch (error) {
        this.#config.onTrouble(error);
      }
      await sleep(this.#config.retryMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Walks over all versions once. Resolves to true when nothing is left that can be done. */
  async #pass(signal: AbortSignal): Promise<boolean> {
    const { database } = this.#config;
    let after: VersionId | undefined = { scope: '', key: '', version: 0 };
    this.#failed = 0;
    while (after !== undefined && !signal.aborted) after = await this.#rewrapBatch(after);
    if (signal.aborted) return true;
    const [row] = await database.query(remaining);
    if ((row as SqlRow).remaining !== 0) return this.#failed > 0;
    // A version that was added under the old key since then keeps the key by its foreign key.
    const dropped = await database.query(dropUnused);
    for (const { id } of dropped) await this.#config.masterKeys.drop?.(id as string);
    return true;
  }

  /** Rewraps the versions that come after one; resolves to the last of them, if any. */
  async #rewrapBatch(after: VersionId): Promise<VersionId | undefined> {
    const { database, batchSize, onRewrapped, onTrouble } = this.#config;
    const to = await this.key(await this.#currentId());
    const done = await database.transaction(async (queries) => {
      const position = [after.scope, after.key, after.version];
      const rows = await queries.query(batch, [...position, batchSize]);
      const versions: (VersionId & { wrapped: string })[] = [];
      for (const row of rows) {
        const from = await this.key(row.master_key as string);
        try {
          const wrapped = rewrap(row.wrapped_key as Uint8Array, from, to).toString('hex');
          versions.push({ ...versionId(row), wrapped });
        } catch (error) {
          if (codeOf(error) !== 'secret_corrupt') throw error;
          this.#failed += 1;
          onTrouble(error);
        }
      }
      await queries.query(store, [
        ...[to.id, versions.map(({ scope }) => scope), versions.map(({ key }) => key)],
        ...[versions.map(({ version }) => version), versions.map(({ wrapped }) => wrapped)],
      ]);
      const last = rows.at(-1);
      return { versions, last: last === undefined ? undefined : versionId(last) };
    });
    this.#rewrapped += done.versions.length;
    onRewrapped(done.versions);
    return done.last;
  }
}

function versionId(row: SqlRow): VersionId {
  const { spiffe_scope, key, version } = row;
  return { scope: spiffe_scope as string, key: key as string, version: version as number };
}

function wrong(): PlatformError {
  return new PlatformError('master_key_wrong', 'this is not the master key of the stored secrets', {
    hint: 'give the key that they were written under; while a rotation runs, both',
  });
}
