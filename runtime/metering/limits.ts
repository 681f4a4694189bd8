// What each module may use for one decision; the bundle says it for the policies, wasm/build for the others.
import type { MeterLimits } from './meter.ts';

/** Words of stack: 256 KiB at eight bytes each, half of what the smallest host has (wasmtime: 512 KiB). */
const DEPTH = 32 * 1024;
const MILLION = 1_000_000;

/** What every module of wasm/ exports; an operation that follows has steps of its own. */
const SHARED = { reserve: undefined, output: undefined, outputLength: undefined };

/** Filling the table of 200,000 tokens is done in the start function, before the first count. */
const TOKENS: MeterLimits = {
  ...{ steps: 2000 * MILLION, pages: 2048, depth: DEPTH },
  entries: { ...SHARED, count: undefined },
};

/**
 * The modules of wasm/ that are run as they are built. They bound their own work, and take time in proportion to
 * their input: the guard 420 million steps for 4 MiB at its worst. This is what holds if they fail to.
 */
export const MODULE_LIMITS: Readonly<Record<string, MeterLimits>> = {
  record: {
    ...{ steps: 2000 * MILLION, pages: 2048, depth: DEPTH },
    entries: {
      ...SHARED,
      canonicalize: undefined,
      sha256: undefined,
      leafHash: undefined,
      nodeHash: undefined,
      decisionId: undefined,
    },
  },
  scope: {
    ...{ steps: 2000 * MILLION, pages: 2048, depth: DEPTH },
    entries: { ...SHARED, parse: undefined, decide: undefined },
  },
  arguments: {
    ...{ steps: 2000 * MILLION, pages: 2048, depth: DEPTH },
    entries: { ...SHARED, register: undefined, validate: undefined, steps: undefined },
  },
  guard: {
    ...{ steps: 2000 * MILLION, pages: 2048, depth: DEPTH },
    entries: {
      ...SHARED,
      scan: undefined,
      streamReserve: undefined,
      streamOpen: undefined,
      streamPush: undefined,
      steps: undefined,
    },
  },
  'tokens-cl100k': TOKENS,
  'tokens-o200k': TOKENS,
};

/** Loading the data is bounded by its size, and done once for a pair of bundles: it has all that there are. */
const LOADING_STEPS = 2 ** 31 - 1;
/** An input of 1 MiB takes 25 million at its worst, but for keys that were chosen to collide. */
const PARSING_STEPS = 200 * MILLION;
/** The decisions of policies/ take up to 20 thousand, a search through 10,000 agents about half a million. */
const DECISION_STEPS = 20 * MILLION;

/** The policies as our compiler makes them (`decisions.wasm`). */
export const DECISION_LIMITS: MeterLimits = {
  ...{ steps: DECISION_STEPS, pages: 2048, depth: DEPTH },
  entries: {
    evaluate: undefined,
    begin: PARSING_STEPS,
    parse: PARSING_STEPS,
    parseMarked: PARSING_STEPS,
    intern: PARSING_STEPS,
    answerText: PARSING_STEPS,
    dump: PARSING_STEPS,
    start: LOADING_STEPS,
    loadBegin: LOADING_STEPS,
    loadData: LOADING_STEPS,
    loadNext: LOADING_STEPS,
  },
};

/** The policies as OPA makes them (`policy.wasm`), which reads the input in the same call and takes longer. */
export const POLICY_LIMITS: MeterLimits = {
  ...{ steps: 5 * DECISION_STEPS, pages: 1024, depth: DEPTH },
  entries: {
    opa_eval: undefined,
    eval: undefined,
    opa_json_dump: undefined,
    opa_value_dump: undefined,
    builtins: undefined,
    entrypoints: undefined,
    opa_malloc: LOADING_STEPS,
    opa_json_parse: LOADING_STEPS,
    opa_value_parse: LOADING_STEPS,
    opa_value_add_path: LOADING_STEPS,
    opa_value_remove_path: LOADING_STEPS,
    opa_eval_ctx_new: undefined,
    opa_eval_ctx_set_input: undefined,
    opa_eval_ctx_set_data: undefined,
    opa_eval_ctx_set_entrypoint: undefined,
    opa_eval_ctx_get_result: undefined,
    opa_free: undefined,
    opa_heap_ptr_get: undefined,
    opa_heap_ptr_set: undefined,
  },
};
