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

// One for each rule of the SPIFFE-ID standard, section 2.
export const SPIFFE_ID_EMPTY: i32 = 32;
export const SPIFFE_ID_TOO_LONG: i32 = 33;
export const SPIFFE_SCHEME_WRONG: i32 = 34;
export const SPIFFE_TRUST_DOMAIN_MISSING: i32 = 35;
export const SPIFFE_TRUST_DOMAIN_TOO_LONG: i32 = 36;
export const SPIFFE_TRUST_DOMAIN_CHARACTER: i32 = 37;
export const SPIFFE_USER_INFO: i32 = 38;
export const SPIFFE_PORT: i32 = 39;
export const SPIFFE_QUERY: i32 = 40;
export const SPIFFE_FRAGMENT: i32 = 41;
export const SPIFFE_PERCENT_ENCODING: i32 = 42;
/** `*` stands only at the end of a scope, as a whole segment. */
export const SPIFFE_WILDCARD: i32 = 43;
export const SPIFFE_PATH_CHARACTER: i32 = 44;
export const SPIFFE_PATH_EMPTY_SEGMENT: i32 = 45;
export const SPIFFE_PATH_DOT_SEGMENT: i32 = 46;
export const SPIFFE_PATH_TRAILING_SLASH: i32 = 47;
