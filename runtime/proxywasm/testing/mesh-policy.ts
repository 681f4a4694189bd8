// Policies for tests whose mesh decision is what a few rules say, compiled and merged as any other.
import {
  type CompiledPolicies,
  compileSources,
  readPolicies,
  withFilter,
} from '../../bundle/compile.ts';
import type { LoadedPair } from '../../bundle/pair.ts';
import { POLICIES } from '../../bundle/testing.ts';
import { createDecider, type Decider } from '../../decide/decide.ts';
import { createExecutor } from '../../decide/execute.ts';
import { loadModules } from '../../decide/local.ts';
import { Authorization } from '../../modules/authorization.ts';

const modules = loadModules();

/** The policy of these Rego rules, which define `decision`. */
export async function meshPolicyOf(rules: string): Promise<CompiledPolicies> {
  const { capabilities } = await readPolicies(POLICIES);
  const content = `package platform.mesh\n\n${rules}\n`;
  const sources = {
    ...{ files: [{ path: 'mesh.rego', content }], capabilities },
    entrypoints: ['platform/mesh/decision'],
  };
  return withFilter(await compileSources(sources));
}

/** Rules that contradict each other for every request, so that the evaluation traps. */
export const CONFLICT = 'decision := 1\n\ndecision := 2 if input.action == "connect"';

/** Node's decider for a pair that nobody signed and that lists no module. */
export function unsignedDecider(pair: LoadedPair): Decider {
  return createDecider({
    bundles: { current: () => pair },
    record: modules.record,
    executorFor: () =>
      createExecutor(
        modules,
        Authorization.create({ ...pair.policy, reads: undefined, data: pair.data.json }),
        pair,
      ),
  });
}
