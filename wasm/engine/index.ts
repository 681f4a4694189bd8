// The engine of compiled policies: values, JSON, arithmetic and every built-in, without imports.

export * from './abi';
export * from './plan';
