// What the policy compiler is asked and what it answers.
import type { JsonObject, JsonValue } from '../json.ts';
import type { AstModule } from './rego-ast.ts';

export interface RegoFile {
  path: string;
  content: string;
  /** Where it was read from, for whoever has to find it again; the compiler does not look at it. */
  origin?: string;
  /** An operator's source: it may only narrow what the platform's own policies allow. */
  operator?: boolean;
  /** A tenant's source: it may only narrow what the platform allows that tenant's agents. */
  tenant?: string;
  /** Written by no person, and so not counted in coverage. */
  generated?: boolean;
}

/** One error at one place; `row` and `column` count from 1, `source` is the row's text. */
export interface RegoFinding {
  code: string;
  message: string;
  file?: string;
  row?: number;
  column?: number;
  source?: string;
  details?: string[];
  hint?: string;
}

/** What `# METADATA` says of a rule. */
export interface RegoRule {
  path: string;
  file: string;
  row: number;
  title?: string;
  description?: string;
  custom?: JsonObject;
}

export interface RegoTest {
  package: string;
  name: string;
  file: string;
  row: number;
  pass: boolean;
  skip?: boolean;
  error?: string;
  failed_at?: string;
  failed_at_row?: number;
  output?: string;
  /** The failed test with the rules it called, each condition with its values (first failures only). */
  trace?: RegoCondition[];
  seconds: number;
}

/** Coverage in lines, over the files whose names do not end in `_test.rego`. */
export interface RegoCoverage {
  percent: number;
  covered: number;
  not_covered: number;
  files: Record<string, { start: number; end: number }[]>;
}

/** The sources of a policy and what they are checked against. */
export interface RegoSources {
  files: RegoFile[];
  /** OPA capabilities; a built-in that is not listed is refused. */
  capabilities: JsonObject;
  /** JSON Schemas that policies cite as `schema.<name>`. */
  schemas?: Record<string, JsonValue>;
  data?: JsonObject;
}

export interface RegoAnswer {
  ok: boolean;
  errors: RegoFinding[];
}

export interface RegoBuild {
  /** OPA's Wasm ABI 1. */
  wasm: Uint8Array;
  /** The sources that were compiled: no tests. */
  files: RegoFile[];
  /**
   * By entrypoint, the JSON Pointers of the parts of `input` that its rules may look at; what none of
   * them covers cannot change the answer.
   */
  reads: Record<string, string[]>;
}

/** Whether the tests notice a variant of a file. */
export interface RegoTrial {
  killed: boolean;
  /** The first test that failed. */
  by?: string;
  /** Why the variant does not compile; with `killed`, how the test broke or that it did not end. */
  error?: string;
}

/**
 * What a rule or condition came to. Undefined has no value, unreached was not looked at, unknown
 * depends on what is not at hand (the compiler never says that itself).
 */
export type RegoOutcome = 'true' | 'false' | 'undefined' | 'unreached' | 'unknown';

/** One definition of a rule as it was evaluated. Values are Rego, cut when long. */
export interface RegoRuleTrace {
  /** `data.<package>.<name>`. */
  path: string;
  name: string;
  kind: 'rule' | 'set' | 'function' | 'default' | 'else';
  file: string;
  row: number;
  title?: string;
  description?: string;
  outcome: RegoOutcome;
  /** What it came to; of a set the elements that this definition gave. */
  value?: string;
  /** The arguments of a function. */
  values?: Record<string, string>;
  /** How often it was evaluated, when only some of it is shown. */
  times?: number;
  /** A result kept from before; its conditions stand where it first came about. */
  repeated?: boolean;
  expressions?: RegoCondition[];
}

/** One condition as its author wrote it, with the rules it led to. */
export interface RegoCondition {
  text: string;
  file?: string;
  row: number;
  outcome: RegoOutcome;
  /** By variable, reference or call of the condition; `undefined` when it has none. */
  values?: Record<string, string>;
  times?: number;
  rules?: RegoRuleTrace[];
  /** The conditions of an `every`, as its last element met them. */
  inner?: RegoCondition[];
}

/** What one input came to in OPA's interpreter: the bindings and values of each result, or an error's code. */
export interface RegoReply {
  results: { bindings: JsonObject; expressions: JsonValue[] }[] | null;
  code?: string;
  message?: string;
}

/** The whole of an answer, as the compiler writes it. */
export interface RawAnswer extends RegoAnswer {
  tests?: RegoTest[];
  coverage?: RegoCoverage;
  wasm?: string;
  entrypoints?: string[];
  files?: RegoFile[];
  reads?: Record<string, string[]>;
  result?: JsonValue[];
  output?: string;
  rules?: RegoRule[];
  modules?: Record<string, AstModule>;
  outcomes?: RegoTrial[];
  plan?: JsonValue;
  replies?: RegoReply[];
  tree?: RegoCondition[];
  /** OPA's own trace of `eval`. */
  explanation?: JsonValue;
}
