// The policies of a bundle, on whichever host their module needs: ours, or OPA's ABI as the fall-back.
import type { JsonValue } from '../json.ts';
import type { Answer, PolicyHost } from './answer.ts';
import { Decisions } from './decisions.ts';
import { OpaPolicy } from './opa.ts';

export interface AuthorizationConfig {
  /** OPA's `policy.wasm`, compiled with the platform's capabilities. */
  wasm: Uint8Array;
  /** `decisions.wasm`, where our compiler took the policies; it is run then, and `wasm` is not. */
  decisions?: Uint8Array;
  /** `data.json` of the data bundle. */
  data: Uint8Array;
  /**
   * By entrypoint, JSON Pointers of what its rules may read, as the compiler found; what none covers
   * is not looked at. An entrypoint without an entry gets the whole input.
   */
  reads?: Record<string, readonly string[]>;
}

/** The compiled policies with one data bundle. A trap costs an instance, never more. */
export class Authorization implements PolicyHost {
  readonly #host: PolicyHost;

  private constructor(host: PolicyHost) {
    this.#host = host;
  }

  /**
   * Compiles the policy and loads the data.
   * @throws ModuleError `module_missing` for a module of another kind or with host-supplied built-ins,
   *   `module_trapped` for data that exceeds the module's memory, or that OPA's module finds to be no JSON;
   *   InputError for data that ours finds to be no JSON
   */
  static create(config: AuthorizationConfig): Authorization {
    const { wasm, decisions, data, reads } = config;
    return new Authorization(
      decisions === undefined
        ? OpaPolicy.create({ wasm, data, reads })
        : Decisions.create({ wasm: decisions, data, reads }),
    );
  }

  /** As `create`; our own host is made in steps of some milliseconds, between which the event loop turns. */
  static async prepare(config: AuthorizationConfig): Promise<Authorization> {
    const { decisions, data, reads } = config;
    if (decisions === undefined) return Authorization.create(config);
    return new Authorization(await Decisions.prepare({ wasm: decisions, data, reads }));
  }

  get entrypoints(): readonly string[] {
    return this.#host.entrypoints;
  }

  decide(entrypoint: string, input: JsonValue): Answer {
    return this.#host.decide(entrypoint, input);
  }

  decideBytes(entrypoint: string, input: Uint8Array): Answer {
    return this.#host.decideBytes(entrypoint, input);
  }
}
