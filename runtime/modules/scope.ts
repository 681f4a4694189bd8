// The host of the scope module: SPIFFE IDs, and whether a scope covers one.

import { InputError } from '../errors.ts';
import { ModuleInstance } from './instantiate.ts';

const OPERATIONS = ['decide', 'parse'] as const;

/** A well-formed SPIFFE ID, taken apart. */
export interface SpiffeId {
  trustDomain: string;
  /** The path's segments; none for the ID of the trust domain itself. */
  path: string[];
}

/** The answer of the scope module. */
export interface ScopeDecision {
  allow: boolean;
  reason: { code: string; message: string };
}

/** SPIFFE ID rules and scopes, decided in Wasm. */
export class Scope {
  readonly #module: ModuleInstance<(typeof OPERATIONS)[number]>;

  private constructor(module: ModuleInstance<(typeof OPERATIONS)[number]>) {
    this.#module = module;
  }

  /** Compiles the module's bytes; throws a ModuleError when they are not the scope module. */
  static create(bytes: Uint8Array): Scope {
    return new Scope(new ModuleInstance('scope', bytes, OPERATIONS));
  }

  /**
   * Whether a scope covers a SPIFFE ID. A scope is a SPIFFE ID, which covers itself, or one followed by
   * `/*`, which covers everything strictly below, segment by segment. What is malformed is denied with
   * the code of the rule that it breaks.
   */
  decide(scope: string, spiffeId: string): ScopeDecision {
    const text = JSON.stringify({ scope, spiffe_id: spiffeId });
    const { pointer, length } = this.#module.writeText(text);
    return JSON.parse(Buffer.from(this.#module.call('decide', pointer, length)).toString());
  }

  /**
   * Decides `{"scope":"…","spiffe_id":"…"}` given as UTF-8 JSON; returns canonical JSON. Throws an
   * InputError for unreadable input, `input_invalid` for another shape.
   */
  decideBytes(input: Uint8Array): Uint8Array {
    return this.#module.run('decide', input);
  }

  /**
   * Takes a SPIFFE ID apart. Throws an InputError with a code of its own for each rule of the
   * SPIFFE-ID standard, section 2.
   */
  parse(spiffeId: string): SpiffeId {
    if (!spiffeId.isWellFormed()) {
      throw new InputError('input_lone_surrogate', 'the SPIFFE ID holds half of a surrogate pair');
    }
    const { pointer, length } = this.#module.writeText(spiffeId);
    const output = Buffer.from(this.#module.call('parse', pointer, length)).toString();
    const { path, trust_domain: trustDomain } = JSON.parse(output);
    return { path, trustDomain };
  }
}
