// What the guard's handlers work with; put together in guard.ts.
import type { Record as RecordModule } from '../../runtime/modules/record.ts';
import type { Ledger } from '../common/ledger.ts';
import type { Judge } from './judge.ts';
import type { InjectionModel } from './model.ts';
import type { GuardSettings } from './settings.ts';

export interface Parts {
  record: RecordModule;
  trustDomain: string;
  judge: Judge;
  ledger: Ledger;
  settings: GuardSettings;
  injectionModel: InjectionModel | undefined;
  /** Of the llm-guard API. */
  authToken: string | undefined;
  clock: () => Date;
}
