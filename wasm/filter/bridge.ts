// The way from the filter to the modules that decide (glue.wat); the file's name is the import's module.

/** Starts the policy and gives it its data; 1 when it has taken both. */
export declare function policyLoad(data: u32, length: u32): i32;
/** The place of the answer's text in the policy's memory; -1 for no answer, 0 where it failed. */
export declare function policyAsk(entrypoint: u32, input: u32, length: u32): i32;
/** The error number of an input that the policy could not read. */
export declare function policyInputError(): i32;
/** Why the evaluation ended: a number of wasm/engine/failure.ts. */
export declare function policyStop(): i32;
/** An array of strings in the policy's memory. */
export declare function policyEntrypoints(): u32;
export declare function policyCopyOut(target: u32, source: u32, length: u32): void;
export declare function policyLoadWord(pointer: u32): u32;
/** The four of each module: runtime/bundle/catch.ts. */
export declare function policyFailure(): i32;
export declare function policySave(): void;
export declare function policyRestore(): void;
export declare function policySpare(): void;

/** The schema's handle, 1 or more; otherwise as `register` of wasm/arguments, and 0 where it failed. */
export declare function argumentsRegister(schema: u32, length: u32): i32;
export declare function argumentsValidate(handle: i32, text: u32, length: u32): i32;
export declare function argumentsOutput(): u32;
export declare function argumentsOutputLength(): u32;
export declare function argumentsCopyOut(target: u32, source: u32, length: u32): void;
export declare function argumentsFailure(): i32;
export declare function argumentsSave(): void;
export declare function argumentsRestore(): void;

export declare function guardScan(request: u32, length: u32): i32;
export declare function guardOutput(): u32;
export declare function guardOutputLength(): u32;
export declare function guardCopyOut(target: u32, source: u32, length: u32): void;
export declare function guardFailure(): i32;
export declare function guardSave(): void;
export declare function guardRestore(): void;
