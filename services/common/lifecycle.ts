// The life of a service's process: started once, stopped on a signal, latest part first.
import { PlatformError } from '../../runtime/errors.ts';

/** Parts that were started and will be stopped in the opposite order. */
export interface Lifecycle {
  onStop(stop: () => Promise<unknown>): void;
}

/** How long all of stopping may take; what hangs beyond is cut by the end of the process. */
const stopMs = 5000;

/**
 * Runs a service until SIGTERM or SIGINT. What `start` has begun is stopped also when it fails
 * half-way. The process ends with 0 after a signal, with 1 when the start failed; the reason goes to
 * standard error, for people.
 */
export async function runService(
  name: string,
  start: (lifecycle: Lifecycle) => Promise<void>,
): Promise<never> {
  const stops: (() => Promise<unknown>)[] = [];
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
  let status = 0;
  try {
    await start({ onStop: (stop) => void stops.push(stop) });
    await stopped;
  } catch (error) {
    status = 1;
    process.stderr.write(`${name}: ${describe(error)}\n`);
  }
  const cut = setTimeout(() => process.exit(status || 1), stopMs);
  for (const stop of stops.reverse()) {
    // A part that does not end well must not keep the others from ending.
    await Promise.resolve()
      .then(stop)
      .catch((error: unknown) => process.stderr.write(`${name}: ${describe(error)}\n`));
  }
  clearTimeout(cut);
  process.exit(status);
}

function describe(error: unknown): string {
  if (!(error instanceof PlatformError))
    return String(error instanceof Error ? error.stack : error);
  const hint = error.hint === undefined ? '' : ` (${error.hint})`;
  return `${error.code}: ${error.message}${hint}`;
}
