// Keeps connections for each caller's SVID and service apart, and begins anew when the SVID is renewed.
import { createTlsIdentity, type TlsIdentity } from '../../runtime/identity/workload/tls.ts';
import type { X509Source, X509Svid } from '../../runtime/identity/workload/x509.ts';
import type { Client, Protocol } from './streams.ts';
import { type MutualTls, proxyClient } from './upstream.ts';

/** A caller with the clients that show its SVID. */
export interface CallerPool {
  identity: TlsIdentity;
  source: X509Source;
  /** The client for a service under the newest SVID. */
  client(to: MutualTls, protocol: Protocol, svid: X509Svid): Client;
  /** Lets running streams finish under the old SVID. */
  retire(): void;
  destroy(): void;
}

/** Creates the pool of one caller. */
export function callerPool(
  source: X509Source,
  spiffeId: string | undefined,
  trustDomain: string,
  clock: () => Date,
): CallerPool {
  const identity = createTlsIdentity({ source, spiffeId, trustDomain, clock });
  const clients = new Map<string, Client>();
  /** Clients of earlier SVIDs that may have streams left. */
  const retired = new Map<Client, X509Svid>();
  let shown: X509Svid | undefined;

  function retire(): void {
    for (const client of clients.values()) {
      client.retire();
      if (shown !== undefined) retired.set(client, shown);
    }
    clients.clear();
    for (const [client, { notAfter }] of retired) {
      if (clock() <= notAfter) continue;
      // The other side has closed its connections by now: nothing that runs is cut.
      client.destroy();
      retired.delete(client);
    }
  }

  return {
    identity,
    source,
    client(to, protocol, current) {
      if (current !== shown) {
        retire();
        shown = current;
      }
      const key = `${protocol} ${to.spiffeId} ${to.serverName} ${to.address.host}:${to.address.port}`;
      let client = clients.get(key);
      if (client === undefined) {
        client = proxyClient(to, identity, protocol);
        clients.set(key, client);
      }
      return client;
    },
    retire,
    destroy() {
      identity.close();
      for (const client of [...clients.values(), ...retired.keys()]) client.destroy();
      clients.clear();
      retired.clear();
    },
  };
}
