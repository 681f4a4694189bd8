// Two small pages for whoever watches the proxy: is it ready, and its metrics.
import { createServer, type ServerResponse } from 'node:http';
import type { TlsIdentity } from '../../runtime/identity/workload/tls.ts';
import type { DenyView, X509Source } from '../../runtime/identity/workload/x509.ts';
import { type Address, type Listening, listenOn, type TcpAddress } from './listen.ts';

export interface HealthState {
  source: X509Source;
  identities: readonly TlsIdentity[];
  denied: DenyView;
  clock: () => Date;
}

export interface Health {
  /** True only with a live SVID for everything that the proxy stands for, and a trust bundle. */
  ready: boolean;
  /** Less than a quarter of some SVID's life is left: it should have been renewed at half. */
  svid_near_expiry: boolean;
  svid_expires_at: string | null;
  identity_server: { connected: boolean; updated_at: string };
  /** For so long nothing was heard of revocations; the last list stays in force. */
  deny_list_stale_seconds: number;
}

/** What `/healthz/ready` says. */
export function healthOf({ source, identities, denied, clock }: HealthState): Health {
  const now = clock();
  const { isConnected, updatedAt } = source.state();
  let ready = identities.length > 0;
  let isNear = false;
  let expiresAt = Number.POSITIVE_INFINITY;
  for (const identity of identities) {
    try {
      const { notBefore, notAfter } = identity.svid();
      expiresAt = Math.min(expiresAt, notAfter.getTime());
      const life = notAfter.getTime() - notBefore.getTime();
      isNear ||= notAfter.getTime() - now.getTime() < life / 4;
    } catch {
      ready = false;
    }
  }
  return {
    ready,
    svid_near_expiry: isNear,
    svid_expires_at: Number.isFinite(expiresAt) ? new Date(expiresAt).toISOString() : null,
    identity_server: { connected: isConnected, updated_at: updatedAt.toISOString() },
    deny_list_stale_seconds: Math.floor(denied.staleForMs() / 1000),
  };
}

/** A page that is served where an address is configured for it. */
export type Optional = Omit<Listening<Address>, 'address'> & { address(): Address | undefined };

/** Serves `/healthz/ready` (200 or 503 with the facts) and `/healthz/live`. */
export function serveHealth(at: TcpAddress | undefined, state: () => HealthState): Optional {
  return servePages(at, {
    '/healthz/live': (response) => answer(response, 200, 'application/json', '{"live":true}'),
    '/healthz/ready': (response) => {
      const health = healthOf(state());
      answer(response, health.ready ? 200 : 503, 'application/json', JSON.stringify(health));
    },
  });
}

/** Serves `/metrics`, also under Envoy's name for it. */
export function serveMetrics(at: TcpAddress | undefined, text: () => string): Optional {
  const page = (response: ServerResponse) =>
    answer(response, 200, 'text/plain; version=0.0.4; charset=utf-8', text());
  return servePages(at, { '/metrics': page, '/stats/prometheus': page });
}

function servePages(
  at: TcpAddress | undefined,
  pages: Record<string, (response: ServerResponse) => void>,
): Optional {
  if (at === undefined) {
    return { listen: async () => {}, address: () => undefined, close: async () => {} };
  }
  const server = createServer({ requestTimeout: 5000 }, (request, response) => {
    const page = request.method === 'GET' ? pages[request.url ?? ''] : undefined;
    try {
      if (page === undefined) answer(response, 404, 'text/plain', 'not found\n');
      else page(response);
    } catch {
      answer(response, 503, 'application/json', '{"ready":false}'); // there is no identity at all
    }
  });
  server.maxConnections = 64;
  const listening = listenOn(server, at);
  return {
    ...listening,
    async close() {
      const closed = listening.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
