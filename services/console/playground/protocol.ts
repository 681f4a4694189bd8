// What the playground's page asks its worker, and what the worker answers: plain values, cloned between the two.
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';

/** What runs in the platform, as the page was given it and checked it. */
export interface Loaded {
  policyRevision: string;
  dataRevision: string;
  /** Id of the key that signed both bundles; their signatures and digests hold. */
  keyId: string;
  modules: { name: string; digest: string }[];
  files: PolicyFile[];
  boundaries: { name: string; title: string; committed: readonly string[]; sample: JsonObject }[];
}

export interface PolicyFile {
  path: string;
  content: string;
  /** Who wrote it: the platform, an operator, or the tenant of that name. */
  owner: string;
  /** Generated when policies are built, from the others. */
  generated: boolean;
}

/** One error of a policy at one place; rows and columns count from 1. */
export interface Finding {
  message: string;
  file?: string;
  row?: number;
  column?: number;
  hint?: string;
}

export interface Compiled {
  policyRevision: string;
  /** Of decisions.wasm. */
  bytes: number;
  milliseconds: number;
  findings: Finding[];
}

/** A decision, and what its id is the digest of. */
export interface Decided {
  id: string;
  allow: boolean;
  rule: string;
  reason: { code: string; message: string };
  controls: string[];
  obligations: JsonObject[];
  /** What the policy in force says of the same input. */
  inForce: { allow: boolean; rule: string };
  /** The fields that are hashed, in their order, as text. */
  parts: { name: string; text: string }[];
  microseconds: number;
  /** Where the input does not fit the boundary's schema: a pointer and what is asked for. */
  violations: { pointer: string; message: string }[];
}

/** What a line of a policy came to in one evaluation. */
export type LineState = 'decided' | 'true' | 'false';

export interface Explained {
  /** As runtime/explain/picture.ts draws it. */
  picture: JsonValue;
  /** By file, then by row. */
  coverage: Record<string, Record<number, LineState>>;
}

export interface Replayed {
  verdict: 'reproduced' | 'diverged' | 'undetermined';
  why: string;
  difference?: { pointer: string; expected?: JsonValue; found?: JsonValue };
  id: string;
  boundary: string;
  module: string;
}

/** One recorded decision that a changed policy decides otherwise. */
export interface Flip {
  id: string;
  time: string;
  agent: string;
  before: { allow: boolean; rule: string };
  after: { allow: boolean; rule: string };
}

export interface Flips {
  decisions: number;
  same: number;
  undetermined: number;
  /** How many policy revisions the recorded ones were decided under. */
  revisions: number;
  flips: Flip[];
  /** Whether the log holds more than was looked at. */
  more: boolean;
}

/** Every question with its answer. */
export interface Questions {
  load: { ask: { token: string }; answer: Loaded };
  compile: { ask: { edits: Record<string, string> }; answer: Compiled };
  decide: { ask: { boundary: string; input: string; salt: string }; answer: Decided };
  explain: { ask: { boundary: string; input: string; output?: JsonValue }; answer: Explained };
  fetch: { ask: { id: string }; answer: { decision: JsonValue } };
  replay: { ask: { text: string; openings: string }; answer: Replayed[] };
  flips: { ask: { boundary: string; openings: string }; answer: Flips };
}
export type Kind = keyof Questions;

export interface Question<K extends Kind = Kind> {
  number: number;
  kind: K;
  ask: Questions[K]['ask'];
}

/** An answer, a failure with the code of its error, or how far the work is. */
export type Message =
  | { number: number; answer: unknown }
  | { number: number; failure: { code: string; message: string; hint?: string } }
  | { number: number; progress: string };
