// What the authority's tests share: a clock that is set by hand, the openssl program, a failing database.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, DatabaseError, type ErrorCode } from '../../../runtime/errors.ts';
import { Scope } from '../../../runtime/modules/scope.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import type { Database, Queries } from '../../common/database/port.ts';
import { createAuthority } from './authority.ts';
import type { Authority, AuthorityConfig } from './port.ts';

export const trustDomain = 'platform.local';
export const keyEncryptionKey = Buffer.alloc(32, 7);
export const botId = 'spiffe://platform.local/agent/acme/bot/main';
export const scope = Scope.create(moduleBytes('scope'));

export const hourMs = 3_600_000;

/** A clock that only a test moves; starts within a second, not at its beginning. */
export class TestClock {
  now = Date.parse('2026-03-01T12:00:00.250Z');
  readonly read = () => new Date(this.now);

  advance(ms: number): void {
    this.now += ms;
  }
}

/** An authority that looks at the database only when asked to, by the clock of the test. */
export function openAuthority(
  database: Database,
  clock: TestClock,
  change: Partial<AuthorityConfig> = {},
): Promise<Authority> {
  return createAuthority({
    ...{ trustDomain, database, keyEncryptionKey, scope, clock: clock.read },
    ...{ pollMs: 0, publishAheadMs: 0 },
    ...change,
  });
}

export async function failure(
  work: Promise<unknown> | (() => unknown),
): Promise<ErrorCode | 'none'> {
  try {
    await (typeof work === 'function' ? work() : work);
    return 'none';
  } catch (error) {
    return codeOf(error);
  }
}

const pem = (der: Uint8Array) => new X509Certificate(Buffer.from(der)).toString();

/** Runs `openssl verify` on a leaf against a bundle at a time; throws what it says when it refuses. */
export function opensslVerify(leaf: Uint8Array, bundle: readonly Uint8Array[], at: Date): void {
  const folder = mkdtempSync(join(tmpdir(), 'openssl-'));
  try {
    const [leafPath, bundlePath] = [join(folder, 'leaf.pem'), join(folder, 'bundle.pem')];
    writeFileSync(leafPath, pem(leaf));
    writeFileSync(bundlePath, bundle.map(pem).join(''));
    const time = String(Math.floor(at.getTime() / 1000));
    for (const purpose of ['sslclient', 'sslserver']) {
      const checks = ['-x509_strict', '-check_ss_sig', '-purpose', purpose, '-attime', time];
      const args = ['verify', ...checks, '-no-CApath', '-CAfile', bundlePath, leafPath];
      execFileSync('openssl', args, { stdio: 'pipe' });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export type FaultTiming = 'before' | 'after';

/**
 * A database whose n-th statement from now on fails: before it ran, or after it ran with the answer
 * lost. The beginning and the end of a transaction count as statements.
 */
export class FaultyDatabase implements Database {
  readonly #inner: Database;
  #left = Number.POSITIVE_INFINITY;
  #timing: FaultTiming = 'before';
  /** Whether the fault happened. */
  hasFailed = false;

  constructor(inner: Database) {
    this.#inner = inner;
  }

  failAt(statement: number, timing: FaultTiming): void {
    this.#left = statement;
    this.#timing = timing;
    this.hasFailed = false;
  }

  heal(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }

  query(text: string, values?: readonly unknown[]) {
    return this.#step(() => this.#inner.query(text, values));
  }

  script(text: string) {
    return this.#step(() => this.#inner.script(text));
  }

  async transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    await this.#step(async () => {});
    let isCommitLost = false;
    const result = await this.#inner.transaction(async (queries) => {
      const done = await work({
        query: (text, values) => this.#step(() => queries.query(text, values)),
      });
      // The commit: lost on the way there, which rolls back, or on the way back.
      await this.#step(async () => {}).catch((error) => {
        if (this.#timing === 'before') throw error;
        isCommitLost = true;
      });
      return done;
    });
    if (isCommitLost) throw away();
    return result;
  }

  close() {
    return this.#inner.close();
  }

  async #step<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#left -= 1;
    const isNow = this.#left === 0;
    if (isNow) this.hasFailed = true;
    if (isNow && this.#timing === 'before') throw away();
    const result = await run();
    if (isNow) throw away();
    return result;
  }
}

function away(): DatabaseError {
  return new DatabaseError('database_unavailable', 'the test took the database away');
}
