// Composes the vault: secrets by scope, sealed in the database, decided and evidenced one by one.
import type { Decider } from '../../runtime/decide/decide.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { Record } from '../../runtime/modules/record.ts';
import type { Scope } from '../../runtime/modules/scope.ts';
import { Counters } from '../common/counters.ts';
import type { Database } from '../common/database/port.ts';
import type { Route } from '../common/http/port.ts';
import { type KeyValue, MemoryKeyValue } from '../common/keyvalue/keyvalue.ts';
import { Ledger } from '../common/ledger.ts';
import { SecretCache } from './cache.ts';
import { Judge } from './judge.ts';
import type { MasterKeys } from './master-keys.ts';
import { Rotation } from './rotation.ts';
import { controlRoutes, secretRoutes } from './routes.ts';
import { createTables } from './schema.ts';
import { SecretStore } from './store.ts';
import { sweepExpired } from './sweep.ts';
import { type Quota, SecretWriter } from './writer.ts';

export interface VaultConfig {
  decider: Decider;
  evidence: Pick<EvidenceLog, 'append' | 'putObject'>;
  record: Record;
  scope: Pick<Scope, 'parse'>;
  trustDomain: string;
  database: Database;
  masterKeys: MasterKeys;
  /**
   * True where no other process writes to this database, as when it is embedded: sealed secrets are
   * then remembered in memory.
   */
  soleWriter?: boolean;
  /** Where operations are counted; in this process where it is not given. */
  keyValue?: KeyValue;
  /** What one tenant may keep; 1,000 secrets and 16 MiB where it is not given. */
  quota?: Quota;
  clock?: () => Date;
  /** Told of trouble that stops no request: a sweep or a rotation that has to be tried again. */
  onTrouble?: (error: unknown) => void;
  sweepMs?: number;
  /** Versions rewrapped at once, and how long a rotation waits after trouble. */
  rotationBatch?: number;
  rotationRetryMs?: number;
}

export interface Vault {
  /** Behind the proxy: agents, and services on behalf of agents. */
  routes: Route[];
  /** Behind the control socket only: the caller is the operator. */
  controlRoutes: Route[];
  rotation: Rotation;
  /** Purges what has expired; runs by itself every `sweepMs`. */
  sweep(): Promise<void>;
  /** Ends the background work; the database stays open. */
  close(): Promise<void>;
}

const sweepMsDefault = 60_000;
const quotaDefault: Quota = { secrets: 1000, bytes: 16 * 1024 * 1024 };
// Three scopes a key; with values of the largest size about 190 MB, with usual ones a few.
const cacheEntries = 3000;

/**
 * Creates the vault; it listens nowhere itself, see `main.ts` and the one-machine platform. Throws
 * `master_key_wrong` where the stored secrets were written under a key that is not held.
 */
export async function createVault(config: VaultConfig): Promise<Vault> {
  const { database } = config;
  const clock = config.clock ?? (() => new Date());
  const onTrouble = config.onTrouble ?? (() => {});
  await createTables(database);
  const store = new SecretStore(database);
  const cache = config.soleWriter === true ? new SecretCache(store, cacheEntries) : undefined;
  const forget = (scope: string, key: string) => cache?.forget(scope, key);
  const rotation = await Rotation.open({
    ...{ database, masterKeys: config.masterKeys, clock, onTrouble },
    ...(config.rotationBatch === undefined ? {} : { batchSize: config.rotationBatch }),
    ...(config.rotationRetryMs === undefined ? {} : { retryMs: config.rotationRetryMs }),
    onRewrapped(versions) {
      for (const { scope, key } of versions) forget(scope, key);
    },
  });
  const counters = new Counters(config.keyValue ?? new MemoryKeyValue(clock), clock, 'secrets');
  const parts = {
    record: config.record,
    scope: config.scope,
    trustDomain: config.trustDomain,
    judge: new Judge(config.decider, counters),
    ledger: new Ledger(config.evidence, clock),
    reader: cache ?? store,
    store,
    writer: new SecretWriter(database, config.quota ?? quotaDefault),
    rotation,
    forget,
    clock,
  };
  const sweep = async () => {
    for (const { scope, key } of await sweepExpired(database, clock())) forget(scope, key);
  };
  const timer = setInterval(() => sweep().catch(onTrouble), config.sweepMs ?? sweepMsDefault);
  timer.unref();
  return {
    routes: secretRoutes(parts),
    controlRoutes: controlRoutes(parts),
    rotation,
    sweep,
    async close() {
      clearInterval(timer);
      await rotation.close();
    },
  };
}
