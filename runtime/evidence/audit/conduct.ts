// Judges each row by what was allowed: no effect without an allow, no outcome without its intent.
import { createHash } from 'node:crypto';
import { honouredFor, isObligation, unhonoured } from '../../decide/obligations.ts';
import type { ErrorCode } from '../../errors.ts';
import { isJsonObject, type JsonValue } from '../../json.ts';
import type { RowContent, RowDecision } from '../row.ts';
import { RecordedDecision } from './recorded.ts';

/** What is wrong with a row as a whole, though each of its decisions may be right. */
export interface RowProblem {
  verdict: 'diverged' | 'undetermined';
  /** One sentence for people. */
  why: string;
}

/** Reasons to refuse without a decision: there was nobody, nothing or no request to decide about. */
const undecided: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['agent_unknown', 'caller_unknown', 'process_gone', 'role_not_allowed'] as const),
  ...(['unauthenticated', 'arguments_invalid', 'credential_missing'] as const),
  ...(['body_too_large', 'content_type_unsupported', 'headers_too_large'] as const),
  ...(['method_not_allowed', 'request_malformed', 'request_timeout', 'route_unknown'] as const),
  ...(['service_unavailable', 'internal', 'master_key_wrong'] as const),
]);
const undecidedFamilies = [
  ...['approval_', 'bundle_', 'database_', 'entry_', 'identity_', 'input_', 'module_'],
  ...['openapi_', 'schema_', 'secret_', 'spiffe_', 'svid_', 'tool_'],
];

/** Actions that are remembered as under way; over it, the oldest is forgotten. */
const OPEN_MAX = 100_000;
const ACTION_CHARACTERS_MAX = 128;

/** The actions under way, as plain data. */
export interface ConductState {
  open: string[];
  forgotten: number;
}

/** Walks a log's rows in order; remembers the actions under way. */
export class Conduct {
  /** Oldest first. */
  readonly #open: Set<string>;
  readonly #isWhole: boolean;
  readonly #openMax: number;
  #forgotten: number;

  /** `isWhole` is false for some rows of a log: an intent may then be among those left out. */
  constructor(isWhole = true, state?: ConductState, openMax = OPEN_MAX) {
    this.#isWhole = isWhole;
    this.#open = new Set(state?.open);
    this.#forgotten = state?.forgotten ?? 0;
    this.#openMax = openMax;
  }

  /** Intents whose outcome has not come. */
  get openIntents(): number {
    return this.#open.size;
  }

  /**
   * How many intents had to be forgotten because too many were open: whether their outcome came is not
   * known, and an outcome without an intent may be theirs.
   */
  get forgotten(): number {
    return this.#forgotten;
  }

  state(): ConductState {
    return { open: [...this.#open], forgotten: this.#forgotten };
  }

  /** What is wrong with the next row, if anything. */
  check(row: RowContent): RowProblem | undefined {
    const why = this.#problem(row);
    const action = shortAction(row.action);
    const isOrphan = row.kind === 'outcome' && !this.#open.has(action);
    if (row.kind === 'intent') this.#begin(action);
    if (row.kind === 'outcome') this.#open.delete(action);
    if (why !== undefined) return { verdict: 'diverged', why };
    if (isOrphan) return { verdict: 'undetermined', why: this.#whyOrphan() };
    if (!isDamageReport(row)) return undefined;
    return {
      verdict: 'undetermined',
      why: 'the latest checkpoint was damaged at this start: rows of the seconds before may be missing',
    };
  }

  #begin(action: string): void {
    if (this.#open.size >= this.#openMax) {
      this.#open.delete(this.#open.values().next().value as string);
      this.#forgotten++;
    }
    this.#open.add(action);
  }

  #whyOrphan(): string {
    return this.#isWhole
      ? 'its intent may be one of those that were forgotten, so many were open'
      : 'its intent is not among these rows';
  }

  #problem(row: RowContent): string | undefined {
    switch (row.kind) {
      case 'intent':
        if (this.#open.has(shortAction(row.action)))
          return 'another intent of this action is still open';
        return findUnallowed(row, false);
      case 'outcome':
        if (this.#isWhole && this.#forgotten === 0 && !this.#open.has(shortAction(row.action))) {
          return 'no intent of this action is open before it';
        }
        if (row.outcome !== 'ok') return undefined;
        return row.decisions.every(allows) ? undefined : 'the outcome is ok although it was denied';
      case 'event':
        return isDamageReport(row) ? undefined : findUnallowed(row, true);
      case 'denial':
        if (!row.decisions.every(allows) || isUndecided(row.reason?.code ?? '')) return undefined;
        return 'it was denied, but no decision denies it';
    }
  }
}

/** What is remembered of an action: its name, or the digest of one that no platform gives. */
function shortAction(action: string): string {
  if (action.length <= ACTION_CHARACTERS_MAX) return action;
  return createHash('sha256').update(action).digest('hex');
}

/** Why the row's decisions do not allow what it says; an event may also be a call that is parked. */
function findUnallowed(row: RowContent, mayPark: boolean): string | undefined {
  let authorized = false;
  for (const decision of lastOfEach(row.decisions)) {
    const { module, boundary } = decision;
    const isOwn = module === 'authorization' && boundary === row.boundary;
    if (!allows(decision) && !(isOwn && mayPark && parks(decision))) {
      return `it went on although ${module} at ${boundary} denied it`;
    }
    if (module === 'authorization' && !isAbout(decision, row)) {
      return `the decision of ${module} at ${boundary} is about another caller, tool or secret`;
    }
    authorized ||= isOwn;
  }
  return authorized ? undefined : 'no decision allows it';
}

// A call that was parked is decided again with the approval: what counts is the later answer.
function lastOfEach(decisions: readonly RowDecision[]): Iterable<RowDecision> {
  return new Map(decisions.map((each) => [`${each.module} ${each.boundary}`, each])).values();
}

// An allow with an obligation is one only for a caller that honours it: see `honours` of the decision
// request, which the platform's own callers fill from the same list.
function allows(decision: RowDecision): boolean {
  const { output, module, boundary } = decision;
  if (!isJsonObject(output) || output.allow !== true) return false;
  const obligations = obligationsOf(output);
  if (obligations.length === 0) return true;
  const honours = module === 'authorization' ? honouredFor(boundary, decision.input) : [];
  return obligations.every(isObligation) && unhonoured(obligations, honours) === undefined;
}

function parks({ output }: RowDecision): boolean {
  return obligationsOf(output).some(
    (obligation) => isJsonObject(obligation) && obligation.kind === 'require_approval',
  );
}

// Obligations that cannot be read are ones that nobody can honour.
function obligationsOf(output: JsonValue): JsonValue[] {
  if (!isJsonObject(output) || output.obligations === undefined) return [];
  return Array.isArray(output.obligations) ? output.obligations : [output.obligations];
}

function isAbout(decision: RowDecision, row: RowContent): boolean {
  const { boundary } = decision;
  // The input of an exchange is flat: who asks is a member like the others.
  const caller = boundary === 'exchange' ? ['spiffe_id'] : ['identity', 'spiffe_id'];
  if (inputText(decision, caller) !== row.spiffe_id) return false;
  const { tool, secret } = row.subject;
  if (boundary === 'tool' && tool !== undefined) {
    return inputText(decision, ['resource', 'name']) === tool;
  }
  if (boundary !== 'secret' || secret === undefined) return true;
  return inputText(decision, ['resource', 'key']) === secret;
}

/** The text at a path of the input; a decision that knows its bytes need not parse them for it. */
function inputText(decision: RowDecision, path: string[]): string | undefined {
  if (decision instanceof RecordedDecision) return decision.inputText(path[0]!, path[1]);
  let value: JsonValue | undefined = decision.input;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function isUndecided(code: string): boolean {
  return undecided.has(code) || undecidedFamilies.some((family) => code.startsWith(family));
}

/** The row that a log writes when it opens beside a checkpoint that cannot be read. */
function isDamageReport({ kind, decisions, reason }: RowContent): boolean {
  return kind === 'event' && decisions.length === 0 && reason?.code === 'checkpoint_invalid';
}
