// Decides recorded decisions again under another policy, each with the data of its time, and lists what flips.
import { joined, loadData } from '../../../../runtime/bundle/load.ts';
import type { LoadedPair } from '../../../../runtime/bundle/pair.ts';
import {
  type Boundary,
  committedFields,
  entrypointOf,
} from '../../../../runtime/decide/boundary.ts';
import { failure } from '../../../../runtime/decide/decide.ts';
import type { Executor } from '../../../../runtime/decide/execute.ts';
import { executorOf, type LoadedModules } from '../../../../runtime/decide/local.ts';
import { codeOf } from '../../../../runtime/errors.ts';
import type { Openings } from '../../../../runtime/evidence/openings.ts';
import type { RowDecision } from '../../../../runtime/evidence/row.ts';
import { isJsonObject, type JsonValue } from '../../../../runtime/json.ts';
import type { Flip, Flips } from '../protocol.ts';
import type { Overview, Platform } from './platform.ts';

/** Of data revisions, each of which is loaded on its own. */
const REVISIONS_MAX = 24;

/** A decision of a row, with when it was made and for whom. */
export interface Recorded {
  time: string;
  spiffe_id: string;
  decision: RowDecision;
}

interface Under {
  /** The policy that is tried. */
  draft: LoadedPair;
  modules: LoadedModules;
  platform: Platform;
  keys: Overview['keys'];
  openings: Openings;
}

/** What a draft decides otherwise; a decision that depends on what is committed is undetermined. */
export async function flipsOf(recorded: readonly Recorded[], under: Under): Promise<Flips> {
  const executors = new Map<string, Executor | undefined>();
  const flips: Flip[] = [];
  let same = 0;
  let undetermined = 0;
  for (const { time, spiffe_id, decision } of recorded) {
    const executor = await executorAt(decision.data_revision, executors, under);
    const after = executor === undefined ? undefined : decided(decision, executor, under.openings);
    if (after === undefined) {
      undetermined += 1;
      continue;
    }
    const before = said(decision.output);
    if (before.allow === after.allow && before.rule === after.rule) same += 1;
    else flips.push({ id: decision.id, time, agent: spiffe_id, before, after });
  }
  const revisions = new Set(recorded.map(({ decision }) => decision.policy_revision)).size;
  return { decisions: recorded.length, same, undetermined, revisions, flips, more: false };
}

/** The draft with the data of a revision, where the platform keeps it. */
async function executorAt(
  revision: string,
  executors: Map<string, Executor | undefined>,
  { draft, modules, platform, keys }: Under,
): Promise<Executor | undefined> {
  if (executors.has(revision)) return executors.get(revision);
  let executor: Executor | undefined;
  if (revision === draft.data.revision) executor = executorOf(modules, draft);
  else if (executors.size < REVISIONS_MAX && revision !== '') {
    const files = await platform.bundle(revision);
    if (files !== undefined) {
      const data = await loadData(files, keys);
      executor = executorOf(modules, await joined({ policy: draft.policy, data }));
    }
  }
  executors.set(revision, executor);
  return executor;
}

/** What the draft says, or undefined where its rules may read what is committed and not opened. */
function decided(
  decision: RowDecision,
  executor: Executor,
  openings: Openings,
): Flip['after'] | undefined {
  const boundary = decision.boundary as Boundary;
  if (!isJsonObject(decision.input) || '$commitment' in decision.input) return undefined;
  const input = { ...decision.input };
  const read = executor.pair.policy.reads?.[entrypointOf(boundary)];
  for (const field of committedFields('authorization', boundary)) {
    const value = input[field];
    if (value === undefined) continue;
    const opening = isJsonObject(value) ? openings.get(String(value.$commitment)) : undefined;
    if (opening?.field === field) input[field] = parsed(opening.value);
    else if (read === undefined || read.includes(field)) return undefined;
  }
  try {
    return said(parsed(executor.execute({ boundary, module: 'authorization', input })));
  } catch (error) {
    return said(parsed(failure(codeOf(error))));
  }
}

function parsed(bytes: Uint8Array): JsonValue {
  return JSON.parse(Buffer.from(bytes).toString()) as JsonValue;
}

/** Allow and rule of an output; what has no rule is known by its reason. */
function said(output: JsonValue): Flip['after'] {
  const { allow, rule, reason } = isJsonObject(output) ? output : {};
  const code = isJsonObject(reason) ? String(reason.code) : 'undefined';
  return { allow: allow === true, rule: typeof rule === 'string' ? rule : code };
}
