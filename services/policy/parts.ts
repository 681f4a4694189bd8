// What the handlers of the policy service share.
import type { LoadedModules } from '../../runtime/decide/local.ts';
import type { BundleBoard } from './bundle-board.ts';
import type { DecisionLog } from './decision-log.ts';
import type { PolicyEngine } from './engine.ts';
import type { PolicyMetrics } from './metrics.ts';

export interface Parts {
  engine: PolicyEngine;
  modules: LoadedModules;
  /** What became of each bundle that is served from. */
  bundles: BundleBoard;
  metrics: PolicyMetrics;
  log: DecisionLog | undefined;
  /** The document that `POST /` asks for, such as `platform/tool/decision`. */
  defaultDecision: string;
  /** Stands in every decision log and in the status. */
  labels: Readonly<Record<string, string>>;
  version: string;
}
