// A decision as every host returns it: the answer, and all that is needed to recompute it.
import type { JsonObject, JsonValue } from '../json.ts';
import type { Boundary, DecisionModule } from './boundary.ts';

/** What a caller must do for an allow to hold, or before a parked call may go on. */
export interface Obligation {
  kind: string;
  [key: string]: JsonValue;
}

/** The secret half of a commitment; kept encrypted and apart from evidence. */
export interface Opening {
  /** The committed top-level field; empty when the whole input could not be read. */
  field: string;
  /** The field's own salt, 64 hex digits. */
  salt: string;
  /** Canonical JSON of the field's value, or the raw bytes of an unreadable input. */
  value: Uint8Array;
}

export interface DecisionRequest {
  boundary: Boundary;
  module: DecisionModule;
  /** A JSON value, or its UTF-8 bytes, which are checked before any module sees them. */
  input: JsonValue | Uint8Array;
  /** 32 random bytes that the first enforcement point fixed for this request. */
  salt: Uint8Array;
  /** Module `arguments` only: the tool's schema as canonical JSON; the input names its digest. */
  schema?: Uint8Array;
  /** Obligation kinds that the caller will honour; an allow with any other one becomes a deny. */
  honours?: readonly string[];
}

export interface Decision {
  /** 64 hex digits; equal ids at two points prove that both decided alike. */
  id: string;
  boundary: Boundary;
  module: DecisionModule;
  /** `sha256:<hex>` of the module's core form; empty when there was none to run. */
  moduleDigest: string;
  /** Revisions of the bundles in force; empty when there were none. */
  policyRevision: string;
  dataRevision: string;
  /** Canonical JSON, committed fields replaced. */
  committedInput: Uint8Array;
  /** Canonical JSON. */
  outputBytes: Uint8Array;
  output: JsonObject;
  allow: boolean;
  reason: { code: string; message: string };
  /** The policy rule that said so, or the module's name. */
  rule: string;
  /** Ids of the compliance controls that the rule maps to. */
  controls: string[];
  obligations: Obligation[];
  openings: Opening[];
}
