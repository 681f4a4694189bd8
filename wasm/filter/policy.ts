// The exports of the compiled policies that are merged into the filter (wasm/engine/abi.ts); the file's name
// is the import's module.

export declare function start(): void;
export declare function entrypoints(): u32;
export declare function begin(bytes: u32): u32;
export declare function loadData(pointer: u32, length: u32): i32;
export declare function parse(pointer: u32, length: u32): u32;
export declare function evaluate(entrypoint: u32, input: u32): i32;
export declare function answerText(answer: u32): u32;
