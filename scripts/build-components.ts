// Makes components (wasm/wit/platform.wit) from the built core modules: their portable form.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { componentEmbed, componentNew } from '@bytecodealliance/jco';
import binaryen from 'binaryen';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const build = join(root, 'wasm', 'build');

/**
 * The operations of each module and the shape of their result in platform.wit: `bytes` is
 * `result<list<u8>, refusal>`, `handle` is `result<u32, list<u8>>`. `handles` counts leading parameters.
 */
interface Operation {
  name: string;
  handles: number;
  result: 'bytes' | 'handle';
}

const bytes = (name: string, handles = 0): Operation => ({ name, handles, result: 'bytes' });

export const COMPONENTS: Record<string, readonly Operation[]> = {
  record: ['canonicalize', 'sha256', 'leafHash', 'nodeHash', 'decisionId'].map((n) => bytes(n)),
  scope: [bytes('decide'), bytes('parse')],
  guard: [bytes('scan')],
  arguments: [{ name: 'register', handles: 0, result: 'handle' }, bytes('validate', 1)],
};

// AssemblyScript's static data begins at 1024, so that the result of a call may lie below.
const RESULT = 16;
const PAYLOAD = 4;
const SECOND = 8;
/** Error numbers from here on come right behind the first nine in the enum (wasm/common/errors.ts). */
const SPIFFE_FIRST = 32;
const INPUT_CASES = 9;

const { i32 } = binaryen;

/** Adds one export that lifts an operation's error number and output into its WIT result. */
function addOperation(module: binaryen.Module, owner: string, operation: Operation): void {
  const { name, handles, result } = operation;
  const parameters = handles + 2;
  const code = () => module.local.get(parameters, i32);
  const call = (target: string) => module.call(target, [], i32);
  const store = (offset: number, value: binaryen.ExpressionRef) =>
    module.i32.store(offset, 4, module.i32.const(RESULT), value);
  const tag = (value: number) => store(0, module.i32.const(value));
  const output = () => [
    store(PAYLOAD, call('core_output')),
    store(SECOND, call('core_outputLength')),
  ];
  const spiffe = module.i32.sub(code(), module.i32.const(SPIFFE_FIRST - INPUT_CASES));
  const refusal = module.select(
    module.i32.ge_s(code(), module.i32.const(SPIFFE_FIRST)),
    spiffe,
    module.i32.sub(code(), module.i32.const(1)),
  );
  const lifted =
    result === 'bytes'
      ? module.if(
          module.i32.eqz(code()),
          module.block(null, [tag(0), ...output()]),
          module.block(null, [tag(1), store(PAYLOAD, refusal)]),
        )
      : module.if(
          module.i32.gt_s(code(), module.i32.const(0)),
          module.block(null, [tag(0), store(PAYLOAD, code())]),
          module.block(null, [tag(1), ...output()]),
        );
  const passed = Array.from({ length: parameters }, (_, i) => module.local.get(i, i32));
  module.addFunction(
    `lift_${name}`,
    binaryen.createType(Array(parameters).fill(i32)),
    i32,
    [i32],
    module.block(
      null,
      [
        module.local.set(parameters, module.call(`core_${name}`, passed, i32)),
        lifted,
        module.i32.const(RESULT),
      ],
      i32,
    ),
  );
  const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  module.addFunctionExport(`lift_${name}`, `platform:decision/${owner}@0.1.0#${kebab}`);
}

/** Gives an exported function a name that calls can use, and removes the export. */
function takeExport(module: binaryen.Module, name: string): void {
  const { value } = binaryen.getExportInfo(module.getExport(name));
  const { params, results } = binaryen.getFunctionInfo(module.getFunction(value));
  const passed = binaryen.expandType(params).map((type, i) => module.local.get(i, type));
  module.addFunction(`core_${name}`, params, results, [], module.call(value, passed, results));
  module.removeExport(name);
}

/**
 * Wraps a core module, its code unchanged, in the component that platform.wit describes. Each operation
 * takes one list of bytes, so that the canonical ABI's one allocation of a call is the module's `reserve`.
 */
export async function componentOf(owner: string, core: Uint8Array): Promise<Uint8Array> {
  const operations = COMPONENTS[owner];
  if (operations === undefined) throw new Error(`platform.wit has no module ${owner}`);
  const module = binaryen.readBinary(core);
  try {
    module.setFeatures(binaryen.Features.All);
    const shared = ['reserve', 'output', 'outputLength'];
    for (const name of [...shared, ...operations.map(({ name }) => name)]) takeExport(module, name);
    addRealloc(module);
    for (const operation of operations) addOperation(module, owner, operation);
    if (!module.validate()) throw new Error(`the component of ${owner} is not valid`);
    const embedded = await componentEmbed({
      binary: module.emitBinary(),
      witSource: readFileSync(join(root, 'wasm', 'wit', 'platform.wit'), 'utf8'),
      world: `${owner}-module`,
      stringEncoding: 'utf8',
    } as never);
    return await componentNew(embedded);
  } finally {
    module.dispose();
  }
}

/** `cabi_realloc`: begins a decision; traps where the module has no room, as the canonical ABI demands. */
function addRealloc(module: binaryen.Module): void {
  const length = module.local.get(3, i32);
  module.addFunction(
    'realloc',
    binaryen.createType([i32, i32, i32, i32]),
    i32,
    [i32],
    module.block(
      null,
      [
        module.local.set(4, module.call('core_reserve', [length], i32)),
        module.if(module.i32.eqz(module.local.get(4, i32)), module.unreachable()),
        module.local.get(4, i32),
      ],
      i32,
    ),
  );
  module.addFunctionExport('realloc', 'cabi_realloc');
}

if (import.meta.main) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(COMPONENTS);
  for (const name of names) {
    const component = await componentOf(name, readFileSync(join(build, `${name}.wasm`)));
    writeFileSync(join(build, `${name}.component.wasm`), component);
    console.log(`wasm/${name}: component of ${component.length} bytes`);
  }
}
