// Executes recorded decisions again and says which of them can be reproduced byte for byte.
import {
  BOUNDARIES,
  type Boundary,
  committedFields,
  DECISION_MODULES,
  type DecisionModule,
  entrypointOf,
} from '../decide/boundary.ts';
import { opens } from '../decide/commitment.ts';
import { DECISION_TAG, failure } from '../decide/decide.ts';
import type { Opening } from '../decide/decision.ts';
import type { Executor } from '../decide/execute.ts';
import { replaceMembers } from '../decide/members.ts';
import { codeOf } from '../errors.ts';
import { hex } from '../hex.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { canonicalValue } from '../modules/canonical-value.ts';
import { type Difference, firstDifference } from './difference.ts';
import { type Executors, Unavailable } from './executors.ts';
import { equalBytes, type RecordHashes } from './hashes.ts';
import type { ObjectSource } from './objects.ts';
import type { Openings } from './openings.ts';
import type { RowDecision } from './row.ts';

export type Verdict = 'reproduced' | 'diverged' | 'undetermined';

export interface DecisionVerdict {
  verdict: Verdict;
  /** One sentence for people; empty when reproduced. */
  why: string;
  /** Where a diverged decision first differs. */
  difference?: Difference;
}

export interface ReplayOptions {
  record: RecordHashes;
  /** Schemas by digest. */
  objects: Pick<ObjectSource, 'get'>;
  /** Executors by pair of revisions. */
  executors: Pick<Executors, 'find'>;
  /** What is known of committed fields; empty without `--openings`. */
  openings: Openings;
}

const reproduced: DecisionVerdict = { verdict: 'reproduced', why: '' };

/**
 * Recomputes the decision's id from what is recorded, executes the module again under the same
 * bundles, and compares the output's bytes. A committed field is an unknown: without its opening
 * the decision is undetermined, unless the policy says that its rule does not read the field.
 */
export async function replayDecision(
  decision: RowDecision,
  options: ReplayOptions,
): Promise<DecisionVerdict> {
  const { record } = options;
  const committed = canonical(decision.input, record);
  const recorded = canonical(decision.output, record);
  const id = hex(record.decisionId(idFields(decision, committed, recorded)));
  if (id !== decision.id) {
    return diverged('the id is not that of the recorded input and output', 'id', id, decision.id);
  }
  if (!isBoundary(decision.boundary) || !isModule(decision.module)) {
    return undetermined(`this version knows no module ${decision.module} at ${decision.boundary}`);
  }
  const { boundary, module } = decision;
  if (commitmentIn(decision.input)) return replayRefusal(decision.input, recorded, options);

  const executor = await executorOf(decision, options);
  if (typeof executor === 'string') return undetermined(executor);
  if (executor === undefined) return withoutBundles(decision.output, recorded);
  const listed = executor.pair.policy.modules[module]?.core ?? '';
  if (listed !== decision.module_digest) {
    return diverged(
      'another module than the bundle lists',
      'module_digest',
      listed,
      decision.module_digest,
    );
  }
  const input = openInput(boundary, module, decision.input, committed, executor, options);
  if (!(input instanceof Uint8Array)) return input;
  const schema = await schemaOf(decision, options);
  if (typeof schema === 'string') return undetermined(schema);
  return compare(execute(executor, { boundary, module, input, schema }), recorded);
}

function idFields(decision: RowDecision, committed: Uint8Array, output: Uint8Array) {
  const { boundary, module, policy_revision, data_revision } = decision;
  return [DECISION_TAG, boundary, module, policy_revision, data_revision, committed, output];
}

/** The executor, undefined where the platform had no bundles, or why it cannot be had here. */
async function executorOf(
  decision: RowDecision,
  options: ReplayOptions,
): Promise<Executor | undefined | string> {
  const { policy_revision, data_revision } = decision;
  if (policy_revision === '' && data_revision === '') return undefined;
  const found = await options.executors.find(policy_revision, data_revision);
  return found instanceof Unavailable ? found.why : found;
}

// Without bundles every answer is a deny; why there were none may be the machine's own reason.
function withoutBundles(output: JsonValue, recorded: Uint8Array): DecisionVerdict {
  const verdict = compare(failure('bundle_missing'), recorded);
  const denied = isJsonObject(output) && output.allow === false;
  if (verdict.verdict === 'reproduced' || !denied) return verdict;
  return undetermined('the platform had no bundles when it denied this');
}

/** The input with every field in clear that the module may read, or why it cannot be had. */
function openInput(
  boundary: Boundary,
  module: DecisionModule,
  input: JsonValue,
  committed: Uint8Array,
  executor: Executor,
  { record, openings }: ReplayOptions,
): Uint8Array | DecisionVerdict {
  if (!isJsonObject(input)) return committed;
  const reads = module === 'authorization' ? executor.pair.policy.reads : undefined;
  const read = reads?.[entrypointOf(boundary)];
  const values = new Map<string, Uint8Array>();
  for (const field of committedFields(module, boundary)) {
    const value = input[field];
    if (value === undefined) continue;
    const commitment = commitmentIn(value);
    if (commitment === undefined) {
      return { verdict: 'diverged', why: `the field ${field} stands in clear in the evidence` };
    }
    const opening = openings.get(commitment);
    if (opening?.field === field && reallyOpens(opening, commitment, record)) {
      values.set(field, opening.value);
    } else if (read === undefined || read.includes(field)) {
      return undetermined(`the field ${field} is committed and no opening of it is given`);
    }
  }
  const spliced = replaceMembers(committed, values);
  if (isCanonical(spliced, record)) return spliced;
  return { verdict: 'diverged', why: 'a committed value is not canonical JSON' };
}

function isCanonical(bytes: Uint8Array, record: RecordHashes): boolean {
  try {
    return equalBytes(record.canonicalize(bytes), bytes);
  } catch (error) {
    // A text of the guard may be longer than what the record module takes; the engine's writer judges it.
    if (codeOf(error) !== 'input_too_large') return false;
  }
  try {
    const value = canonicalValue(parse(bytes));
    return value !== undefined && equalBytes(Buffer.from(JSON.stringify(value)), bytes);
  } catch {
    return false;
  }
}

// The input that could not be read is one commitment over its raw bytes; reading it again must be
// refused for the same reason.
function replayRefusal(
  input: JsonValue,
  recorded: Uint8Array,
  { record, openings }: ReplayOptions,
): DecisionVerdict {
  const commitment = commitmentIn(input) ?? '';
  const opening = openings.get(commitment);
  if (opening === undefined || !reallyOpens(opening, commitment, record))
    return undetermined('the whole input is committed and not opened');
  try {
    record.canonicalize(opening.value);
  } catch (error) {
    return compare(failure(codeOf(error)), recorded);
  }
  return { verdict: 'diverged', why: 'the input was refused as unreadable, but it can be read' };
}

async function schemaOf(
  { module, input }: RowDecision,
  { objects }: ReplayOptions,
): Promise<Uint8Array | undefined | string> {
  if (module !== 'arguments' || !isJsonObject(input)) return undefined;
  if (typeof input.schema !== 'string') return undefined;
  return (await objects.get(input.schema)) ?? `the schema ${input.schema} is not kept`;
}

function execute(executor: Executor, execution: Parameters<Executor['execute']>[0]): Uint8Array {
  try {
    return executor.execute(execution);
  } catch (error) {
    return failure(codeOf(error));
  }
}

function compare(expected: Uint8Array, recorded: Uint8Array): DecisionVerdict {
  if (equalBytes(expected, recorded)) return reproduced;
  const difference = firstDifference(parse(expected), parse(recorded));
  return { verdict: 'diverged', why: 'the module gives another output', difference };
}

function parse(bytes: Uint8Array): JsonValue {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonValue;
}

/** The digest where the value is a commitment and nothing else. */
function commitmentIn(value: JsonValue): string | undefined {
  if (!isJsonObject(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value.$commitment === 'string' ? value.$commitment : undefined;
}

function reallyOpens(opening: Opening, commitment: string, record: RecordHashes): boolean {
  const stated = Buffer.from(`{"$commitment":"${commitment}"}`, 'utf8');
  return opens(record, opening, stated);
}

function canonical(value: JsonValue | JsonObject, record: RecordHashes): Uint8Array {
  return record.canonicalize(Buffer.from(JSON.stringify(value), 'utf8'));
}

function diverged(why: string, pointer: string, expected: string, found: string): DecisionVerdict {
  return { verdict: 'diverged', why, difference: { pointer: `/${pointer}`, expected, found } };
}

function undetermined(why: string): DecisionVerdict {
  return { verdict: 'undetermined', why };
}

function isBoundary(value: string): value is Boundary {
  return (BOUNDARIES as readonly string[]).includes(value);
}

function isModule(value: string): value is DecisionModule {
  return (DECISION_MODULES as readonly string[]).includes(value);
}
