// Executes recorded decisions again and says which of them can be reproduced byte for byte.
import {
  BOUNDARIES,
  type Boundary,
  committedFields,
  DECISION_MODULES,
  type DecisionModule,
  entrypointOf,
} from '../../decide/boundary.ts';
import { opens } from '../../decide/commitment.ts';
import { DECISION_TAG, failure } from '../../decide/decide.ts';
import type { Opening } from '../../decide/decision.ts';
import type { Executor } from '../../decide/execute.ts';
import { replaceMembers } from '../../decide/members.ts';
import { codeOf } from '../../errors.ts';
import { isJsonObject, type JsonValue } from '../../json.ts';
import { canonicalValue } from '../../modules/canonical-value.ts';
import { equalBytes, type RecordHashes } from '../hashes.ts';
import type { ObjectSource } from '../objects.ts';
import type { OpeningsSource } from '../openings.ts';
import type { RowDecision } from '../row.ts';
import { type Difference, firstDifference } from './difference.ts';
import { type Executors, type RecordedPair, Unavailable } from './executors.ts';
import type { InputRead } from './input-reads.ts';
import { type RecordedDecision, recordedOf } from './recorded.ts';
import { Schemas } from './schemas.ts';
import { isObjectAt, isStringAt, stringAt, stringEnd, valueOfKey } from './spans.ts';

export type Verdict = 'reproduced' | 'diverged' | 'undetermined';

export interface DecisionVerdict {
  verdict: Verdict;
  /** One sentence for people; empty when reproduced. */
  why: string;
  /** Where a diverged decision first differs. */
  difference?: Difference;
  /** Of a diverged decision: what of its input the policy could read. */
  reads?: InputRead[];
}

export interface ReplayOptions {
  record: RecordHashes;
  schemas: Pick<Schemas, 'find' | 'load'>;
  /** Executors by pair of revisions. */
  executors: Pick<Executors, 'pair'>;
  /** What is known of committed fields; empty without `--openings`. */
  openings: OpeningsSource;
}

const reproduced: DecisionVerdict = { verdict: 'reproduced', why: '' };
const boundaries: ReadonlySet<string> = new Set(BOUNDARIES);
const decisionModules: ReadonlySet<string> = new Set(DECISION_MODULES);
const SHOWN_MAX = 100;

/**
 * Recomputes the decision's id from what is recorded, executes the module again under the same
 * bundles, and compares the output's bytes. A committed field is an unknown: without its opening
 * the decision is undetermined, unless the policy says that its rule does not read the field.
 * A promise only where a bundle or a schema has to be read first: millions of rows wait for nothing.
 */
export function replayRecorded(
  decision: RecordedDecision,
  options: ReplayOptions,
): DecisionVerdict | Promise<DecisionVerdict> {
  const { boundary, module, policy_revision, data_revision } = decision;
  const pair = options.executors.pair(policy_revision, data_revision);
  const id = options.record.framedHex(
    [decision.inputBytes, decision.outputBytes],
    prefixOf(decision, pair, options.record),
  );
  if (!decision.isNamed(id)) {
    return diverged('the id is not that of the recorded input and output', 'id', id, decision.id);
  }
  if (!boundaries.has(boundary) || !decisionModules.has(module)) {
    return undetermined(`this version knows no module ${module} at ${boundary}`);
  }
  const commitment = commitmentIn(decision.inputBytes);
  if (commitment !== undefined) return replayRefusal(commitment, decision, options);
  if (policy_revision === '' && data_revision === '') return withoutBundles(decision);
  if (pair.executor === undefined) {
    return pair.load().then(() => replayLoaded(decision, pair, options));
  }
  return replayLoaded(decision, pair, options);
}

/** As `replayRecorded`, of a decision that comes as a value, by itself. */
export async function replayDecision(
  decision: RowDecision,
  { objects, ...options }: Omit<ReplayOptions, 'schemas'> & { objects: Pick<ObjectSource, 'get'> },
): Promise<DecisionVerdict> {
  const schemas = new Schemas(objects);
  return replayRecorded(recordedOf(decision, options.record), { ...options, schemas });
}

function prefixOf(
  { boundary, module, policy_revision, data_revision }: RecordedDecision,
  { prefixes }: RecordedPair,
  record: RecordHashes,
): Uint8Array {
  const key = `${boundary} ${module}`;
  let prefix = prefixes.get(key);
  if (prefix === undefined) {
    prefix = record.frames([DECISION_TAG, boundary, module, policy_revision, data_revision]);
    // A forged row may name anything, at any length.
    if (boundaries.has(boundary) && decisionModules.has(module)) prefixes.set(key, prefix);
  }
  return prefix;
}

function replayLoaded(
  decision: RecordedDecision,
  { executor }: RecordedPair,
  options: ReplayOptions,
): DecisionVerdict | Promise<DecisionVerdict> {
  if (executor === undefined || executor instanceof Unavailable) {
    return undetermined(executor?.why ?? 'the bundles are not loaded');
  }
  const listed = executor.pair.policy.modules[decision.module]?.core ?? '';
  if (listed !== decision.module_digest) {
    return diverged(
      'another module than the bundle lists',
      'module_digest',
      listed,
      decision.module_digest,
    );
  }
  const output = outputUnder(decision, executor, options);
  const judged = (found: Uint8Array | DecisionVerdict) =>
    found instanceof Uint8Array ? compare(decision, found) : found;
  return output instanceof Promise ? output.then(judged) : judged(output);
}

/**
 * What the executor answers to the recorded input, or why that cannot be said. A promise only where a
 * schema has to be read first. For `authorization` the executor's own policy says which fields it reads.
 */
export function outputUnder(
  decision: RecordedDecision,
  executor: Executor,
  options: Pick<ReplayOptions, 'record' | 'openings' | 'schemas'>,
): Uint8Array | DecisionVerdict | Promise<Uint8Array | DecisionVerdict> {
  const input = openInput(decision, executor, options);
  if (!(input instanceof Uint8Array)) return input;
  const named = decision.module === 'arguments' ? decision.inputText('schema') : undefined;
  if (named === undefined) return execute(executor, decision, input);
  const withSchema = (schema: Uint8Array | undefined): Uint8Array | DecisionVerdict =>
    schema === undefined
      ? undetermined(`the schema ${named.slice(0, SHOWN_MAX)} is not kept`)
      : execute(executor, decision, input, schema);
  const found = options.schemas.find(named);
  return found === undefined
    ? options.schemas.load(named).then(withSchema)
    : withSchema(found.bytes);
}

/** True where the whole input is one commitment: nobody could read it, so no module was asked. */
export function isUnreadable(decision: RecordedDecision): boolean {
  return commitmentIn(decision.inputBytes) !== undefined;
}

// Without bundles every answer is a deny; why there were none may be the machine's own reason.
function withoutBundles(decision: RecordedDecision): DecisionVerdict {
  const verdict = compare(decision, failure('bundle_missing'));
  const { output } = decision;
  const denied = isJsonObject(output) && output.allow === false;
  if (verdict.verdict === 'reproduced' || !denied) return verdict;
  return undetermined('the platform had no bundles when it denied this');
}

/** The input with every field in clear that the module may read, or why it cannot be had. */
function openInput(
  decision: RecordedDecision,
  executor: Executor,
  { record, openings }: Pick<ReplayOptions, 'record' | 'openings'>,
): Uint8Array | DecisionVerdict {
  const { inputBytes } = decision;
  const module = decision.module as DecisionModule;
  const boundary = decision.boundary as Boundary;
  const reads = module === 'authorization' ? executor.pair.policy.reads : undefined;
  const read = reads?.[entrypointOf(boundary)];
  let values: Map<string, Uint8Array> | undefined;
  for (const field of committedFields(module, boundary)) {
    const value = decision.inputMember(field);
    if (value === undefined) continue;
    const commitment = commitmentIn(value);
    if (commitment === undefined) {
      return { verdict: 'diverged', why: `the field ${field} stands in clear in the evidence` };
    }
    const opening = openings.get(commitment);
    if (opening?.field === field && reallyOpens(opening, commitment, record)) {
      values ??= new Map();
      values.set(field, opening.value);
    } else if (read === undefined || read.includes(field)) {
      return undetermined(`the field ${field} is committed and no opening of it is given`);
    }
  }
  if (values === undefined) return inputBytes;
  const spliced = replaceMembers(inputBytes, values);
  if (isCanonical(spliced, record)) return spliced;
  return { verdict: 'diverged', why: 'a committed value is not canonical JSON' };
}

function isCanonical(bytes: Uint8Array, record: RecordHashes): boolean {
  try {
    return record.isCanonical(bytes);
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
  commitment: string,
  decision: RecordedDecision,
  { record, openings }: ReplayOptions,
): DecisionVerdict {
  const opening = openings.get(commitment);
  if (opening === undefined || !reallyOpens(opening, commitment, record))
    return undetermined('the whole input is committed and not opened');
  try {
    record.canonicalize(opening.value);
  } catch (error) {
    return compare(decision, failure(codeOf(error)));
  }
  return { verdict: 'diverged', why: 'the input was refused as unreadable, but it can be read' };
}

function execute(
  executor: Executor,
  decision: RecordedDecision,
  input: Uint8Array,
  schema?: Uint8Array,
): Uint8Array {
  const module = decision.module as DecisionModule;
  const boundary = decision.boundary as Boundary;
  try {
    return executor.execute({ boundary, module, input, schema });
  } catch (error) {
    return failure(codeOf(error));
  }
}

function compare(decision: RecordedDecision, expected: Uint8Array): DecisionVerdict {
  if (decision.hasOutput(expected)) return reproduced;
  const difference = firstDifference(parse(expected), decision.output);
  return { verdict: 'diverged', why: 'the module gives another output', difference };
}

function parse(bytes: Uint8Array): JsonValue {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonValue;
}

/** The digest where the canonical value there is a commitment and nothing else. */
function commitmentIn(bytes: Buffer): string | undefined {
  const start = isObjectAt(bytes, 0) ? valueOfKey(bytes, 1, '$commitment') : -1;
  if (start < 0 || !isStringAt(bytes, start)) return undefined;
  const end = stringEnd(bytes, start);
  return end === bytes.length - 1 ? stringAt(bytes, start, end) : undefined;
}

function reallyOpens(opening: Opening, commitment: string, record: RecordHashes): boolean {
  const stated = Buffer.from(`{"$commitment":"${commitment}"}`, 'utf8');
  return opens(record, opening, stated);
}

function diverged(why: string, pointer: string, expected: string, found: string): DecisionVerdict {
  return { verdict: 'diverged', why, difference: { pointer: `/${pointer}`, expected, found } };
}

function undetermined(why: string): DecisionVerdict {
  return { verdict: 'undetermined', why };
}
