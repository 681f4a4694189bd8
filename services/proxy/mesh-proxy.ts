// What both roles of the proxy offer, and how both start and end.
import type { PlatformError } from '../../runtime/errors.ts';
import type { DenyView } from '../../runtime/identity/workload/x509.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Scope } from '../../runtime/modules/scope.ts';
import type { Optional } from './health.ts';
import type { ProxyLimits } from './limits.ts';
import type { Address, Listening, TcpAddress } from './listen.ts';

/** What was refused before any service saw it; becomes a denial row. */
export interface Refusal {
  error: PlatformError;
  requestId: string;
  time: string;
  /** Empty for a connection. */
  method: string;
  service: string;
  /** Undefined where nobody was identified. */
  spiffeId: string | undefined;
}

/** What both roles are made with. */
export interface MeshConfig<Refused extends Refusal> {
  trustDomain: string;
  scope: Scope;
  denied: DenyView;
  accessLog(line: JsonObject): void;
  /** The answer waits for it, and is `evidence_unavailable` if it rejects. */
  onRefused?(refusal: Refused): Promise<void>;
  limits?: Partial<ProxyLimits>;
  clock?: () => Date;
  metricsListen?: TcpAddress;
  healthListen?: TcpAddress;
}

export interface MeshProxy {
  /** Rejects with `address_in_use` or `configuration_invalid`. */
  listen(): Promise<void>;
  address(): Address;
  metricsAddress(): Address | undefined;
  healthAddress(): Address | undefined;
  /** Takes nothing new, lets running streams finish for `graceMs`, then cuts the rest. */
  drain(graceMs: number): Promise<void>;
  /** Prometheus' text format. */
  metrics(): string;
}

/** What is particular to a role when it ends. */
export interface Ending {
  /** Takes no new streams. */
  drain(): void;
  /** Cuts what is left after the grace. */
  cut(): void;
  /** The last connection has ended. */
  end(): void;
}

/** Puts a listener and the pages for health and metrics together. */
export function meshProxy(
  listening: Listening<Address>,
  [health, scrape]: readonly [Optional, Optional],
  metrics: () => string,
  ending: Ending,
): MeshProxy {
  return {
    async listen() {
      await listening.listen();
      await Promise.all([health.listen(), scrape.listen()]);
    },
    address: listening.address,
    healthAddress: health.address,
    metricsAddress: scrape.address,
    metrics,
    async drain(graceMs) {
      const closed = listening.close();
      ending.drain();
      const cut = setTimeout(() => ending.cut(), graceMs);
      await closed;
      clearTimeout(cut);
      ending.end();
      await Promise.all([health.close(), scrape.close()]);
    },
  };
}
