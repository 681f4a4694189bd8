// Which built-ins policies may use: all that the engine has, but those whose answers come from outside.
import { builtinsOf, exportName } from '../../runtime/plan/builtins.ts';
import { readEngine } from '../../runtime/plan/engine.ts';

/** Built-ins whose answers do not follow from input and data; wasm/rego/hints.go says what to use instead. */
export const NONDETERMINISTIC: readonly string[] = [
  'http.send',
  'net.lookup_ip_addr',
  'opa.runtime',
  'rand.intn',
  'time.now_ns',
  'uuid.rfc4122',
];

/** What OPA's compiler replaces or removes before there is a plan. */
const COMPILED_AWAY: readonly string[] = ['assign', 'internal.test_case', 'print'];

/** The built-ins of `names` (by how many arguments they take) that policies may use, with this engine. */
export function portableBuiltins(names: ReadonlyMap<string, number>, engine: Uint8Array): string[] {
  const has = builtinsOf(readEngine(engine));
  return [...names]
    .filter(([name]) => !NONDETERMINISTIC.includes(name))
    .filter(([name, count]) => COMPILED_AWAY.includes(name) || has.get(exportName(name)) === count)
    .map(([name]) => name);
}

/** The names of OPA's capabilities with how many arguments each takes. */
export function argumentCounts(
  builtins: readonly { name: string; decl: { args?: readonly unknown[] } }[],
): Map<string, number> {
  return new Map(builtins.map(({ name, decl }) => [name, decl.args?.length ?? 0]));
}
