// A service's environment variables, read by the kind that is wanted; all that is wrong is told at once.
import { isAbsolute } from 'node:path';
import { PlatformError } from '../../runtime/errors.ts';
import { defaultTrustDomain } from '../../runtime/identity/spiffe-id.ts';

/** What every service needs that decides by policy and writes evidence. */
export interface DecidingEnvironment {
  /** Holds `policy` and `data`. */
  bundleDir: string;
  /** Public keys that bundles are verified with: a JWK or a JWK set. */
  bundleKeysFile: string;
  evidenceDir: string;
  checkpointsDir: string;
  /** 32 bytes: the Ed25519 seed that signs checkpoints. */
  evidenceSeedFile: string;
  trustDomain: string;
}

/** Takes variables of the kind that is wanted, and remembers every one that is not. */
export class Variables {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #problems: string[] = [];

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  problem(what: string): void {
    this.#problems.push(what);
  }

  /** Undefined where it is not set or empty. */
  optional(name: string): string | undefined {
    return this.#environment[name] || undefined;
  }

  /** Empty, and a problem, where it is not set. */
  required(name: string): string {
    const value = this.optional(name);
    if (value === undefined) this.problem(`${name} is not set`);
    return value ?? '';
  }

  /** The path of `unix:/absolute/path`; undefined where there is none. */
  socket(name: string): string | undefined {
    const value = this.optional(name);
    if (value === undefined) return undefined;
    const path = unixPath(value);
    if (path === undefined) this.problem(`${name} is not unix:/absolute/path`);
    return path;
  }

  /** The path of `unix:/absolute/path`; empty, and a problem, where there is none. */
  requiredSocket(name: string): string {
    return this.required(name) === '' ? '' : (this.socket(name) ?? '');
  }

  /** `value` if it is a URL of one of the schemes, such as `redis:`; a problem if it is anything else. */
  url(name: string, value: string | undefined, schemes: readonly string[]): string | undefined {
    if (value === undefined) return undefined;
    if (URL.canParse(value) && schemes.includes(new URL(value).protocol)) return value;
    this.problem(`${name} is not a ${schemes[0]}// URL`);
    return undefined;
  }

  trustDomain(name = 'PLATFORM_TRUST_DOMAIN'): string {
    return this.optional(name) ?? defaultTrustDomain;
  }

  deciding(): DecidingEnvironment {
    return {
      bundleDir: this.required('BUNDLE_DIR'),
      bundleKeysFile: this.required('BUNDLE_KEYS_FILE'),
      evidenceDir: this.required('EVIDENCE_DIR'),
      checkpointsDir: this.required('CHECKPOINTS_DIR'),
      evidenceSeedFile: this.required('EVIDENCE_SEED_FILE'),
      trustDomain: this.trustDomain(),
    };
  }

  /** The finished `config`. Throws `configuration_invalid` with every problem in `data.problems`. */
  finish<Config>(config: Config): Config {
    const problems = this.#problems;
    if (problems.length === 0) return config;
    throw new PlatformError('configuration_invalid', problems.join('; '), { data: { problems } });
  }
}

/** The path of `unix:/absolute/path`; undefined for anything else. */
export function unixPath(value: string): string | undefined {
  const path = value.slice('unix:'.length);
  return value.startsWith('unix:') && isAbsolute(path) ? path : undefined;
}

/** URL schemes of a PostgreSQL server. */
export const postgresSchemes = ['postgres:', 'postgresql:'];
