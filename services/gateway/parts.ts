// What the gateway's handlers work with; put together in gateway.ts.
import type { Record as RecordModule } from '../../runtime/modules/record.ts';
import type { Counters } from '../common/counters.ts';
import type { Ledger } from '../common/ledger.ts';
import type { Approvals } from './approvals.ts';
import type { CredentialSource } from './credentials.ts';
import type { GatewayLimits, SchemaCheck } from './gateway.ts';
import type { Judge } from './judge.ts';
import type { Sessions } from './sessions.ts';
import type { ToolStore } from './tools.ts';
import type { Outgoing } from './upstream.ts';
import type { Usage } from './usage.ts';

export interface Parts {
  record: RecordModule;
  schemas: SchemaCheck;
  trustDomain: string;
  tools: ToolStore;
  judge: Judge;
  ledger: Ledger;
  counters: Counters;
  usage: Usage;
  sessions: Sessions;
  approvals: Approvals;
  credentials: CredentialSource;
  outgoing: Outgoing;
  clock: () => Date;
  limits: GatewayLimits;
}
