// Policies that no compiler makes: OPA's exports with an evaluation of the test's own.
import binaryen from 'binaryen';

/** A module with OPA's exports whose evaluation is `body`; its data is at 4096, ended by NUL. */
export function policyOf(body: string): Uint8Array {
  const module = binaryen.parseText(`(module
    (import "env" "memory" (memory 2))
    (data (i32.const 8) "{}\\00")
    (data (i32.const 16) "{\\"platform/mesh/decision\\":0}\\00")
    (global (export "opa_wasm_abi_version") i32 (i32.const 1))
    (global (export "opa_wasm_abi_minor_version") i32 (i32.const 3))
    (func (export "builtins") (result i32) (i32.const 8))
    (func (export "entrypoints") (result i32) (i32.const 16))
    (func (export "opa_malloc") (param i32) (result i32) (i32.const 4096))
    (func (export "opa_json_parse") (param i32 i32) (result i32) (local.get 0))
    (func (export "opa_json_dump") (param i32) (result i32) (local.get 0))
    (func (export "opa_heap_ptr_get") (result i32) (i32.const 65536))
    (func (export "opa_eval") (param i32 i32 i32 i32 i32 i32 i32) (result i32) ${body}))`);
  try {
    return module.emitBinary();
  } finally {
    module.dispose();
  }
}
