// The layout of values in linear memory that plans read without a call: wasm/engine/value.ts has it.

/** What a value is; its first byte. */
export const Kind = {
  Null: 1,
  False: 2,
  True: 3,
  Number: 4,
  String: 5,
  Array: 6,
  Object: 7,
  Set: 8,
} as const;

/** A flag of the second byte: equal strings with it are one pointer. */
export const INTERNED = 1;

/** Offsets in a value. */
export const VALUE = 8;
export const LENGTH = 8;
export const ELEMENTS = 16;

/** Bytes of an array's element, and of an entry of an object or a set with its key first. */
export const ELEMENT_BYTES = 4;
export const ENTRY_BYTES = 8;
export const ENTRY_VALUE = 4;

/** Why an evaluation ends without an answer: wasm/engine/failure.ts has them all. */
export const Failure = { Conflict: 3 } as const;
