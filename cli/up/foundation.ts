// What everything else stands on: the state folder, keys, evidence, bundles and the decider.
import { fileURLToPath } from 'node:url';
import { type BundleWatcher, watchBundles } from '../../runtime/bundle/watch.ts';
import type { Decider } from '../../runtime/decide/decide.ts';
import { createLocalDecider, type LoadedModules, loadModules } from '../../runtime/decide/local.ts';
import { codeOf } from '../../runtime/errors.ts';
import { defaultTrustDomain } from '../../runtime/identity/spiffe-id.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { startTelemetry, type Telemetry } from '../../runtime/telemetry/start.ts';
import { createOperatorGate, type OperatorGate } from '../../services/common/operator.ts';
import { CallFeed } from '../../services/console/calls.ts';
import type { StateFolder } from '../state-folder.ts';
import type { Cleanup } from './cleanup.ts';
import { dataOf, operatorData } from './data.ts';
import { type MachineEvidence, openMachineEvidence } from './evidence.ts';
import { Guard } from './guard.ts';
import { type PlatformKeys, platformKeys } from './keys.ts';
import { keepOperatorData, keptOperatorData } from './operator-data.ts';
import type { PlatformOptions } from './platform.ts';
import { prepareState } from './prepare-state.ts';
import { Publisher } from './publisher.ts';

export interface Foundation {
  state: StateFolder;
  trustDomain: string;
  /** The platform's own policies first, then operators'. */
  folders: readonly string[];
  keys: PlatformKeys;
  telemetry: Telemetry;
  modules: LoadedModules;
  feed: CallFeed;
  evidence: MachineEvidence;
  publisher: Publisher;
  /** Asked before a change is published; undefined where none was wished for. */
  guard: Guard | undefined;
  /** The operator's data that is in force. */
  operator: JsonObject;
  bundles: BundleWatcher;
  decider: Decider;
  gate: OperatorGate;
  onTrouble(error: unknown): void;
}

const ownPolicies = fileURLToPath(new URL('../../policies', import.meta.url));

/** Brings it up from what the state folder holds; see `startPlatform` for the errors. */
export async function layFoundation(
  options: PlatformOptions,
  cleanup: Cleanup,
): Promise<Foundation> {
  const { state } = options;
  const trustDomain = options.trustDomain ?? defaultTrustDomain;
  const onTrouble = (error: unknown): void => {
    // Parts that end one after the other miss each other; that is no trouble.
    if (!cleanup.isRunning) options.onTrouble?.(error);
  };
  cleanup.add(await prepareState(state));
  const keys = await platformKeys(state.keys);
  const telemetry = startTelemetry('platform');
  cleanup.add(() => telemetry.shutdown());
  const modules = loadModules();
  const feed = new CallFeed();
  const evidence = await openMachineEvidence(state, keys, modules.record, feed, onTrouble);
  cleanup.add(() => evidence.close());
  const folders = [ownPolicies, ...(options.policies ?? [])];
  const publisher = new Publisher({
    folder: state.bundles,
    policyFolders: folders,
    keys: keys.bundle,
    objects: () => evidence.log.objects,
  });
  const onPartial = options.onPartialGuard;
  const watched = { state, folders, evidence: evidence.observed, onPartial };
  const guard = options.guarded ? new Guard(watched) : undefined;
  const operator = await publishFirst({ publisher, guard, state, folders, trustDomain });
  await publisher.keep();
  const bundles = await followBundles(options, keys, cleanup);
  const decider = createLocalDecider(bundles, modules);
  const gate = createOperatorGate({ decider, evidence: evidence.observed, trustDomain });
  return {
    ...{ state, trustDomain, folders, keys, telemetry, modules, feed },
    ...{ evidence, publisher, guard, operator, bundles, decider, gate, onTrouble },
  };
}

/**
 * Publishes what the folders hold, and resolves to the operator's data in force: what the guard refuses
 * stays out, and the last that was good serves on. The folders are looked at again as soon as everything
 * runs, and a refusal is told then.
 */
async function publishFirst({
  publisher,
  guard,
  state,
  folders,
  trustDomain,
}: Pick<
  Foundation,
  'publisher' | 'guard' | 'state' | 'folders' | 'trustDomain'
>): Promise<JsonObject> {
  let operator = await operatorData(folders);
  const data = dataOf(trustDomain, operator, []);
  try {
    await publisher.policy(guard && ((candidate) => guard.check(candidate, data)));
  } catch (error) {
    if (codeOf(error) !== 'bundle_flip_unaccepted') throw error;
    operator = await keptOperatorData(state);
  }
  await publisher.data(dataOf(trustDomain, operator, []));
  await keepOperatorData(state, operator);
  return operator;
}

async function followBundles(
  options: PlatformOptions,
  keys: PlatformKeys,
  cleanup: Cleanup,
): Promise<BundleWatcher> {
  const bundles = await watchBundles(options.state.bundles, keys.bundle.publicKeys, {
    onError: options.onPolicyError,
  });
  cleanup.add(async () => bundles.close());
  let deciding = bundles.current().policy.revision;
  bundles.onSwap(({ policy }) => {
    if (policy.revision !== deciding) options.onPolicyChange?.(policy.revision);
    deciding = policy.revision;
  });
  return bundles;
}
