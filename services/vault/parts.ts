// What the vault's handlers work with; put together in vault.ts.
import type { Record as RecordModule } from '../../runtime/modules/record.ts';
import type { Scope } from '../../runtime/modules/scope.ts';
import type { Ledger } from '../common/ledger.ts';
import type { Judge } from './judge.ts';
import type { Rotation } from './rotation.ts';
import type { SecretReader, SecretStore } from './store.ts';
import type { SecretWriter } from './writer.ts';

export interface Parts {
  record: RecordModule;
  scope: Pick<Scope, 'parse'>;
  trustDomain: string;
  judge: Judge;
  ledger: Ledger;
  /** Current versions, from memory where that is safe. */
  reader: SecretReader;
  store: SecretStore;
  writer: SecretWriter;
  rotation: Rotation;
  /** Forgets what is remembered of a secret, before and after it changes. */
  forget(scope: string, key: string): void;
  clock: () => Date;
}
