// The way between the filter's memory and the policy's (glue.wat); the file's name is the import's module.

/** Copies from the filter's memory into the policy's. */
export declare function copyIn(target: u32, source: u32, length: u32): void;
/** Copies from the policy's memory into the filter's. */
export declare function copyOut(target: u32, source: u32, length: u32): void;
/** One byte of the policy's memory. */
export declare function loadByte(pointer: u32): u32;
/** Makes the policy's memory reach to `end`; traps when it may not grow so far. */
export declare function reach(end: u32): void;
