// The key-value port on Valkey or Redis.
import { Redis } from 'ioredis';
import { PlatformError } from '../../../runtime/errors.ts';
import type { KeyValue } from './keyvalue.ts';

/** Counts and sets the time to live in one step, so that no counter can stay for ever. */
const incrementScript = `
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count`;

/**
 * Connects to `url` (`redis://host:port`). Commands fail at once while the server is away, and work
 * again when it is back, without a restart.
 */
export function redisKeyValue(url: string): KeyValue {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    connectTimeout: 2000,
    commandTimeout: 2000,
    lazyConnect: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2000),
  });
  // Each command reports its own failure; without a listener this event would end the process.
  redis.on('error', () => undefined);
  let connecting: Promise<unknown> | undefined;
  const run = async <T>(command: () => Promise<T>): Promise<T> => {
    try {
      connecting ??= redis.connect();
      await connecting.catch(() => undefined);
      return await command();
    } catch (error) {
      const message = 'the key-value store cannot be reached';
      throw new PlatformError('service_unavailable', message, { cause: error });
    }
  };
  return {
    get: async (key) => (await run(() => redis.get(key))) ?? undefined,
    async set(key, value, ttlSeconds) {
      await run(() => redis.set(key, value, 'EX', ttlSeconds));
    },
    setIfAbsent: async (key, value, ttlSeconds) =>
      (await run(() => redis.set(key, value, 'EX', ttlSeconds, 'NX'))) === 'OK',
    async delete(key) {
      await run(() => redis.del(key));
    },
    increment: (key, ttlSeconds, by = 1) =>
      run(async () => Number(await redis.eval(incrementScript, 1, key, ttlSeconds, by))),
    async close() {
      redis.disconnect();
    },
  };
}
