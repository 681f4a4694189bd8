// Says which limit ended a call of a metered module.
import type { ErrorCode } from '../errors.ts';
import { Limit } from './rewrite.ts';

/** What metering adds to the exports of a module (runtime/metering/meter.ts); a module of an older build has none. */
export interface MeterExports {
  platform_steps?: WebAssembly.Global<'i32'>;
  platform_limit?: WebAssembly.Global<'i32'>;
}

/** The code of the limit that a trap was due to, or undefined when it was due to something else. */
export function exhaustedCode(exports: MeterExports): ErrorCode | undefined {
  const { platform_steps: steps, platform_limit: limit } = exports;
  if (steps === undefined || limit === undefined) return undefined;
  if (steps.value < 0) return 'steps_exhausted';
  if (limit.value === Limit.Depth) return 'depth_exhausted';
  return limit.value === Limit.Memory ? 'memory_exhausted' : undefined;
}
