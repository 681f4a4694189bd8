// Says which limit ended a call of a metered module.
import { codeOf, type ErrorCode } from '../errors.ts';

/** What `platform_limit` says. */
export const Limit = { None: 0, Memory: 1, Depth: 2 } as const;

/** What metering adds to the exports of a module (runtime/metering/meter.ts); a module of an older build has none. */
export interface MeterExports {
  platform_steps?: WebAssembly.Global<'i32'>;
  platform_limit?: WebAssembly.Global<'i32'>;
  platform_budget?: WebAssembly.Global<'i32'>;
  platform_pages?: WebAssembly.Global<'i32'>;
}

/** The code of the limit that a trap was due to, or undefined when it was due to something else. */
export function exhaustedCode(exports: MeterExports): ErrorCode | undefined {
  const { platform_steps: steps, platform_limit: limit } = exports;
  if (steps === undefined || limit === undefined) return undefined;
  if (steps.value < 0) return 'steps_exhausted';
  if (limit.value === Limit.Depth) return 'depth_exhausted';
  return limit.value === Limit.Memory ? 'memory_exhausted' : undefined;
}

const CODES: ReadonlySet<ErrorCode> = new Set([
  'steps_exhausted',
  'memory_exhausted',
  'depth_exhausted',
]);

/** Whether an error says that a limit was reached. */
export function isExhausted(error: unknown): boolean {
  return CODES.has(codeOf(error));
}

/** More than 1 MiB of input can take as values and as text, and kept answers beside it. */
export const SPARE_PAGES = 512;

/**
 * Takes away half of the steps and some of the memory that the module has for a decision. Whatever is decided
 * with what remains is decided alike with all, however much the instance had been used.
 */
export function spare({ platform_budget: budget, platform_pages: pages }: MeterExports): void {
  if (budget === undefined || pages === undefined) return;
  budget.value >>= 1;
  pages.value -= SPARE_PAGES;
}
