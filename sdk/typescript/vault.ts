// The vault: an agent's secrets, read and kept under its own identity, and functions that get them as parameters.

import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { isJsonObject } from '../../runtime/json.ts';
import { ATTRIBUTE, SPAN } from '../../runtime/telemetry/names.ts';
import { currentAgent } from './agent.ts';
import { InputError, type PlatformError } from './errors.ts';
import { errorOf, JsonClient } from './http.ts';
import type { Secret, SecretVersion, StoredSecret } from './secret.ts';
import { toSecret, toStored, toVersion, unreadable } from './secret.ts';
import { inSpan, traceHeaders } from './telemetry.ts';

export type { Secret, SecretVersion, StoredSecret } from './secret.ts';

const TIMEOUT_MS = 10_000;
/** So many of the largest values, each character escaped, still fit into an answer of 16 MiB. */
const BATCH_MAX = 40;
const PAGE_KEYS = 500;

export interface VaultOptions {
  /** `unix:/path` or an http URL; `PLATFORM_VAULT_URL` by default, else `PLATFORM_GATEWAY_URL`. */
  baseUrl?: string;
  /** 10 s by default. */
  timeoutMs?: number;
}

export interface PutOptions {
  /** A role of the agent, or a whole scope such as `spiffe://<td>/agent/<tenant>/*`; by default the whole agent. */
  scope?: string;
  /** From then on the secret reads as if it were not there. */
  expiresAt?: Date;
  /** The version that must be the current one, else `secret_version_conflict`; 0 when there must be none. */
  check?: number;
}

/**
 * A client of the vault; the default address is the agent's own proxy. What it rejects with: a
 * CredentialError `secret_denied` when there is no such secret in the agent's scope (the vault does not
 * say which), an AuthenticationError without an identity, an InputError for a key, a value or a scope
 * that cannot be one, and a PlatformError `service_unavailable` without an answer. No error holds a value.
 */
export class VaultClient {
  readonly #http: JsonClient;
  readonly #timeoutMs: number;

  /** Throws a ConfigurationError without an address, or for one that is none. */
  constructor(options: VaultOptions = {}) {
    const { PLATFORM_VAULT_URL, PLATFORM_GATEWAY_URL } = process.env;
    const baseUrl = options.baseUrl ?? (PLATFORM_VAULT_URL || PLATFORM_GATEWAY_URL);
    this.#http = new JsonClient(baseUrl, 'vault');
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** The secret's value; the current one unless a `version` is named. */
  async get(key: string, options: { version?: number } = {}): Promise<string> {
    return (await this.read(key, options)).value;
  }

  /** The secret with its version and times, such as for a later `put` with `check`. */
  async read(key: string, options: { version?: number } = {}): Promise<Secret> {
    const query = options.version === undefined ? '' : `?version=${options.version}`;
    return inSpan(SPAN.vaultGet, spanOf(key), async () =>
      toSecret(await this.#ask('GET', `${pathOf(key)}${query}`)),
    );
  }

  /** Creates the secret or gives it a new version. */
  async put(key: string, value: string, options: PutOptions = {}): Promise<StoredSecret> {
    const { scope, expiresAt, check } = options;
    const answer = await this.#ask('PUT', pathOf(key), {
      value,
      ...(scope === undefined ? {} : { scope }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
      ...(check === undefined ? {} : { check }),
    });
    return toStored(answer);
  }

  /** The keys that the agent may list, in order. */
  async list(options: { prefix?: string } = {}): Promise<string[]> {
    const found: string[] = [];
    for await (const key of this.keys(options)) found.push(key);
    return found;
  }

  /** As `list`, one page of the vault at a time: `for await (const key of client.keys())`. */
  async *keys({ prefix }: { prefix?: string } = {}): AsyncGenerator<string, void, undefined> {
    let after: string | undefined;
    let last: string | undefined;
    do {
      const query = new URLSearchParams({ limit: String(PAGE_KEYS) });
      if (prefix) query.set('prefix', prefix);
      if (after !== undefined) query.set('after', after);
      const { keys, next } = await this.#ask('GET', `/api/v1/secrets?${query}`);
      if (!Array.isArray(keys) || (next !== null && typeof next !== 'string')) throw unreadable();
      // A token that does not move would never end.
      if (next !== null && next === after) throw unreadable();
      for (const key of keys.map(String)) {
        // One key can be in several of the agent's scopes, and those on two pages.
        if (key !== last) yield key;
        last = key;
      }
      after = next ?? undefined;
    } while (after !== undefined);
  }

  /** Takes the secret away; `restore` brings it back unless it is purged. */
  async delete(key: string, options: { purge?: boolean } = {}): Promise<void> {
    await this.#ask('DELETE', `${pathOf(key)}${options.purge ? '?purge=true' : ''}`);
  }

  /** Brings a deleted secret back, or makes an older version's value the new current one. */
  async restore(key: string, options: { version?: number } = {}): Promise<StoredSecret> {
    const body: JsonObject = options.version === undefined ? {} : { version: options.version };
    return toStored(await this.#ask('POST', `${pathOf(key)}/restore`, body));
  }

  /** What the vault keeps of the secret's versions, without values. */
  async versions(key: string): Promise<SecretVersion[]> {
    const { versions } = await this.#ask('GET', `${pathOf(key)}/versions`);
    if (!Array.isArray(versions)) throw unreadable();
    return versions.filter(isJsonObject).map(toVersion);
  }

  /**
   * The values of several secrets by their keys: all of them, or a rejection with the error of the
   * first that could not be read; its `data.failed` names every such key and its code.
   */
  async getBatch(keys: readonly string[]): Promise<Map<string, string>> {
    const wanted = [...new Set(keys)];
    for (const key of wanted) pathOf(key);
    const values = new Map<string, string>();
    const failed: { key: string; error: JsonObject }[] = [];
    for (let at = 0; at < wanted.length; at += BATCH_MAX) {
      const body = { keys: wanted.slice(at, at + BATCH_MAX) };
      const { secrets } = await inSpan(SPAN.vaultGet, spanOf(body.keys.join(' ')), () =>
        this.#ask('POST', '/api/v1/secrets/batch', body),
      );
      for (const entry of Array.isArray(secrets) ? secrets.filter(isJsonObject) : []) {
        const { key, value, error } = entry;
        if (typeof key !== 'string') continue;
        if (typeof value === 'string') values.set(key, value);
        else if (isJsonObject(error)) failed.push({ key, error });
      }
    }
    if (failed.length > 0) throw batchError(failed);
    if (wanted.some((key) => !values.has(key))) throw unreadable();
    return values;
  }

  /** Closes idle connections. */
  close(): void {
    this.#http.close();
  }

  async #ask(method: string, path: string, body?: JsonValue): Promise<JsonObject> {
    const options = { headers: traceHeaders(), timeoutMs: this.#timeoutMs };
    return this.#http.ask(method, path, { ...options, body });
  }
}

let client: VaultClient | undefined;

/** The client of the process's own proxy, made at its first use. */
function own(): VaultClient {
  client ??= new VaultClient();
  return client;
}

/** As `VaultClient.get`, with the process's own client. */
export function get(key: string, options?: { version?: number }): Promise<string> {
  return own().get(key, options);
}

/** As `VaultClient.put`, with the process's own client. */
export function put(key: string, value: string, options?: PutOptions): Promise<StoredSecret> {
  return own().put(key, value, options);
}

/** As `VaultClient.list`, with the process's own client. */
export function list(options?: { prefix?: string }): Promise<string[]> {
  return own().list(options);
}

/**
 * Gives a function the secret as its first parameter. It is read at each call, so that a new version
 * counts at once, and nothing keeps it between calls; a call rejects as `VaultClient.get` does, before
 * the function runs.
 *
 * @example
 * const connect = secret('db-password', (password, host: string) => open(host, 'app', password));
 * await connect('db.internal');
 */
export function secret<Parameters extends unknown[], Result>(
  key: string,
  run: (value: string, ...parameters: Parameters) => Result | Promise<Result>,
): (...parameters: Parameters) => Promise<Result> {
  return async (...parameters) => await run(await own().get(key), ...parameters);
}

/**
 * Gives a function several secrets, in the order of their keys, as its first parameter; they are read
 * with one request at each call, and all of them or the call rejects.
 *
 * @example
 * const connect = secretsBatch(['db-user', 'db-password'], ([user, password], host: string) =>
 *   open(host, user, password));
 */
export function secretsBatch<
  const Keys extends readonly string[],
  Parameters extends unknown[],
  Result,
>(
  keys: Keys,
  run: (
    values: { [At in keyof Keys]: string },
    ...parameters: Parameters
  ) => Result | Promise<Result>,
): (...parameters: Parameters) => Promise<Result> {
  return async (...parameters) => {
    const values = await own().getBatch(keys);
    const ordered = keys.map((key) => values.get(key)) as { [At in keyof Keys]: string };
    return await run(ordered, ...parameters);
  };
}

/** Names only; a value is never part of a span. */
function spanOf(key: string): Record<string, string> {
  const tenant = currentAgent()?.tenant ?? process.env.PLATFORM_TENANT;
  return { [ATTRIBUTE.path]: key, ...(tenant === undefined ? {} : { [ATTRIBUTE.tenant]: tenant }) };
}

/** Throws an InputError for a key that would name another path than a secret's. */
function pathOf(key: string): string {
  if (typeof key === 'string' && key.isWellFormed() && !['', '.', '..'].includes(key)) {
    return `/api/v1/secrets/${encodeURIComponent(key)}`;
  }
  throw new InputError('secret_invalid', 'this cannot be the key of a secret');
}

function batchError(failed: { key: string; error: JsonObject }[]): PlatformError {
  const { key, error } = failed[0]!;
  const list = failed.map(({ key, error }) => ({ key, code: String(error.code) }));
  const status = error.code === 'secret_denied' || error.code === 'denied' ? 403 : 503;
  const detail = `the secret ${key} cannot be read`;
  return errorOf({ status, body: { detail, ...error, failed: list } });
}
