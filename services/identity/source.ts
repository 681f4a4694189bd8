// An X.509 source inside the server's own process, for a proxy that holds the SVID of an agent.
import { IdentityError } from '../../runtime/errors.ts';
import type { X509Context, X509Source } from '../../runtime/identity/workload/x509.ts';
import type { EntryStore } from './entries/store.ts';
import type { Issuer } from './issuer.ts';
import { bundleVersion, svidVersion } from './workload/identities.ts';
import type { Signal } from './workload/signal.ts';
import type { SvidCache } from './workload/svid-cache.ts';

export interface SourceConfig {
  issuer: Issuer;
  store: EntryStore;
  cache: SvidCache;
  signal: Signal;
  clock: () => Date;
}

/** A source that has to issue its first SVID before it has one. */
export interface EntrySource extends X509Source {
  /** Resolves when there is an SVID. Throws `svid_missing` when there is no entry with the SPIFFE ID. */
  ready(): Promise<void>;
}

/**
 * The SVID of a SPIFFE ID, renewed like any other, while an entry with that ID exists: without one,
 * `current()` throws `svid_missing`.
 */
export function sourceFor(config: SourceConfig, spiffeId: string): EntrySource {
  const { issuer, store, cache, signal, clock } = config;
  const listeners = new Set<(context: X509Context) => void>();
  const end = new AbortController();
  const waiter = signal.waiter(end.signal);
  let context: X509Context | undefined;
  let version = '';
  let isConnected = false;
  let updatedAt = new Date(0);
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => {});
  const running = run();

  return {
    ready: () => first.promise,
    current() {
      // Asked of the store each time: what was deleted a moment ago is gone now.
      if (context !== undefined && store.withSpiffeId(spiffeId).length > 0) return context;
      throw missing(spiffeId);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => ({ isConnected, updatedAt }),
    async close() {
      end.abort();
      listeners.clear();
      await running;
    },
  };

  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      await update().then(
        () => {
          isConnected = true;
        },
        (error: unknown) => {
          isConnected = false;
          first.reject(error);
        },
      );
      await waiter.changed();
    }
    waiter.close();
    first.reject(missing(spiffeId));
  }

  async function update(): Promise<void> {
    await store.readable();
    const [entry] = store.withSpiffeId(spiffeId);
    if (entry === undefined) {
      context = undefined;
      version = '';
      throw missing(spiffeId);
    }
    const svid = await cache.x509(entry);
    updatedAt = clock();
    const bundle = issuer.x509Bundle();
    const next = `${svidVersion(svid)} ${bundleVersion(bundle)}`;
    if (next === version) return;
    version = next;
    isConnected = true;
    context = { svids: [svid], bundles: new Map([[issuer.trustDomain, bundle]]) };
    first.resolve();
    for (const listener of listeners) listener(context);
  }
}

function missing(spiffeId: string): IdentityError {
  return new IdentityError('svid_missing', `there is no entry for ${spiffeId}`);
}
