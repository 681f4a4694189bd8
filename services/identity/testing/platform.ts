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

/** Starts it; `database` stays open when it was given. */
export async function startWithAuthority(
  options: { database?: Database; clock?: () => Date; limits?: Partial<GrpcLimits> } = {},
): Promise<TestPlatform> {
  const database = options.database ?? (await openPglite());
  const authority = await createAuthority({
    ...{ trustDomain, database, keyEncryptionKey: randomBytes(32), pollMs: 0, publishAheadMs: 0 },
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
