// Parses a command's own arguments and says what is wrong with them in one sentence.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The command line itself is wrong: exit code 2, and nothing was done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface ParsedOptions<T> {
  values: T;
  positionals: string[];
}

/**
 * Parses `argv` strictly: an unknown option or a missing value is a `UsageError`, never ignored.
 * `positionalsMax` bounds what may stand beside the options.
 */
export function parseOptions<const O extends ParseArgsOptionsConfig>(
  argv: string[],
  options: O,
  positionalsMax = 0,
): ParsedOptions<ReturnType<typeof parseArgs<{ args: string[]; options: O }>>['values']> {
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    const extra = positionals[positionalsMax];
    if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}"`);
    return { values, positionals } as never;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split('. ')[0] ?? message);
  }
}
