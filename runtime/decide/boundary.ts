// The boundaries at which the platform decides, and the fields of their inputs that are committed.

/** The places where somebody may do something; each has a folder under policies/. */
export const BOUNDARIES = [
  'tool',
  'registration',
  'credential',
  'exchange',
  'console',
  'mesh',
  'secret',
  'message',
  'sandbox',
  'browse',
  'deploy',
  'scan',
] as const;
export type Boundary = (typeof BOUNDARIES)[number];

/** The pure functions that decide, each a Wasm module. */
export const DECISION_MODULES = ['authorization', 'arguments', 'guard', 'scope'] as const;
export type DecisionModule = (typeof DECISION_MODULES)[number];

/** What the input of `authorization` holds at a boundary that may be a secret or a prompt. */
const committedOf: { readonly [boundary in Boundary]?: readonly string[] } = {
  tool: ['arguments', 'provenance'],
};

/** The same at every boundary, whoever asks. */
const committedBy: Record<Exclude<DecisionModule, 'authorization'>, readonly string[]> = {
  arguments: ['arguments'],
  guard: ['text', 'prompt', 'canaries', 'topics'],
  scope: [],
};

/**
 * The top-level fields of a decision's input that may hold secrets or prompts: they enter ids and
 * evidence only as salted commitments.
 */
export function committedFields(module: DecisionModule, boundary: Boundary): readonly string[] {
  return module === 'authorization' ? (committedOf[boundary] ?? []) : committedBy[module];
}

/** The rule that answers for a boundary in the policy bundle. */
export function entrypointOf(boundary: Boundary): string {
  return `platform/${boundary}/decision`;
}
