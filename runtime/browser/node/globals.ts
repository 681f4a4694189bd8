// The globals of Node that runtime/ uses, for esbuild to put in where they are named.
export { Buffer } from './buffer.ts';

/** Of the process: its clock, and a place for files that are kept, where the given ones are found. */
export const process = {
  env: { XDG_CACHE_HOME: 'given' } as Record<string, string | undefined>,
  platform: 'browser',
  hrtime: { bigint: () => BigInt(Math.round(performance.now() * 1e6)) },
};
