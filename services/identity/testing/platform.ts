// An identity server over the real authority and an embedded database, for tests.
import { randomBytes } from 'node:crypto';
import { openPglite } from '../../common/database/pglite.ts';
import type { Database } from '../../common/database/port.ts';
import { createAuthority } from '../authority/authority.ts';
import type { Authority } from '../authority/port.ts';
import type { GrpcLimits } from '../grpc/limits.ts';
import { startIdentity, type TestIdentity, trustDomain } from './identity.ts';

export interface TestPlatform extends TestIdentity {
  authority: Authority;
  database: Database;
}

export interface TestPlatformOptions {
  /** Stays open when the platform is closed. */
  database?: Database;
  clock?: () => Date;
  limits?: Partial<GrpcLimits>;
  /** How long a key is published before it signs; at once where left out, for tests without peers. */
  publishAheadMs?: number;
}

/** Starts it. */
export async function startWithAuthority(options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const { publishAheadMs = 0 } = options;
  const database = options.database ?? (await openPglite());
  const authority = await createAuthority({
    ...{ trustDomain, database, keyEncryptionKey: randomBytes(32), pollMs: 0, publishAheadMs },
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const identity = await startIdentity({ ...options, authority, database });
  return {
    ...identity,
    authority,
    database,
    async close() {
      await identity.close();
      await authority.close();
      if (options.database === undefined) await database.close();
    },
  };
}
