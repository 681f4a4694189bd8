// The boundaries at which the platform decides, and the fields of their inputs that are committed.

/** A place where somebody may do something; each has a folder under policies/. */
export type Boundary = 'tool' | 'credential' | 'console' | 'mesh' | 'secret';

/** The pure functions that decide, each a Wasm module. */
export type DecisionModule = 'authorization' | 'arguments' | 'guard' | 'scope';

export const BOUNDARIES: readonly Boundary[] = ['tool', 'credential', 'console', 'mesh', 'secret'];
export const DECISION_MODULES: readonly DecisionModule[] = [
  'authorization',
  'arguments',
  'guard',
  'scope',
];

const committed: Record<DecisionModule, Partial<Record<Boundary, readonly string[]>>> = {
  authorization: { tool: ['arguments', 'provenance'] },
  arguments: {
    tool: ['arguments'],
    credential: ['arguments'],
    console: ['arguments'],
    mesh: ['arguments'],
    secret: ['arguments'],
  },
  guard: {
    tool: ['text'],
    credential: ['text'],
    console: ['text'],
    mesh: ['text'],
    secret: ['text'],
  },
  scope: {},
};

/**
 * The top-level fields of a decision's input that may hold secrets or prompts: they enter ids and
 * evidence only as salted commitments.
 */
export function committedFields(module: DecisionModule, boundary: Boundary): readonly string[] {
  return committed[module][boundary] ?? [];
}

/** The rule that answers for a boundary in the policy bundle. */
export function entrypointOf(boundary: Boundary): string {
  return `platform/${boundary}/decision`;
}
