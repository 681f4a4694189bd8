// Answers for one document: a decision by the platform's own path, the rest from the query module.
import { randomBytes, randomUUID } from 'node:crypto';
import { BOUNDARIES, entrypointOf } from '../../runtime/decide/boundary.ts';
import type { Decision } from '../../runtime/decide/decision.ts';
import { PlatformError } from '../../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';
import type { RegoFinding } from '../../runtime/modules/rego.ts';
import { type DocumentPath, queryOf } from './document-path.ts';
import { keyOf } from './documents.ts';
import type { PolicyEngine, Snapshot } from './engine.ts';
import { isRawNumber, parseExactly } from './json-text.ts';

export interface Question {
  path: DocumentPath;
  /** Canonical JSON; undefined is not `null`, as in OPA. */
  input: Uint8Array | undefined;
  explain?: string;
  pretty?: boolean;
  /** Answer with OPA's interpreter, where an error of a built-in is an error of the query. */
  strict?: boolean;
}

export interface Evaluated {
  snapshot: Snapshot;
  /** The platform's id of a decision; of everything else a random one. */
  decisionId: string;
  /** JSON text; undefined when the document is. */
  result: string | undefined;
  /** Where the path leads to a boundary's decision. */
  decision?: Decision;
  explanation?: JsonValue;
}

const decisions = new Map(
  BOUNDARIES.map((boundary) => [keyOf(entrypointOf(boundary).split('/')), boundary]),
);

/**
 * Evaluates a document under the bundles in force.
 * @throws PlatformError `bundle_missing` before there are any, `query_failed` with what OPA's own
 *   evaluation says in `data.errors`
 */
export async function evaluate(engine: PolicyEngine, question: Question): Promise<Evaluated> {
  const snapshot = engine.snapshot();
  if (snapshot === undefined) {
    throw new PlatformError('bundle_missing', 'no bundle has been activated yet');
  }
  const answered = question.strict
    ? { result: await interpreted(engine, snapshot, question) }
    : await answer(engine, snapshot, question);
  const explanation =
    question.explain === undefined ? undefined : await explained(engine, snapshot, question);
  const decisionId = answered.decision?.id ?? randomUUID();
  return { snapshot, decisionId, ...answered, explanation };
}

type Answered = Pick<Evaluated, 'result' | 'decision'>;

async function answer(
  engine: PolicyEngine,
  snapshot: Snapshot,
  question: Question,
): Promise<Answered> {
  const { path, input } = question;
  for (let length = path.length; length > 0; length--) {
    const document = snapshot.documents.get(keyOf(path.slice(0, length)));
    if (document === undefined) continue;
    const rest = path.slice(length);
    if (rest.length > 0 && document.kind === 'package') return { result: undefined };
    // It has no value, and OPA refuses to look: its own words say why.
    if (document.kind === 'function')
      return { result: await interpreted(engine, snapshot, question) };
    const boundary = decisions.get(keyOf(document.path));
    if (boundary !== undefined && input !== undefined) {
      const salt = randomBytes(32);
      const decision = engine.decider.decide({ boundary, module: 'authorization', input, salt });
      const result = Buffer.from(decision.outputBytes).toString();
      return { result: await within(result, rest, engine, snapshot, question), decision };
    }
    const value = await run(engine, snapshot, document.entrypoint, question);
    return { result: await within(value, rest, engine, snapshot, question) };
  }
  if (path.length > 0) return { result: textOf(lookUp(snapshot.base, path)) };
  return { result: await everything(engine, snapshot, question) };
}

/** The value of an entrypoint; what traps is asked again of the interpreter, which can say why. */
async function run(
  engine: PolicyEngine,
  snapshot: Snapshot,
  entrypoint: string,
  question: Question,
): Promise<string | undefined> {
  try {
    const input = question.input ?? new Uint8Array(0);
    return Buffer.from(snapshot.module.decideBytes(entrypoint, input).bytes).toString();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    if (error.code === 'module_output_invalid') return undefined;
    if (error.code !== 'module_trapped' && error.code !== 'policy_conflict') throw error;
    await interpreted(engine, snapshot, question);
    throw error;
  }
}

/** The part of a rule's value that the rest of the path leads to. */
async function within(
  text: string | undefined,
  rest: DocumentPath,
  engine: PolicyEngine,
  snapshot: Snapshot,
  question: Question,
): Promise<string | undefined> {
  if (text === undefined || rest.length === 0) return text;
  let value = parseExactly(text);
  for (const term of rest) {
    const isKnown =
      typeof term === 'string' &&
      isJsonObject(value) &&
      !isRawNumber(value) &&
      Object.hasOwn(value, term);
    // JSON does not tell an array from a set, nor the key 1 from "1": Rego does, and knows types.
    if (!isKnown) return interpreted(engine, snapshot, question);
    value = (value as JsonObject)[term]!;
  }
  return textOf(value);
}

/** The whole document: base data, and beside it what the policies define. */
async function everything(
  engine: PolicyEngine,
  snapshot: Snapshot,
  question: Question,
): Promise<string> {
  const members: JsonObject = { ...snapshot.base };
  for (const { path, entrypoint } of snapshot.documents.values()) {
    if (path.length !== 1) continue;
    const text = await run(engine, snapshot, entrypoint, { ...question, path });
    if (text !== undefined) members[path[0]!] = parseExactly(text);
  }
  return JSON.stringify(members);
}

/** Base data by key; as in OPA's store, a number names a member of an object by its digits. */
function lookUp(base: JsonObject, path: DocumentPath): JsonValue | undefined {
  let value: JsonValue | undefined = base;
  for (const term of path) {
    if (Array.isArray(value)) value = typeof term === 'number' ? value[term] : undefined;
    else if (isJsonObject(value) && !isRawNumber(value)) {
      value = Object.hasOwn(value, term) ? value[term] : undefined;
    } else return undefined;
  }
  return value;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

async function interpreted(
  engine: PolicyEngine,
  snapshot: Snapshot,
  { path, input, strict }: Question,
): Promise<string | undefined> {
  const { errors, result } = await engine.interpret(snapshot, {
    query: queryOf(path),
    input: parsedInput(input),
    strict,
  });
  if (errors.length > 0) throw evaluationError(errors);
  return textOf(result[0]);
}

async function explained(
  engine: PolicyEngine,
  snapshot: Snapshot,
  { path, input, explain, pretty, strict }: Question,
): Promise<JsonValue | undefined> {
  const answer = await engine.interpret(snapshot, {
    query: queryOf(path),
    input: parsedInput(input),
    ...{ explain, pretty, strict },
  });
  if (answer.errors.length > 0) throw evaluationError(answer.errors);
  return answer.explanation;
}

function parsedInput(input: Uint8Array | undefined): JsonValue | undefined {
  return input === undefined ? undefined : (JSON.parse(Buffer.from(input).toString()) as JsonValue);
}

/** What OPA answers: errors of the query itself in words, those of its evaluation as a list. */
function evaluationError(errors: readonly RegoFinding[]): PlatformError {
  const [first] = errors;
  if (first?.code.startsWith('rego_') && !first.file) {
    const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
    const words = errors.map(({ row = 1, column = 1, code, message, details = [] }) =>
      [`${row}:${column}: ${code}: ${message}`, ...details].join('\n\t'),
    );
    return new PlatformError('query_failed', `${count} occurred: ${words.join('\n')}`);
  }
  const listed = errors.map(({ code, message, file, row, column }) => ({
    ...{ code, message },
    ...(file === undefined ? {} : { location: { file, row, col: column } }),
  }));
  const message = 'error(s) occurred while evaluating query';
  return new PlatformError('query_failed', message, { data: { errors: listed } });
}
