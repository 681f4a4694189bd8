// Writes what a proof rests on, in the form that an independent checker reads.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import type { Loaded } from './load.ts';
import type { Stop } from './machine.ts';
import type { Property } from './property.ts';
import type { Proof } from './prove.ts';

/** An expression of the policy that the prover took for one that may hold. */
export interface Expression {
  expression: string;
  file: string;
  row: number;
  why: string;
}

const EXPRESSIONS_MAX = 50;

/** The expressions with their text, in the order of the files. */
export function expressionsOf(stops: readonly Stop[], loaded: Pick<Loaded, 'files'>): Expression[] {
  return stops
    .map(({ file, row, why }) => {
      const source = loaded.files.find(({ path }) => path === file)?.content.split('\n')[row - 1];
      return { expression: source?.trim() ?? '', file, row, why };
    })
    .sort((a, b) => (a.file === b.file ? a.row - b.row : a.file < b.file ? -1 : 1))
    .slice(0, EXPRESSIONS_MAX);
}

/** The certificate `platform/policy-proof/v1`: every input allowed in scope agrees with one of its cases. */
export function certificateOf(
  property: Property,
  proof: Extract<Proof, { verdict: 'proved' }>,
  loaded: Pick<Loaded, 'policy' | 'data' | 'files' | 'moduleMatches'>,
): JsonObject {
  const assumptions = expressionsOf(proof.stops, loaded);
  if (proof.assumed !== undefined) {
    assumptions.push({ expression: 'input', file: '', row: 0, why: proof.assumed });
  }
  if (!loaded.moduleMatches) {
    const why = "the bundle's policy.wasm is not what this compiler makes of its sources";
    assumptions.push({ expression: '', file: 'policy.wasm', row: 0, why });
  }
  return {
    format: 'platform/policy-proof/v1',
    property: { ...(property as unknown as JsonObject), scope: proof.scope ?? {} },
    bundle: { policy: loaded.policy.revision, data: loaded.data.revision },
    entrypoint: `platform/${property.boundary}/decision`,
    assumptions: assumptions as unknown as JsonValue,
    cases: (proof.cases ?? []) as unknown as JsonValue,
  };
}
