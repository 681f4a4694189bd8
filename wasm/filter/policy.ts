// OPA's exports of the policy module that is merged into the filter; the file's name is the import's module.
// https://www.openpolicyagent.org/docs/wasm#exports

export declare function opa_malloc(bytes: u32): u32;
export declare function opa_json_parse(pointer: u32, length: u32): u32;
export declare function opa_json_dump(value: u32): u32;
export declare function opa_heap_ptr_get(): u32;
export declare function entrypoints(): u32;
export declare function opa_eval(
  reserved: u32,
  entrypoint: u32,
  data: u32,
  input: u32,
  inputLength: u32,
  heap: u32,
  format: u32,
): u32;
