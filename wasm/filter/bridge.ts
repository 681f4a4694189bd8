// The way between the filter's memory and the policy's (glue.wat); the file's name is the import's module.

/** Copies from the filter's memory into the policy's. */
export declare function copyIn(target: u32, source: u32, length: u32): void;
/** Copies from the policy's memory into the filter's. */
export declare function copyOut(target: u32, source: u32, length: u32): void;
/** A 32-bit word of the policy's memory. */
export declare function loadWord(pointer: u32): u32;
