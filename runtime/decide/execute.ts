// Runs one decision module on one canonical input: the step that services, SDKs and replay share.

import type { LoadedPair } from '../bundle/pair.ts';
import { PlatformError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { PolicyHost } from '../modules/answer.ts';
import type { ArgumentsModule } from '../modules/arguments.ts';
import { noteCanonical } from '../modules/canonical-value.ts';
import type { Guard } from '../modules/guard.ts';
import type { Record as RecordModule } from '../modules/record.ts';
import type { Scope } from '../modules/scope.ts';
import type { Boundary, DecisionModule } from './boundary.ts';
import { entrypointOf } from './boundary.ts';
import { topLevelMembers } from './members.ts';

/** One canonical input for one module; `schema` is for the `arguments` module only. */
export interface Execution {
  boundary: Boundary;
  module: DecisionModule;
  /** Canonical JSON, nothing committed, or a value that is known to have a canonical form. */
  input: Uint8Array | JsonValue;
  /** Canonical JSON of the tool's schema, whose digest the input names. */
  schema?: Uint8Array;
}

/** The module hosts of one process. */
export interface Modules {
  record: RecordModule;
  scope: Scope;
  guard: Guard;
  arguments: ArgumentsModule;
}

/** Executes decisions under one pair of bundles. */
export interface Executor {
  readonly pair: LoadedPair;
  /** Canonical JSON of the module's output; throws a PlatformError, which every caller treats as deny. */
  execute(execution: Execution): Uint8Array;
}

/** Binds the modules of this process to one pair of bundles. */
export function createExecutor(
  modules: Modules,
  authorization: PolicyHost,
  pair: LoadedPair,
): Executor {
  // The host of the policies returns the same object for equal outputs, so each is canonicalized once.
  const canonical = new WeakMap<Uint8Array, Uint8Array>();
  const canonicalOf = (output: Uint8Array): Uint8Array => {
    let known = canonical.get(output);
    if (known === undefined) {
      known = noteCanonical(modules.record.canonicalize(output));
      canonical.set(output, known);
    }
    return known;
  };
  return {
    pair,
    execute({ boundary, module, input, schema }) {
      if (module === 'authorization') {
        const entrypoint = entrypointOf(boundary);
        const { bytes } =
          input instanceof Uint8Array
            ? authorization.decideBytes(entrypoint, input)
            : authorization.decide(entrypoint, input);
        return canonicalOf(bytes);
      }
      // A text of the guard may be longer than what the record module takes; its value is in order already.
      if (module === 'guard' && !(input instanceof Uint8Array)) {
        return modules.guard.scanBytes(Buffer.from(JSON.stringify(input)));
      }
      const bytes = input instanceof Uint8Array ? input : modules.record.canonicalizeValue(input);
      if (module === 'scope') return modules.scope.decideBytes(bytes);
      if (module === 'guard') return modules.guard.scanBytes(bytes);
      return validateArguments(modules, bytes, schema);
    },
  };
}

function validateArguments(modules: Modules, input: Uint8Array, schema?: Uint8Array): Uint8Array {
  const members = topLevelMembers(input);
  const named = members.find((member) => member.name === 'schema');
  const value = members.find((member) => member.name === 'arguments');
  if (named === undefined || value === undefined || members.length !== 2) {
    throw new PlatformError('input_invalid', 'the input takes "arguments" and "schema", no more');
  }
  if (schema === undefined) throw new PlatformError('module_missing', 'no schema was given');
  const digest = Buffer.from(modules.record.sha256(schema)).toString('hex');
  const stated = Buffer.from(input.subarray(named.start, named.end)).toString();
  if (stated !== `"sha256:${digest}"`) {
    throw new PlatformError('module_digest_mismatch', 'the schema is not the one the input names');
  }
  return modules.arguments.validateBytes(schema, input.subarray(value.start, value.end));
}
