// The one path to a decision: check the input, run the module, name the result by its id.
import type { BundleSource, LoadedPair } from '../bundle/pair.ts';
import { codeOf } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { Record as RecordModule } from '../modules/record.ts';
import { DECISION_MODULES } from './boundary.ts';
import type { Decision, DecisionRequest, Obligation } from './decision.ts';
import type { Executor } from './execute.ts';
import { isObligation, unhonoured } from './obligations.ts';
import { type ReadInput, readInput } from './read-input.ts';

/** The tag of a decision id; a change of what is hashed changes it. */
export const DECISION_TAG = 'platform/decision/v1';

export interface DeciderConfig {
  bundles: BundleSource;
  record: RecordModule;
  /** Makes the executor of a pair; called once a swap, not once a decision. */
  executorFor(pair: LoadedPair): Executor;
}

/** Anything that decides: the real one, or in tests one that denies everything. */
export interface Decider {
  /** Never throws: whatever fails is a deny with a reason code and an id. */
  decide(request: DecisionRequest): Decision;
}

/**
 * Creates the decider of a process. It holds one executor, for the pair in force; a swap takes effect
 * between two decisions.
 */
export function createDecider(config: DeciderConfig): Decider {
  let executor: Executor | undefined;
  let refused: { pair: LoadedPair; error: unknown } | undefined;
  const executorInForce = (): Executor | undefined => {
    const pair = config.bundles.current();
    if (pair === undefined) return undefined;
    if (executor?.pair === pair) return executor;
    // A pair that failed once fails again: trying at every decision would only cost time.
    if (refused?.pair === pair) throw refused.error;
    try {
      executor = config.executorFor(pair);
    } catch (error) {
      refused = { pair, error };
      throw error;
    }
    return executor;
  };
  return { decide: (request) => decideWith(config.record, executorInForce, request) };
}

function decideWith(
  record: RecordModule,
  executorInForce: () => Executor | undefined,
  request: DecisionRequest,
): Decision {
  const committed = readInput(record, request);
  let pair: LoadedPair | undefined;
  let outputBytes: Uint8Array;
  if ('refused' in committed) {
    outputBytes = failure(committed.refused);
    pair = currentPair(executorInForce);
  } else {
    try {
      const executor = executorInForce();
      pair = executor?.pair;
      outputBytes =
        executor === undefined
          ? failure('bundle_missing')
          : executor.execute({
              boundary: request.boundary,
              module: request.module,
              input: committed.input,
              schema: request.schema,
            });
    } catch (error) {
      outputBytes = failure(codeOf(error));
    }
  }
  return toDecision(record, request, pair, committed, outputBytes);
}

function currentPair(executorInForce: () => Executor | undefined): LoadedPair | undefined {
  try {
    return executorInForce()?.pair;
  } catch {
    return undefined;
  }
}

/** The output of a decision that could not be made; the code is all it says. */
export function failure(code: string): Uint8Array {
  return Buffer.from(`{"allow":false,"reason":{"code":"${code}"}}`);
}

function toDecision(
  record: RecordModule,
  request: DecisionRequest,
  pair: LoadedPair | undefined,
  read: ReadInput,
  outputBytes: Uint8Array,
): Decision {
  const policyRevision = pair?.policy.revision ?? '';
  const dataRevision = pair?.data.revision ?? '';
  const id = record.framedHex(
    [read.committedInput, outputBytes],
    prefixOf(record, request, policyRevision, dataRevision),
  );
  return {
    id,
    boundary: request.boundary,
    module: request.module,
    moduleDigest: pair?.policy.modules[request.module]?.core ?? '',
    policyRevision,
    dataRevision,
    committedInput: read.committedInput,
    outputBytes,
    openings: read.openings,
    ...judged(request, outputBytes),
  };
}

/** The first five fields of an id, framed, under one pair of revisions. */
const prefixes = new Map<string, Uint8Array>();
const PREFIXES_KEPT = 256;

function prefixOf(
  record: RecordModule,
  { boundary, module }: DecisionRequest,
  policyRevision: string,
  dataRevision: string,
): Uint8Array {
  const key = `${boundary} ${module} ${policyRevision} ${dataRevision}`;
  let prefix = prefixes.get(key);
  if (prefix === undefined) {
    if (prefixes.size >= PREFIXES_KEPT) prefixes.clear();
    prefix = record.frames([DECISION_TAG, boundary, module, policyRevision, dataRevision]);
    prefixes.set(key, prefix);
  }
  return prefix;
}

/** What an output is taken for that is no answer. */
const UNREADABLE: JsonObject = Object.freeze({
  allow: false,
  reason: Object.freeze({ code: 'module_output_invalid' }),
});

/** Parsed outputs by their bytes: an executor gives the same object for an output that comes again. */
const parsedOutputs = new WeakMap<Uint8Array, JsonObject>();

function parseOutput(bytes: Uint8Array): JsonObject {
  let output = parsedOutputs.get(bytes);
  if (output === undefined) {
    output = parseObject(bytes);
    parsedOutputs.set(bytes, output);
  }
  return output;
}

function parseObject(bytes: Uint8Array): JsonObject {
  try {
    const output: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (isJsonObject(output)) return deepFreeze(output);
  } catch {
    // Falls through: an output that is no object allows nothing.
  }
  return UNREADABLE;
}

/** Shared between decisions, so nobody may change it. */
function deepFreeze(value: JsonObject): JsonObject {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member as JsonObject);
  }
  return Object.freeze(value);
}

type Judgement = Pick<
  Decision,
  'output' | 'allow' | 'reason' | 'rule' | 'controls' | 'obligations'
>;

/** Judgements without obligations, which are the same for every caller, by module and output. */
const judgements = new Map<string, WeakMap<Uint8Array, Judgement>>(
  DECISION_MODULES.map((module) => [module, new WeakMap()]),
);

function judged(request: DecisionRequest, outputBytes: Uint8Array): Judgement {
  const known = judgements.get(request.module)?.get(outputBytes);
  if (known !== undefined) return known;
  const judgement = judge(request, parseOutput(outputBytes));
  if (judgement.obligations.length === 0) {
    deepFreeze(judgement as unknown as JsonObject);
    judgements.get(request.module)?.set(outputBytes, judgement);
  }
  return judgement;
}

/** Reads a module's output; `allow: true` allows a caller that can keep every obligation, no other. */
function judge(request: DecisionRequest, output: JsonObject): Judgement {
  const stated = output.obligations === undefined ? [] : output.obligations;
  if (!Array.isArray(stated) || !stated.every(isObligation)) {
    // An obligation that cannot be read is one that nobody can honour.
    return { ...judge(request, UNREADABLE), output };
  }
  const obligations = stated as Obligation[];
  const ignored = unhonoured(obligations, request.honours ?? []);
  const answered = output.allow === true;
  const allow = answered && ignored === undefined;
  return {
    output,
    allow,
    reason:
      answered && ignored !== undefined
        ? { code: 'obligation_unknown', message: `this caller cannot honour "${ignored.kind}"` }
        : reasonOf(request.module, output, allow),
    rule: typeof output.rule === 'string' ? output.rule : request.module,
    controls: Array.isArray(output.controls)
      ? output.controls.filter((control): control is string => typeof control === 'string')
      : [],
    obligations,
  };
}

const denials: Record<string, { code: string; message: string }> = {
  arguments: { code: 'arguments_invalid', message: "the arguments do not fit the tool's schema" },
  guard: { code: 'guard_blocked', message: 'the guard found something that must not pass' },
};

function reasonOf(module: string, output: JsonObject, allow: boolean): Decision['reason'] {
  const stated = isJsonObject(output.reason)
    ? output.reason
    : Array.isArray(output.reasons)
      ? output.reasons.find(isJsonObject)
      : undefined;
  if (stated !== undefined && typeof stated.code === 'string') {
    const message = typeof stated.message === 'string' ? stated.message : stated.code;
    return { code: stated.code, message };
  }
  if (allow) return { code: 'allowed', message: 'allowed' };
  return denials[module] ?? { code: 'denied', message: 'no rule allows this' };
}
