// Runs the policy compiler and OPA's interpreter on a thread of their own, so that answers go on.
import { parentPort } from 'node:worker_threads';
import { compileSources } from '../../runtime/bundle/compile.ts';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { RegoCompiler, type RegoFile, type RegoFinding } from '../../runtime/modules/rego.ts';
import {
  answerable,
  documentsOf,
  QUERY_ROOTS,
  querySource,
  type VirtualDocument,
} from './documents.ts';

/** What the interpreter is asked with the sources that a bundle brought. */
export interface Query {
  files: RegoFile[];
  capabilities: JsonObject;
  data: JsonObject;
  query: string;
  input?: JsonValue;
  /** How much of the trace is wanted: `notes`, `fails`, `full` or `debug`. */
  explain?: string;
  pretty?: boolean;
  /** An error of a built-in is an error of the query. */
  strict?: boolean;
}

export interface QueryAnswer {
  errors: RegoFinding[];
  result: JsonValue[];
  explanation?: JsonValue;
}

/** One module for all documents of a bundle, and the syntax trees of its files. */
export interface Compiled {
  documents: VirtualDocument[];
  wasm: Uint8Array;
  decisions?: Uint8Array;
  /** By file, the JSON text of OPA's syntax tree. */
  trees: Record<string, string>;
}

export type WorkerRequest =
  | { number: number; compile: { files: RegoFile[]; capabilities: JsonObject } }
  | { number: number; query: Query };

export type WorkerAnswer = { number: number } & (
  | { answer: Compiled | QueryAnswer }
  | { failure: Pick<PlatformError, 'code' | 'message' | 'data'> }
);

parentPort?.on('message', async (request: WorkerRequest) => {
  const { number } = request;
  let answer: WorkerAnswer;
  try {
    const compiler = await RegoCompiler.load();
    answer = {
      number,
      answer:
        'query' in request
          ? query(compiler, request.query)
          : await compile(compiler, request.compile),
    };
  } catch (error) {
    const { message, data } =
      error instanceof PlatformError ? error : new PlatformError('internal', 'unexpected');
    const failure = { code: codeOf(error), message, data: JSON.parse(JSON.stringify(data)) };
    answer = { number, failure };
  }
  parentPort?.postMessage(answer);
});

async function compile(
  compiler: RegoCompiler,
  { files, capabilities }: { files: RegoFile[]; capabilities: JsonObject },
): Promise<Compiled> {
  const { errors, modules } = compiler.parse({ files, capabilities });
  if (errors.length > 0) throw new PlatformError('policy_invalid', errors[0]!.message);
  const documents = documentsOf(Object.values(modules));
  const { wasm, decisions } = await compileSources({
    files: [...files, querySource(documents)],
    capabilities,
    schemas: openSchemas(files),
    entrypoints: answerable(documents).map(({ entrypoint }) => entrypoint),
    roots: QUERY_ROOTS,
  });
  const trees = Object.entries(modules).map(([file, tree]) => [file, JSON.stringify(tree)]);
  return { documents, wasm, decisions, trees: Object.fromEntries(trees) };
}

function query(compiler: RegoCompiler, asked: Query): QueryAnswer {
  const { errors, result, explanation } = compiler.eval({
    ...asked,
    schemas: openSchemas(asked.files),
  });
  return { errors, result, explanation };
}

/** The sources were checked against their schemas when the bundle was built; here any input may come. */
function openSchemas(files: readonly RegoFile[]): Record<string, JsonValue> {
  const names = files.flatMap(({ content }) => [...content.matchAll(/\bschema\.(\w+)/g)]);
  return Object.fromEntries(names.map(([, name]) => [name!, {}]));
}
