// Decisions under the platform's policies in this process: the bundles are verified, and followed as services do.
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import { watchBundles } from '../../runtime/bundle/watch.ts';
import type { Decision, DecisionRequest } from '../../runtime/decide/decision.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import type { PlatformError } from '../../runtime/errors.ts';
import { sdkModule } from './modules.ts';

export type { Boundary, DecisionModule } from '../../runtime/decide/boundary.ts';
export type {
  Decision,
  DecisionRequest,
  Obligation,
  Opening,
} from '../../runtime/decide/decision.ts';

export interface DeciderOptions {
  /** A folder with the signed bundles `policy` and `data`, each a folder or `.tar.gz`. */
  bundles: string;
  /** A file with the public keys that may sign them: a JWK or a JWK set (Ed25519). */
  keys: string;
  /** How often the folder is looked at where the system reports no change, in ms; default 2,000. */
  intervalMs?: number;
  /** Called once for each change that cannot be used; the last good pair stays in force. */
  onError?: (error: PlatformError) => void;
}

export interface BundleDecider {
  /**
   * Decides; the same input, salt and bundles give the same id in every host. Never throws for what the input
   * holds: what cannot be decided is denied.
   */
  decide(request: DecisionRequest): Decision;
  /** Revisions of the pair in force, as they stand in each decision. */
  revisions(): { policy: string; data: string };
  /** Looks at the folder now; resolves when what is there is in force or refused. */
  refresh(): Promise<void>;
  /** Stops following; the pair in force goes on deciding. */
  close(): void;
}

/**
 * Verifies the bundles and follows their changes. A pair is swapped whole between two decisions.
 * @throws BundleError when there is no good pair to begin with, or the keys cannot be read; ModuleError
 *   `module_digest_mismatch` when a module of the SDK is not the packed one
 */
export async function openDecider(options: DeciderOptions): Promise<BundleDecider> {
  const { bundles, keys, ...following } = options;
  const modules = loadModules(sdkModule);
  const watcher = await watchBundles(bundles, await readBundleKeys(keys), following);
  const decider = createLocalDecider(watcher, modules);
  return {
    decide: (request) => decider.decide(request),
    revisions() {
      const { policy, data } = watcher.current();
      return { policy: policy.revision, data: data.revision };
    },
    refresh: () => watcher.refresh(),
    close: () => watcher.close(),
  };
}
