// The error numbers that every module returns; runtime/modules/instantiate.ts maps them to codes.

export const OK: i32 = 0;
export const INPUT_TOO_LARGE: i32 = 1;
export const INPUT_NOT_UTF8: i32 = 2;
export const INPUT_LONE_SURROGATE: i32 = 3;
export const INPUT_NOT_JSON: i32 = 4;
export const INPUT_DUPLICATE_KEY: i32 = 5;
export const INPUT_NUMBER_NOT_PORTABLE: i32 = 6;
export const INPUT_TOO_DEEP: i32 = 7;
export const INPUT_KEY_TOO_LONG: i32 = 8;
/** Readable JSON, but not the shape that the operation takes. */
export const INPUT_INVALID: i32 = 9;
