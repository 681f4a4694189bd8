// What is served: one verified policy bundle and one verified data bundle, swapped together.
import type { PolicyHost } from '../modules/answer.ts';

/**
 * Digest of a module's executable forms, `sha256:<hex>`: `core` is what hosts run, `component` and `filter`
 * where they are built, `opa` is OPA's form of the policy where another one is run.
 */
export interface ModuleDigests {
  core: string;
  opa?: string;
  component?: string;
  filter?: string;
}

/** A verified policy bundle. */
export interface LoadedPolicy {
  /** `sha256:<hex>` over the bundle's files. */
  revision: string;
  /** OPA's `policy.wasm`. */
  wasm: Uint8Array;
  /** The same policy as our compiler makes it, which is what is run where it is there. */
  decisions?: Uint8Array;
  /** The guard with rules of the policies' authors; absent where they have none. */
  guard?: Uint8Array;
  /** The same policy merged with the mesh filter (proxy-wasm ABI 0.2.1); absent where none was built. */
  filter?: Uint8Array;
  /** Entrypoint names such as `platform/tool/decision`, in OPA's order. */
  entrypoints: string[];
  /** By module name: `authorization`, `record`, `scope`, `arguments`, `guard`. */
  modules: Record<string, ModuleDigests>;
  /** By entrypoint: the top-level input fields that its rules may read; absent means any. */
  reads?: Record<string, string[]>;
  /** By entrypoint: JSON Pointers of the parts of the input that its rules may read; absent means any. */
  readPaths?: Record<string, string[]>;
}

/** A verified data bundle. */
export interface LoadedData {
  revision: string;
  /** The bytes of `data.json`. */
  json: Uint8Array;
}

/** One policy bundle and one data bundle that are served together. */
export interface LoadedPair {
  policy: LoadedPolicy;
  data: LoadedData;
  /** The policies with the data in their memory, as they were when it was seen that both fit. */
  host?: PolicyHost;
}

/** Where decisions get the pair in force: a watcher in services, a fixed pair in tests and replay. */
export interface BundleSource {
  /** The pair in force, or undefined: then every decision is a deny. */
  current(): LoadedPair | undefined;
}
