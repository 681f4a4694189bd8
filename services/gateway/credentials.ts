// Credentials of third-party services: how tools want them, and where their values come from.
import { readFileSync, statSync } from 'node:fs';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import { isJsonObject } from '../../runtime/json.ts';
import type { Caller } from '../common/caller.ts';

/** How a tool wants its credential; names only, a value is never part of a tool. */
export interface CredentialUse {
  /** The credential's name in the source. */
  name: string;
  /** The request header that carries it, lower case. */
  header: string;
  /** Text around `{value}`, such as `Bearer {value}`. */
  format: string;
}

/** Gives a value for a name, after a `credential` decision allowed its use. */
export interface CredentialSource {
  /**
   * The value to send to `origin` for `caller`, for one call and not to be kept. Rejects with
   * `credential_missing` when there is none of this name, `secret_denied` when there is none in the
   * caller's scope, `credential_unusable` when it is not meant for that origin or fits no header, or
   * whatever else failed; never puts a value into an error.
   */
  read(name: string, origin: string, caller: Caller): Promise<string>;
}

const valueBytesMax = 64 * 1024;

/** A source without credentials. */
export const noCredentials: CredentialSource = {
  read: (name) => Promise.reject(missing(name)),
};

/**
 * Reads values from a JSON file of the operator, `{"<name>": "<value>"}` or
 * `{"<name>": {"value": "<value>", "origins": ["https://api.example"]}}`, which goes nowhere else;
 * afresh at each use, so that a changed value is used at once. A name that is not there is looked up
 * in the environment as `PLATFORM_CREDENTIAL_<NAME>`. A file that others can read is refused.
 */
export function operatorCredentials(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
): CredentialSource {
  return {
    async read(name, origin) {
      const fromFile = file === undefined ? undefined : valueInFile(file, name, origin);
      const variable = `PLATFORM_CREDENTIAL_${name.toUpperCase().replaceAll('-', '_')}`;
      const value = fromFile ?? environment[variable];
      if (value === undefined || value === '') throw missing(name);
      if (fitsHeader(value)) return value;
      throw new PlatformError('credential_unusable', `the credential ${name} fits no header`);
    },
  };
}

/** Whether a header can carry the value (RFC 9110, section 5.5), and it is not too long for one. */
export function fitsHeader(value: string): boolean {
  if (value === '' || Buffer.byteLength(value) > valueBytesMax) return false;
  return !/[^\t\x20-\x7e\x80-\xff]/.test(value);
}

/**
 * Asks the sources in their order. The next one is asked only where a source has nothing of this name
 * for the caller; any other failure, such as a vault that does not answer, is final. A source that
 * agents write to belongs last, since what one comes first hides the same name in those after it. Where none has a value,
 * the first one's refusal is what the caller hears.
 */
export function firstCredential(sources: readonly CredentialSource[]): CredentialSource {
  return {
    async read(name, origin, caller) {
      let refusal: PlatformError | undefined;
      for (const source of sources) {
        try {
          return await source.read(name, origin, caller);
        } catch (error) {
          const code = codeOf(error);
          if (code !== 'credential_missing' && code !== 'secret_denied') throw error;
          refusal ??= error as PlatformError;
        }
      }
      throw refusal ?? missing(name);
    },
  };
}

function valueInFile(file: string, name: string, origin: string): string | undefined {
  let parsed: unknown;
  try {
    if ((statSync(file).mode & 0o077) !== 0) {
      throw new PlatformError('credential_unusable', 'others can read the credentials file', {
        hint: `run chmod 600 ${file}`,
      });
    }
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // No cause: a parser's message can quote what it read.
    throw new PlatformError('credential_unusable', 'the credentials file cannot be read');
  }
  if (!isJsonObject(parsed) || !Object.hasOwn(parsed, name)) return undefined;
  const entry = parsed[name];
  if (!isJsonObject(entry)) return typeof entry === 'string' ? entry : undefined;
  const { value, origins } = entry;
  if (typeof value !== 'string' || !Array.isArray(origins) || !origins.includes(origin)) {
    throw new PlatformError('credential_unusable', `the credential ${name} is not for ${origin}`);
  }
  return value;
}

function missing(name: string): PlatformError {
  return new PlatformError('credential_missing', `no credential named ${name} is provided`, {
    hint: 'add it to the credentials file, or set PLATFORM_CREDENTIAL_<NAME>',
  });
}
