// The modules that decide, as runtime/decide/boundary.ts names them, and what of their inputs is committed.

import { equals } from './text';

export const enum Module {
  Authorization,
  Arguments,
  Guard,
  Scope,
  /** None of them. */
  Unknown,
}

/** The module that a name stands for. */
export function moduleOf(name: u32, length: u32): Module {
  for (let module = Module.Authorization; module < Module.Unknown; module++) {
    if (equals(name, length, nameOf(module))) return module;
  }
  return Module.Unknown;
}

export function nameOf(module: Module): string {
  if (module == Module.Authorization) return 'authorization';
  if (module == Module.Arguments) return 'arguments';
  return module == Module.Guard ? 'guard' : 'scope';
}

/** Whether a top-level field enters ids as a commitment only. */
export function isCommitted(
  module: Module,
  boundary: u32,
  boundaryLength: u32,
  key: u32,
  length: u32,
): bool {
  if (module == Module.Authorization) {
    if (!equals(boundary, boundaryLength, 'tool')) return false;
    return equals(key, length, 'arguments') || equals(key, length, 'provenance');
  }
  if (module == Module.Arguments) return equals(key, length, 'arguments');
  if (module != Module.Guard) return false;
  return (
    equals(key, length, 'text') ||
    equals(key, length, 'prompt') ||
    equals(key, length, 'canaries') ||
    equals(key, length, 'topics')
  );
}

/** Whether it has committed fields at all. */
export function commits(module: Module, boundary: u32, boundaryLength: u32): bool {
  return module == Module.Authorization
    ? equals(boundary, boundaryLength, 'tool')
    : module != Module.Scope;
}

/** Whether the platform decides there (BOUNDARIES). */
export function isBoundary(name: u32, length: u32): bool {
  return (
    equals(name, length, 'tool') ||
    equals(name, length, 'registration') ||
    equals(name, length, 'credential') ||
    equals(name, length, 'exchange') ||
    equals(name, length, 'console') ||
    equals(name, length, 'mesh') ||
    equals(name, length, 'secret') ||
    equals(name, length, 'message') ||
    equals(name, length, 'sandbox') ||
    equals(name, length, 'browse') ||
    equals(name, length, 'deploy') ||
    equals(name, length, 'scan')
  );
}
