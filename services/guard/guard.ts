// Composes the guard: texts scanned by the module, judged by policy, and evidenced one by one.
import type { Decider } from '../../runtime/decide/decide.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { Record } from '../../runtime/modules/record.ts';
import type { Route } from '../common/http/port.ts';
import { Ledger } from '../common/ledger.ts';
import { Judge } from './judge.ts';
import type { InjectionModel } from './model.ts';
import { guardRoutes } from './routes.ts';
import { defaultSettings, type GuardSettings } from './settings.ts';

export interface GuardConfig {
  decider: Decider;
  evidence: Pick<EvidenceLog, 'append' | 'putObject'>;
  record: Record;
  trustDomain: string;
  /** All scanners that are built, and blocking, where it is not given. */
  settings?: GuardSettings;
  /** Asked besides the built-in one. */
  injectionModel?: InjectionModel | undefined;
  /** What clients of the llm-guard API show; without it they are known by their proxy. */
  authToken?: string | undefined;
  clock?: () => Date;
}

export interface GuardService {
  /** Behind the proxy: agents and services. */
  routes: Route[];
}

/** Creates the guard; it listens nowhere itself, see `main.ts` and the one-machine platform. */
export function createGuard(config: GuardConfig): GuardService {
  const clock = config.clock ?? (() => new Date());
  const { record, trustDomain, injectionModel, authToken } = config;
  return {
    routes: guardRoutes({
      ...{ record, trustDomain, injectionModel, authToken, clock },
      judge: new Judge(config.decider),
      ledger: new Ledger(config.evidence, clock),
      settings: config.settings ?? defaultSettings,
    }),
  };
}
