// The policy service: an engine, its routes, and what ends with it.
import { randomUUID } from 'node:crypto';
import { type LoadedModules, loadModules } from '../../runtime/decide/local.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { METRIC } from '../../runtime/telemetry/names.ts';
import type { Route } from '../common/http/port.ts';
import { BundleBoard, type BundleKind } from './bundle-board.ts';
import { CompilerThread } from './compiler-thread.ts';
import { DecisionLog, type LogSink } from './decision-log.ts';
import { PolicyEngine } from './engine.ts';
import { PolicyMetrics } from './metrics.ts';
import { policyRoutes } from './routes.ts';

const VERSION = '0.1.0';

export interface PolicyServiceConfig {
  /** Which bundles will come; health waits for them. */
  bundles: readonly BundleKind[];
  /** OPA capabilities that the interpreter is held to. */
  capabilities: JsonObject;
  /** The document of `POST /`; default `platform/tool/decision`. */
  defaultDecision?: string;
  /** What a caller must send as its bearer token; without it everybody may ask. */
  token?: string;
  decisionLogs?: LogSink;
  modules?: LoadedModules;
  clock?: () => Date;
  onTrouble?: (error: unknown) => void;
}

export interface PolicyService {
  routes: Route[];
  engine: PolicyEngine;
  modules: LoadedModules;
  bundles: BundleBoard;
  close(): Promise<void>;
}

/** Creates the service with no bundle yet: whoever has one hands it to `engine`. */
export function createPolicyService(config: PolicyServiceConfig): PolicyService {
  const clock = config.clock ?? (() => new Date());
  const modules = config.modules ?? loadModules();
  const compiler = new CompilerThread();
  const { capabilities, decisionLogs, onTrouble } = config;
  const engine = new PolicyEngine({ modules, compiler, capabilities });
  const bundles = new BundleBoard(config.bundles, clock);
  const labels = { id: randomUUID(), version: VERSION };
  const log =
    decisionLogs &&
    new DecisionLog({ sink: decisionLogs, record: modules.record, labels, clock, onTrouble });
  const metrics = new PolicyMetrics(() => ({
    [METRIC.policyBundleActivated]: bundles.isActivated ? 1 : 0,
    [METRIC.policyBundleProblems]: bundles.problems().length,
    ...(log && {
      [METRIC.policyLogEvents]: log.written,
      [METRIC.policyLogDropped]: log.dropped,
      [METRIC.policyLogBuffered]: log.buffered,
    }),
  }));
  const defaultDecision = config.defaultDecision ?? 'platform/tool/decision';
  const parts = { ...{ engine, modules, bundles, metrics, log }, defaultDecision, labels };
  return {
    routes: policyRoutes({ ...parts, version: VERSION }, config.token),
    engine,
    modules,
    bundles,
    async close() {
      await compiler.close();
      await log?.close();
    },
  };
}
