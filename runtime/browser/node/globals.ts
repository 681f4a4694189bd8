// The globals of Node that runtime/ uses, for esbuild to put in where they are named.
export { Buffer } from './buffer.ts';

/** Of the process: its clock, and that it has no environment. */
export const process = {
  env: {} as Record<string, string | undefined>,
  platform: 'browser',
  hrtime: { bigint: () => BigInt(Math.round(performance.now() * 1e6)) },
};
