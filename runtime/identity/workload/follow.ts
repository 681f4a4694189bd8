// Keeps a server's stream open for as long as it is wanted, across every outage.
import { setTimeout as sleep } from 'node:timers/promises';
import { IdentityError, type PlatformError } from '../../errors.ts';
import { identityErrorOf } from '../grpc.ts';

export interface FollowConfig<Message> {
  open(signal: AbortSignal): AsyncIterable<Message>;
  /** Takes one message; what it throws is trouble like any other, and the stream is opened anew. */
  take(message: Message): void | Promise<void>;
  /** The stream has ended or a message was refused; told once until a message is taken again. */
  onTrouble(error: PlatformError): void;
  /** For a stream that promises signs of life: without one for so long, it is opened anew. */
  silenceMsMax?: number;
}

export interface Following {
  /** Resolves with the first message that was taken. */
  readonly first: Promise<void>;
  /** True from a message that was taken until the stream ends. */
  readonly isConnected: boolean;
  /** Resolves when nothing runs any more. */
  close(): Promise<void>;
}

const backoffMinMs = 100;
const backoffMaxMs = 2000;

/** Opens the stream, and again after it ended, waiting up to two seconds, never in step with others. */
export function follow<Message>(config: FollowConfig<Message>): Following {
  const end = new AbortController();
  const first = Promise.withResolvers<void>();
  let isConnected = false;
  let backoffMs = backoffMinMs;
  let told: string | undefined;
  const running = run();

  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      const error = await readToEnd();
      isConnected = false;
      if (end.signal.aborted) return;
      // Told again within an outage only when it has become another one.
      if (told !== error.code) config.onTrouble(error);
      told = error.code;
      await sleep(backoffMs * (0.5 + Math.random()), undefined, { signal: end.signal }).catch(
        () => {},
      );
      backoffMs = Math.min(backoffMs * 2, backoffMaxMs);
    }
  }

  async function readToEnd(): Promise<PlatformError> {
    const silent = new AbortController();
    const watch = () =>
      config.silenceMsMax && setTimeout(() => silent.abort(), config.silenceMsMax);
    let watchdog = watch();
    try {
      for await (const message of config.open(AbortSignal.any([end.signal, silent.signal]))) {
        clearTimeout(watchdog);
        watchdog = watch();
        await config.take(message);
        isConnected = true;
        backoffMs = backoffMinMs;
        told = undefined;
        first.resolve();
      }
      return new IdentityError('identity_unavailable', 'the identity server has ended the stream');
    } catch (error) {
      if (!silent.signal.aborted) return identityErrorOf(error);
      return new IdentityError('identity_unavailable', 'the identity server has fallen silent');
    } finally {
      clearTimeout(watchdog);
    }
  }

  return {
    first: first.promise,
    get isConnected() {
      return isConnected;
    },
    async close() {
      end.abort();
      await running;
    },
  };
}

/**
 * Waits for the first message of every stream. Throws the last trouble, or `identity_unavailable`,
 * when one has not come within `timeoutMs`.
 */
export async function firstOf(
  streams: readonly Following[],
  timeoutMs: number,
  lastTrouble: () => PlatformError | undefined,
): Promise<void> {
  const late = new AbortController();
  const timeout = sleep(timeoutMs, 'late' as const, { signal: late.signal });
  const all = Promise.all(streams.map((each) => each.first));
  try {
    if ((await Promise.race([all, timeout])) !== 'late') return;
  } finally {
    late.abort();
    timeout.catch(() => {});
  }
  throw lastTrouble() ?? new IdentityError('identity_unavailable', 'the identity server is silent');
}
