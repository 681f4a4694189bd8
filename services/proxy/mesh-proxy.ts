// What both roles of the proxy offer, and how both start and end.
import type { Optional } from './health.ts';
import type { Address, Listening } from './listen.ts';

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
