// The decider of one process: the built modules, held to the digests that the policy bundle lists.
import type { BundleSource, LoadedPair } from '../bundle/pair.ts';
import { ModuleError } from '../errors.ts';
import { ArgumentsModule } from '../modules/arguments.ts';
import { Authorization } from '../modules/authorization.ts';
import { Guard } from '../modules/guard.ts';
import { Record as RecordModule } from '../modules/record.ts';
import { Scope } from '../modules/scope.ts';
import { moduleBytes, moduleDigest } from '../modules/source.ts';
import type { Decider } from './decide.ts';
import { createDecider } from './decide.ts';
import type { Executor, Modules } from './execute.ts';
import { createExecutor } from './execute.ts';

/** The modules that come from wasm/; `authorization` comes with the policy bundle itself. */
export const BUILT_MODULES = ['record', 'scope', 'arguments', 'guard'] as const;
type BuiltModule = (typeof BUILT_MODULES)[number];

/** Where the bytes of a built module come from: wasm/build, or objects kept with the evidence. */
export type ModuleBytes = (name: BuiltModule) => Uint8Array;

/** Instances of the built modules and the digests of their bytes. */
export interface LoadedModules extends Modules {
  digests: Record<BuiltModule, string>;
}

/** Compiles the built modules once for a process. Throws a ModuleError when one is not built. */
export function loadModules(bytesOf: ModuleBytes = moduleBytes): LoadedModules {
  const bytes = Object.fromEntries(BUILT_MODULES.map((name) => [name, bytesOf(name)])) as Record<
    BuiltModule,
    Uint8Array
  >;
  const digests = Object.fromEntries(
    BUILT_MODULES.map((name) => [name, moduleDigest(bytes[name])]),
  ) as Record<BuiltModule, string>;
  return {
    digests,
    record: RecordModule.create(bytes.record),
    scope: Scope.create(bytes.scope),
    guard: Guard.create(bytes.guard),
    arguments: ArgumentsModule.create(bytes.arguments),
  };
}

/**
 * The executor of one pair over modules of this process. Throws `module_digest_mismatch` when a
 * module's bytes are not those that the policy bundle lists.
 */
export function executorOf(modules: LoadedModules, pair: LoadedPair): Executor {
  for (const name of BUILT_MODULES) {
    // What the bundle brings itself was held to its digest when the bundle was loaded.
    if (name === 'guard' && pair.policy.guard !== undefined) continue;
    const listed = pair.policy.modules[name]?.core;
    if (listed !== modules.digests[name]) {
      throw new ModuleError(
        'module_digest_mismatch',
        `the policy bundle lists ${listed ?? 'no digest'} for the module ${name}, and this process has ${modules.digests[name]}`,
        { hint: 'build the bundle and the modules from the same checkout' },
      );
    }
  }
  const listed = pair.policy.modules.authorization?.core;
  const { wasm, decisions } = pair.policy;
  if (listed !== moduleDigest(decisions ?? wasm)) {
    throw new ModuleError('module_digest_mismatch', 'the policy is not the one the bundle lists');
  }
  const { readPaths: reads } = pair.policy;
  const host = pair.host ?? Authorization.create({ wasm, decisions, data: pair.data.json, reads });
  const { guard } = pair.policy;
  const own = guard === undefined ? modules : { ...modules, guard: guardOf(guard) };
  return createExecutor(own, host, pair);
}

const guards = new WeakMap<Uint8Array, Guard>();

/** The guard of a bundle, compiled once. */
function guardOf(bytes: Uint8Array): Guard {
  let guard = guards.get(bytes);
  if (guard === undefined) {
    guard = Guard.create(bytes);
    guards.set(bytes, guard);
  }
  return guard;
}

/** The decider that services, the SDK and the CLI share, over the pair in force of `bundles`. */
export function createLocalDecider(bundles: BundleSource, modules = loadModules()): Decider {
  return createDecider({
    bundles,
    record: modules.record,
    executorFor: (pair) => executorOf(modules, pair),
  });
}
