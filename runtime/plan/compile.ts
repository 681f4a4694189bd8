// Compiles the plan of a policy to one Wasm module: its own functions joined to the engine's.

import { Code } from './code.ts';
import { Constants } from './constants.ts';
import { readEngine } from './engine.ts';
import type { Memo, PlanContext, PlannedFunction } from './frame.ts';
import { writeFunction, writePlan } from './functions.ts';
import type { IrPolicy } from './ir.ts';
import { Paths } from './paths.ts';
import { PlanModule } from './plan-module.ts';
import { Runtime } from './runtime.ts';
import { simplify } from './simplify.ts';
import { trim } from './trim.ts';

/** What hosts call, beside `start`, `entrypoints` and `evaluate`. */
const HOST_EXPORTS: ReadonlySet<string> = new Set([
  'answerText',
  'begin',
  'dump',
  'failureOf',
  'intern',
  'jsonError',
  'loadBegin',
  'loadData',
  'loadNext',
  'parse',
  'parseMarked',
  'result',
  'setStrict',
  'setTime',
]);

export interface CompileOptions {
  /** A built-in that fails ends the evaluation, as with OPA's strict built-in errors. */
  strict?: boolean;
  /** The result is the set of all bindings of a query, not the value of an entrypoint. */
  bindings?: boolean;
  /** False: all rules are tried one after another, for comparison. */
  index?: boolean;
}

export interface CompiledPlan {
  /** The module, if all of the plan could be compiled. */
  wasm?: Uint8Array;
  /** What could not be compiled, each once, in order. */
  unsupported: string[];
}

/**
 * Compiles a plan, given the bytes of wasm/engine. Equal plans give equal bytes.
 * @throws ModuleError `module_missing` or BundleError `module_output_invalid` when the engine does not fit
 */
export async function compilePlan(
  policy: IrPolicy,
  engine: Uint8Array,
  options: CompileOptions = {},
): Promise<CompiledPlan> {
  const module = new PlanModule(readEngine(engine));
  const runtime = new Runtime(module.engine);
  const constants = new Constants(module, runtime);
  const strings = (policy.static?.strings ?? []).map(({ value }) => value);
  const entrypoints = policy.plans?.plans ?? [];
  const plans = entrypoints.map(({ blocks }) => simplify(blocks, strings));
  const memo = { global: module.global(), slots: 0 };
  const functions = plannedFunctions(policy, strings, module, memo);
  const blocks = [...[...functions.values()].map((planned) => planned.blocks), ...plans];
  const paths = new Paths(blocks, memo, () => module.declare(2));
  const plan: PlanContext = {
    policy,
    module,
    runtime,
    constants,
    strings,
    functions,
    paths,
    memo,
    bindings: options.bindings === true,
    index: options.index !== false,
    unsupported: new Set(),
  };
  for (const planned of functions.values()) writeFunction(plan, planned);
  const indices = plans.map((each) => writePlan(plan, each));
  paths.write(plan);
  if (plan.unsupported.size > 0) return { unsupported: [...plan.unsupported].sort() };
  writeEvaluate(plan, indices);
  writeStart(plan, options.strict === true);
  return { wasm: trim(module.finish((name) => HOST_EXPORTS.has(name))), unsupported: [] };
}

function plannedFunctions(
  policy: IrPolicy,
  strings: readonly string[],
  module: PlanModule,
  memo: Memo,
): Map<string, PlannedFunction> {
  const functions = new Map<string, PlannedFunction>();
  for (const fn of policy.funcs?.funcs ?? [])
    functions.set(fn.name, {
      index: module.declare(fn.params.length),
      fn,
      blocks: simplify(fn.blocks, strings),
      memo: fn.params.length === 2 ? memo.slots++ : undefined,
    });
  return functions;
}

/** `evaluate(entrypoint, input)`: the number of the answer, or -1 when the entrypoint is undefined. */
function writeEvaluate({ module, runtime, memo }: PlanContext, plans: number[]): void {
  const code = new Code(2);
  const [data, result] = [code.local(), code.local()];
  runtime.run(code, 'clearFailure');
  // The time is the input's, also where `with` replaces the input.
  runtime.run(code.get(1), 'useInput');
  runtime.call(code.i32(memo.slots), 'firstMemo');
  code.setGlobal(memo.global);
  runtime.call(code, 'data');
  code.set(data);
  const done = code.block();
  const unknown = code.block();
  const labels = plans.map(() => code.block());
  code.get(0).branchTable([...labels].reverse(), unknown);
  for (const plan of plans) {
    code.end();
    code.get(1).get(data).call(plan).set(result).branch(done);
  }
  code.end();
  code.op('unreachable').end();
  code.get(result).op('eqz').if();
  code.i32(-1).op('return').end();
  runtime.call(code.get(result), 'answer');
  const index = module.declare(2);
  module.define(index, code);
  module.export('evaluate', index);
}

/** `start()` makes the constants, and `entrypoints()` gives their names in the order of their numbers. */
function writeStart({ module, runtime, constants, policy }: PlanContext, strict: boolean): void {
  const items = (policy.plans?.plans ?? []).map(({ name }) => ({
    type: 'string' as const,
    text: name,
  }));
  const names = constants.global({ type: 'array', items });
  const start = new Code(0);
  if (strict) runtime.run(start.i32(1), 'setStrict');
  constants.make(start);
  runtime.run(start, 'keep');
  const index = module.declare(0, false);
  module.define(index, start);
  module.export('start', index);
  const entrypoints = module.declare(0);
  module.define(entrypoints, new Code(0).getGlobal(names));
  module.export('entrypoints', entrypoints);
}
