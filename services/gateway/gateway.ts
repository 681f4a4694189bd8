// Composes the gateway: tools that agents call, decided, evidenced and with credentials they never see.
import type { KeyObject } from 'node:crypto';
import type { Decider } from '../../runtime/decide/decide.ts';
import type { EvidenceLog } from '../../runtime/evidence/log.ts';
import type { Record } from '../../runtime/modules/record.ts';
import { Counters } from '../common/counters.ts';
import type { Route } from '../common/http/port.ts';
import { type KeyValue, MemoryKeyValue } from '../common/keyvalue/keyvalue.ts';
import { Ledger } from '../common/ledger.ts';
import { type ApprovalStore, MemoryApprovalStore } from './approval-store.ts';
import { Approvals, newApprovalKey } from './approvals.ts';
import { type CredentialSource, noCredentials } from './credentials.ts';
import { Judge } from './judge.ts';
import { SessionTrace } from './provenance.ts';
import { controlRoutes, toolRoutes } from './routes.ts';
import { type NewTrace, Sessions } from './sessions.ts';
import { KeyValueSpending, type Spending } from './spending.ts';
import { MemoryToolStore, type ToolStore } from './tools.ts';
import { type Outgoing, undiciOutgoing } from './upstream.ts';
import { Usage } from './usage.ts';

/** What bounds the gateway; each can be set on its own. */
export interface GatewayLimits {
  /** The specification's MAX_TOOL_TIMEOUT: the whole of one call of a tool. */
  toolTimeoutMs: number;
  responseBytes: number;
  argumentsBytes: number;
  schemaBytes: number;
  /** Body of a registration: a published OpenAPI document can be over 10 MB. */
  registrationBytes: number;
  tools: number;
  approvalTtlMs: number;
  /** How long a parked call waits where the caller does not say. */
  approvalWaitMs: number;
  approvalsPending: number;
  /** Of one agent. */
  agentApprovalsPending: number;
  sessions: number;
}

export const defaultLimits: GatewayLimits = {
  toolTimeoutMs: 30_000,
  responseBytes: 1024 * 1024,
  argumentsBytes: 256 * 1024,
  schemaBytes: 64 * 1024,
  registrationBytes: 32 * 1024 * 1024,
  tools: 10_000,
  approvalTtlMs: 600_000,
  approvalWaitMs: 300_000,
  approvalsPending: 1000,
  agentApprovalsPending: 20,
  sessions: 10_000,
};

/** Refuses a tool's schema that uses what the `arguments` module does not implement. */
export interface SchemaCheck {
  /** `schema` is canonical JSON; throws a `SchemaError`. */
  register(schema: Uint8Array): void;
}

/** The Ed25519 pair that signs approvals. */
export interface ApprovalKey {
  privateKey: KeyObject;
  publicKey: KeyObject;
}

export interface GatewayConfig {
  decider: Decider;
  evidence: Pick<EvidenceLog, 'append' | 'putObject'>;
  record: Record;
  /** The `arguments` module, or whatever else compiles schemas. */
  schemas: SchemaCheck;
  trustDomain: string;
  /** Follows values from tool results into arguments; one trace a session. */
  newTrace?: NewTrace;
  tools?: ToolStore;
  approvals?: ApprovalStore;
  /** Left out: a fresh key, so that approvals do not outlive the process. */
  approvalKey?: ApprovalKey;
  keyValue?: KeyValue;
  /** Left out: in `keyValue`. */
  spending?: Spending;
  credentials?: CredentialSource;
  outgoing?: Outgoing;
  clock?: () => Date;
  limits?: Partial<GatewayLimits>;
}

export interface Gateway {
  /** Behind the proxy: the caller is who the proxy attested. */
  routes: Route[];
  /** Behind the control socket only: the caller is the operator. */
  controlRoutes: Route[];
  /** Ends waiting calls and outgoing connections. */
  close(): Promise<void>;
}

const newSessionTrace: NewTrace = (prompt) => new SessionTrace(prompt);

/** Creates the gateway; it listens nowhere itself, see `main.ts` and the one-machine platform. */
export async function createGateway(config: GatewayConfig): Promise<Gateway> {
  const clock = config.clock ?? (() => new Date());
  const limits = { ...defaultLimits, ...config.limits };
  const outgoing = config.outgoing ?? undiciOutgoing(limits);
  const approvals = new Approvals({
    store:
      config.approvals ??
      new MemoryApprovalStore(limits.approvalsPending, limits.agentApprovalsPending),
    key: config.approvalKey ?? newApprovalKey(),
    record: config.record,
    ttlMs: limits.approvalTtlMs,
    clock,
  });
  const keyValue = config.keyValue ?? new MemoryKeyValue(clock);
  const parts = {
    record: config.record,
    schemas: config.schemas,
    trustDomain: config.trustDomain,
    tools: config.tools ?? new MemoryToolStore(),
    judge: new Judge(config.decider, config.record),
    ledger: new Ledger(config.evidence, clock),
    counters: new Counters(keyValue, clock, 'calls'),
    usage: new Usage(keyValue, config.spending ?? new KeyValueSpending(keyValue), clock),
    sessions: new Sessions(config.newTrace ?? newSessionTrace, limits.sessions),
    approvals,
    credentials: config.credentials ?? noCredentials,
    outgoing,
    clock,
    limits,
  };
  return {
    routes: toolRoutes(parts),
    controlRoutes: controlRoutes(parts),
    async close() {
      approvals.close();
      await outgoing.close();
    },
  };
}
