// The policy compiler: OPA's own Go packages as one Wasm command, asked in JSON.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { BundleError, ModuleError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { keepCached, readCached } from './cache.ts';
import { type AstModule, type AstRule, decodeTexts } from './rego-ast.ts';
import type {
  RawAnswer,
  RegoAnswer,
  RegoBuild,
  RegoCondition,
  RegoCoverage,
  RegoFile,
  RegoFinding,
  RegoReply,
  RegoRule,
  RegoSources,
  RegoTest,
  RegoTrial,
} from './rego-types.ts';
import { runCommand } from './wasi.ts';

export type * from './rego-ast.ts';
export type * from './rego-types.ts';

const compilerFolder = new URL('../../wasm/rego/', import.meta.url);
const compilerBytesMax = 96 << 20;

/** OPA's compiler, checker, tester, formatter and interpreter; every call is a fresh instance. */
export class RegoCompiler {
  readonly digest: string;
  readonly #module: WebAssembly.Module;

  private constructor(module: WebAssembly.Module, digest: string) {
    this.#module = module;
    this.digest = digest;
  }

  static #loaded: Promise<RegoCompiler> | undefined;

  /**
   * Loads the committed compiler, once a process. The decompressed module is kept in the user's
   * cache folder under its digest; the digest is checked at every load.
   * @throws ModuleError `module_missing` or `module_digest_mismatch`
   */
  static load(): Promise<RegoCompiler> {
    RegoCompiler.#loaded ??= (async () => {
      const digest = (await readFile(new URL('compiler.wasm.sha256', compilerFolder), 'utf8'))
        .trim()
        .slice(0, 64);
      const bytes = (await cached(digest)) ?? (await decompressed(digest));
      return new RegoCompiler(await WebAssembly.compile(bytes), `sha256:${digest}`);
    })().catch((error: unknown) => {
      RegoCompiler.#loaded = undefined;
      if (error instanceof ModuleError) throw error;
      throw new ModuleError('module_missing', 'the policy compiler could not be loaded', {
        cause: error,
        hint: 'wasm/rego/compiler.wasm.br and compiler.wasm.sha256 belong to the repository',
      });
    });
    return RegoCompiler.#loaded;
  }

  /** Strict check of types, names, schemas and allowed built-ins; lists the documented rules. */
  check(sources: RegoSources): RegoAnswer & { rules: RegoRule[] } {
    const answer = this.#ask({ command: 'check', ...sources });
    return { ...answer, rules: answer.rules ?? [] };
  }

  /** Runs every `test_` rule (those matching `run`, a regular expression, if given). */
  test(
    sources: RegoSources & { run?: string },
  ): RegoAnswer & { tests: RegoTest[]; coverage: RegoCoverage } {
    const answer = this.#ask({ command: 'test', ...sources });
    const coverage = answer.coverage ?? { percent: 0, covered: 0, not_covered: 0, files: {} };
    return { ...answer, tests: answer.tests ?? [], coverage };
  }

  /**
   * Compiles the sources without their tests to OPA's Wasm ABI.
   * @throws BundleError `policy_invalid` with the findings in `data.errors`
   */
  build(sources: RegoSources & { entrypoints: string[]; roots?: string[] }): RegoBuild {
    const answer = this.#ask({ command: 'build', roots: ['platform'], ...sources });
    if (!answer.ok || answer.wasm === undefined) throw policyInvalid(answer.errors);
    return {
      wasm: Buffer.from(answer.wasm, 'base64'),
      files: answer.files ?? [],
      reads: answer.reads ?? {},
    };
  }

  /**
   * Evaluates one query with OPA's interpreter, the reference for the compiled module. `explain` asks
   * for the trace as OPA's REST API gives it, `pretty` for its lines; `strict` makes an error of a
   * built-in an error of the query.
   */
  eval(
    sources: RegoSources & {
      query: string;
      input?: JsonValue;
      explain?: string;
      pretty?: boolean;
      strict?: boolean;
    },
  ): RegoAnswer & { result: JsonValue[]; output: string; explanation?: JsonValue } {
    const answer = this.#ask({ command: 'eval', ...sources });
    const { explanation } = answer;
    return { ...answer, result: answer.result ?? [], output: answer.output ?? '', explanation };
  }

  /**
   * Evaluates one query and answers with its conditions and the tree of rules behind them, bounded in
   * size. A finding `explain_too_large` says that the evaluation takes more steps than are recorded.
   */
  explain(
    sources: RegoSources & { query: string; input?: JsonValue },
  ): RegoAnswer & { result: JsonValue[]; tree: RegoCondition[] } {
    const answer = this.#ask({ command: 'explain', ...sources });
    return { ...answer, result: answer.result ?? [], tree: answer.tree ?? [] };
  }

  /**
   * OPA's intermediate representation (package v1/ir) of entrypoints, or of one query. `optimize` is
   * OPA's level of partial evaluation, for entrypoints; `lenient` takes what its strict mode refuses.
   */
  plan(
    sources: RegoSources & { optimize?: 0 | 1 | 2; lenient?: boolean } & (
        | { entrypoints: string[]; roots?: string[] }
        | { query: string }
      ),
  ): RegoAnswer & { plan?: JsonValue } {
    return this.#ask({ command: 'plan', roots: ['platform'], ...sources });
  }

  /**
   * Evaluates one query for many inputs, each JSON text, with OPA's interpreter. Sets are
   * `{"$set":[…]}`, a key that begins with `$` has another one in front, and a number that a double
   * would change is `{"$number":"…"}`.
   */
  answers(
    sources: RegoSources & {
      query: string;
      inputs: readonly string[];
      strict?: boolean;
      lenient?: boolean;
    },
  ): RegoAnswer & { replies: RegoReply[] } {
    const { inputs, ...rest } = sources;
    const answer = this.#ask({ command: 'answers', ...rest }, `[${inputs.join(',')}]`);
    return { ...answer, replies: answer.replies ?? [] };
  }

  /** Returns the files whose text OPA's formatter would change, as it would have them. */
  format(files: RegoFile[]): RegoAnswer & { files: RegoFile[] } {
    const answer = this.#ask({ command: 'fmt', files });
    return { ...answer, files: answer.files ?? [] };
  }

  /** OPA's syntax tree of every file that parses, by path, with places and texts. */
  parse(
    sources: Pick<RegoSources, 'files'> & Partial<RegoSources>,
  ): RegoAnswer & { modules: Record<string, AstModule> } {
    const { files, capabilities } = sources;
    const answer = this.#ask({ command: 'parse', files, capabilities });
    return { ...answer, modules: decodeTexts(answer.modules ?? {}) };
  }

  /**
   * The rules of each file as OPA's compiler leaves them, which is what is evaluated: names resolved,
   * variables unique, calls apart, each body in an order that is safe. Places are without their text.
   */
  compiled(sources: RegoSources): RegoAnswer & { modules: Record<string, AstRule[] | null> } {
    const answer = this.#ask({ command: 'compiled', ...sources });
    return { ...answer, modules: (answer.modules ?? {}) as never };
  }

  /**
   * For each variant, replaces the one file of its path and runs the tests until one fails. All
   * tests must pass without a variant (finding `tests_fail`).
   */
  trial(
    sources: RegoSources & { variants: RegoFile[]; run?: string },
  ): RegoAnswer & { outcomes: RegoTrial[] } {
    const answer = this.#ask({ command: 'trial', ...sources });
    return { ...answer, outcomes: answer.outcomes ?? [] };
  }

  #ask(
    request: { command: string; files: RegoFile[] } & Record<string, unknown>,
    inputs?: string,
  ): RawAnswer {
    const stated = JSON.stringify(request);
    // The inputs are JSON already, with numbers that a value of JavaScript would change.
    const text = inputs === undefined ? stated : `${stated.slice(0, -1)},"inputs":${inputs}}`;
    const run = runCommand(this.#module, new TextEncoder().encode(text));
    if (run.exitCode !== 0) {
      throw new ModuleError('compiler_failed', `the policy compiler ended with ${run.exitCode}`, {
        data: { stderr: new TextDecoder().decode(run.stderr).slice(0, 4096) },
      });
    }
    const answer = JSON.parse(
      new TextDecoder().decode(run.stdout),
      inputs === undefined ? undefined : withNumbers,
    ) as Partial<RawAnswer>;
    const { ok, errors = [], tests } = answer;
    return {
      ...answer,
      ok: ok === true,
      errors: located(errors, request.files),
      tests: tests && located(tests, request.files),
    };
  }
}

/** Keeps the text of a number that a double would change; `context` is new in JSON.parse. */
function withNumbers(_key: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value !== 'number' || context === undefined) return value;
  return String(value) === context.source ? value : { $number: context.source };
}

/** With the path where a file was read, as a person in this folder would write it, where it is known. */
function located<T extends { file?: string }>(
  items: readonly T[],
  files: readonly RegoFile[],
): T[] {
  const origins = new Map(files.map(({ path, origin }) => [path, origin]));
  return items.map((item) => {
    const origin = origins.get(item.file ?? '');
    if (origin === undefined) return item;
    const short = relative('.', origin);
    return { ...item, file: short.startsWith('..') ? origin : short };
  });
}

/** The error of a policy that does not compile; its message names the first place. */
export function policyInvalid(errors: RegoFinding[]): BundleError {
  const first = errors[0];
  const place = first?.file ? `${first.file}:${first.row ?? 1}:${first.column ?? 1}: ` : '';
  return new BundleError('policy_invalid', `${place}${first?.message ?? 'unknown error'}`, {
    data: { errors },
    hint: first?.hint,
  });
}

async function cached(digest: string): Promise<Buffer<ArrayBuffer> | undefined> {
  const bytes = await readCached(`rego-${digest}.wasm`);
  return bytes !== undefined && sha256(bytes) === digest ? bytes : undefined;
}

async function decompressed(digest: string): Promise<Buffer<ArrayBuffer>> {
  const compressed = await readFile(new URL('compiler.wasm.br', compilerFolder));
  const bytes = (await promisify(brotliDecompress)(compressed, {
    maxOutputLength: compilerBytesMax,
  })) as Buffer<ArrayBuffer>;
  if (sha256(bytes) !== digest) {
    throw new ModuleError(
      'module_digest_mismatch',
      'the policy compiler does not have the digest in compiler.wasm.sha256',
    );
  }
  await keepCached(`rego-${digest}.wasm`, bytes);
  return bytes;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
