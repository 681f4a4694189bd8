// Every limit of the arguments module; each is part of the decision, so that it is the same in every host.

/** Largest schema, in bytes of JSON. */
export const SCHEMA_BYTES_MAX: u32 = 64 * 1024;
/** Largest arguments, in bytes of JSON. */
export const ARGUMENTS_BYTES_MAX: u32 = 256 * 1024;
/** Largest compiled form of one schema. */
export const COMPILED_BYTES_MAX: u32 = 2 * 1024 * 1024;
/** All compiled schemas of one instance together; the host takes a fresh instance when it is full. */
export const INSTANCE_BYTES_MAX: u32 = 16 * 1024 * 1024;
/** Most schemas of one instance. */
export const HANDLES_MAX: u32 = 4096;
/** Longest chain of schemas that apply to the same value: `$ref`, `allOf`, `anyOf`, `oneOf`, `not`, `if`. */
export const CHAIN_MAX: u32 = 64;
/** Steps of one validation: one for each schema applied, value compared, and pattern state at a character. */
export const STEPS_MAX: i32 = 4_000_000;
/** Deepest nesting of schemas being applied, which bounds the host's stack. */
export const NESTING_MAX: u32 = 512;
/** Violations listed; validation stops after the last. */
export const VIOLATIONS_MAX: u32 = 32;
/** Longest JSON Pointer written; of a longer one, the nearest ancestor that fits. */
export const POINTER_BYTES_MAX: u32 = 1024;
