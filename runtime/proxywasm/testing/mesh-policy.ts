// Policies for tests whose mesh decision is what a few rules say, compiled and merged as any other.
import {
  type CompiledPolicies,
  compileSources,
  readPolicies,
  withFilter,
} from '../../bundle/compile.ts';
import { POLICIES } from '../../bundle/testing.ts';

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
