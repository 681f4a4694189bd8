// The engine of compiled policies: values, JSON, arithmetic and every built-in, without imports.

export * from './abi';
export * from './plan';
export * from './builtins/arrays';
export * from './builtins/graph';
export * from './builtins/json-parts';
export * from './builtins/json-patch';
export * from './builtins/objects';
export * from './builtins/sets';
export * from './builtins/strings';
export * from './builtins/strings-affix';
export * from './builtins/strings-case';
export * from './builtins/strings-replace';
export * from './builtins/strings-trim';
export * from './builtins/subset';
export * from './builtins/types';
export * from './builtins/walk';
export * from './builtins/encoding';
export * from './builtins/encoding-query';
export * from './builtins/encoding-uri';
export * from './builtins/encoding-uuid';
export * from './builtins/hash';
export * from './builtins/hmac';
