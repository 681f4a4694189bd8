// Randomness of the proxy; the file's name is the import's module.

export declare function random_get(buffer: u32, length: u32): i32;
