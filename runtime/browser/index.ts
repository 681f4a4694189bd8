// Decides in a browser: the same hosts and the same bytes as in every service, bundled into one script.
import type { JWK } from 'jose';
import { joined, loadData, loadPolicy, readData, readPolicy } from '../bundle/load.ts';
import type { BundleFiles } from '../bundle/reader.ts';
import { createLocalDecider, loadModules } from '../decide/local.ts';
import { answerOf, type DecisionAnswer, readRequest } from '../decide/wire.ts';
import { moduleDigest } from '../modules/source.ts';

/** What decides: two bundles, file by file, and the modules of wasm/build. */
export interface BrowserDeciderConfig {
  policy: BundleFiles;
  data: BundleFiles;
  modules: Record<'record' | 'scope' | 'arguments' | 'guard', Uint8Array>;
  /** Public keys: with them, bundles that none of these signed are refused. */
  keys?: readonly JWK[];
}

/** A decider of the page that made it. */
export interface BrowserDecider {
  /** Revisions of the bundles. */
  readonly policyRevision: string;
  readonly dataRevision: string;
  /**
   * Decides a request of the one wire (runtime/decide/wire.ts). Whatever fails is a deny with an id; only
   * what is no request at all throws, as an InputError.
   */
  decide(request: unknown): DecisionAnswer;
}

/**
 * Loads the bundles and holds every module to the digest that the policy bundle lists.
 * @throws BundleError for the first thing that is wrong, as a service would
 */
export async function createBrowserDecider(config: BrowserDeciderConfig): Promise<BrowserDecider> {
  const { keys, modules: bytes } = config;
  const digests = Object.entries(bytes).map(([name, module]) => [
    name,
    { core: moduleDigest(module) },
  ]);
  const options = { modules: Object.fromEntries(digests) };
  const pair = await joined(
    keys === undefined
      ? { policy: await readPolicy(config.policy, options), data: await readData(config.data) }
      : {
          policy: await loadPolicy(config.policy, keys, options),
          data: await loadData(config.data, keys),
        },
  );
  const decider = createLocalDecider(
    { current: () => pair },
    loadModules((name) => bytes[name]),
  );
  return {
    policyRevision: pair.policy.revision,
    dataRevision: pair.data.revision,
    decide: (request) => answerOf(decider.decide(readRequest(request))),
  };
}
