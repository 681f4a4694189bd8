// Tells a person, or a program that asked for JSON, why a command failed, and picks the exit code.
import pc from 'picocolors';
import { PlatformError } from '../runtime/errors.ts';
import { UsageError } from './options.ts';

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
/** EX_UNAVAILABLE of sysexits(3): the platform is not running. */
export const EXIT_NOT_RUNNING = 69;

/** Prints to standard error and returns the exit code; a stack is shown only where nobody foresaw it. */
export function reportFailure(error: unknown, command: string, asJson: boolean): number {
  const known = error instanceof PlatformError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  if (asJson) {
    const code = known?.code ?? (error instanceof UsageError ? 'usage' : 'internal');
    const body = { code, message, hint: known?.hint, data: known?.data };
    process.stderr.write(`${JSON.stringify({ error: body })}\n`);
  } else {
    process.stderr.write(`${pc.red('error')} ${message}\n`);
    if (known?.hint !== undefined) process.stderr.write(`  ${known.hint}\n`);
    if (known !== undefined) process.stderr.write(pc.dim(`  code: ${known.code}\n`));
    if (error instanceof UsageError) {
      process.stderr.write(`  see: platform ${command} --help\n`);
    } else if (known === undefined && error instanceof Error) {
      process.stderr.write(pc.dim(`${error.stack ?? ''}\n`));
    }
  }
  if (error instanceof UsageError) return EXIT_USAGE;
  return known?.code === 'platform_not_running' ? EXIT_NOT_RUNNING : EXIT_FAILED;
}
