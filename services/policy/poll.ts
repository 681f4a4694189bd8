// Fetches a bundle again and again: only what has changed, only what is signed, slower after failures.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JWK } from 'jose';
import { readArchive } from '../../runtime/bundle/archive.ts';
import { BUNDLE_BYTES_MAX } from '../../runtime/bundle/reader.ts';
import { BundleError, PlatformError } from '../../runtime/errors.ts';
import type { BundleBoard, BundleKind } from './bundle-board.ts';
import type { PolicyEngine } from './engine.ts';

const TIMEOUT_MS = 60_000;
const BACKOFF_MS = { first: 500, most: 120_000 };
const ETAG_BYTES_MAX = 1024;

export interface PollConfig {
  kind: BundleKind;
  /** Where the signed `.tar.gz` is; `http:` or `https:`. */
  url: string;
  /** Who may have signed it. */
  keys: readonly JWK[];
  intervalMs: number;
  engine: PolicyEngine;
  board: BundleBoard;
  onTrouble?: (error: unknown) => void;
}

export interface Polling {
  /** Looks now, whatever the interval, and resolves when what is there is in force or refused. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Polls until it is closed. What was fetched is used only after its signature, its digests and its
 * compilation are right; otherwise the last good bundle stays and the board says why.
 */
export function startPolling(config: PollConfig): Polling {
  const closing = new AbortController();
  let etag: string | undefined;
  let failures = 0;
  let looking: Promise<void> = Promise.resolve();

  async function lookOnce(): Promise<void> {
    const { kind, board } = config;
    board.asked(kind);
    try {
      const fetched = await download(config.url, etag, closing.signal);
      if (fetched === undefined) board.unchanged(kind);
      else {
        const files = await readArchive(fetched.archive);
        const revision = await (kind === 'policy'
          ? config.engine.takePolicy(files, config.keys)
          : config.engine.takeData(files, config.keys));
        // A bundle that was refused is fetched again: it may have been half written.
        etag = fetched.etag;
        board.activated(kind, revision);
      }
      failures = 0;
    } catch (error) {
      if (closing.signal.aborted) return;
      failures += 1;
      board.refused(kind, error);
      config.onTrouble?.(error);
    }
  }

  const look = () => {
    looking = looking.then(lookOnce);
    return looking;
  };

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      await look();
      const pause = failures === 0 ? config.intervalMs : backoffMs(failures);
      // Not all at once: services that were started together spread out.
      await sleep(pause * (0.75 + Math.random() / 2), undefined, {
        signal: closing.signal,
        ref: false,
      }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    look,
    async close() {
      closing.abort();
      await running;
      await looking;
    },
  };
}

function backoffMs(failures: number): number {
  return Math.min(BACKOFF_MS.first * 2 ** Math.min(failures - 1, 16), BACKOFF_MS.most);
}

/** The archive and its ETag; undefined when it has not changed. */
async function download(
  url: string,
  etag: string | undefined,
  closing: AbortSignal,
): Promise<{ archive: Uint8Array; etag: string | undefined } | undefined> {
  let response: Response;
  try {
    response = await fetch(url, {
      headers: etag === undefined ? {} : { 'if-none-match': etag },
      signal: AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  } catch (cause) {
    throw new PlatformError('service_unavailable', 'the bundle server cannot be reached', {
      cause,
    });
  }
  if (response.status === 304 && etag !== undefined) return undefined;
  if (response.status !== 200) {
    await response.body?.cancel();
    const message = `the bundle server answered ${response.status}`;
    throw new BundleError('bundle_missing', message);
  }
  const tag = response.headers.get('etag') ?? undefined;
  const archive = await readBounded(response);
  return { archive, etag: tag !== undefined && tag.length <= ETAG_BYTES_MAX ? tag : undefined };
}

async function readBounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Node's streams are async iterable; the types of the DOM do not say so.
  const body = response.body as unknown as AsyncIterable<Uint8Array> | null;
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      if (bytes > BUNDLE_BYTES_MAX) {
        throw new BundleError('bundle_too_large', 'the bundle that is served is too large');
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof PlatformError) throw cause;
    throw new BundleError('bundle_truncated', 'the bundle did not arrive whole', { cause });
  }
  return Buffer.concat(chunks);
}
