// Counts what a proxy does and writes it in Prometheus' text format (version 0.0.4).
import { METRIC } from '../../runtime/telemetry/names.ts';

/** Upper bounds of the duration buckets, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const families: Record<string, { type: 'counter' | 'gauge' | 'histogram'; help: string }> = {
  [METRIC.proxyRequests]: { type: 'counter', help: 'Requests by service and status.' },
  [METRIC.proxyRefused]: {
    type: 'counter',
    help: 'Requests and connections that the proxy refused, by reason.',
  },
  [METRIC.proxyBytes]: { type: 'counter', help: 'Bytes of bodies received and sent.' },
  [METRIC.proxyDuration]: {
    type: 'histogram',
    help: 'Seconds from the head of a request to the end of its answer.',
  },
  [METRIC.proxyConnections]: { type: 'gauge', help: 'Open connections of whoever asks.' },
  [METRIC.proxySvidExpiry]: { type: 'gauge', help: 'Seconds until the first SVID expires.' },
  [METRIC.proxyIdentityConnected]: {
    type: 'gauge',
    help: '1 while the identity server answers, or 0.',
  },
  [METRIC.proxyDenyListStale]: {
    type: 'gauge',
    help: 'Seconds since the deny-list was last heard: what was revoked since is not refused.',
  },
};

interface Histogram {
  counts: number[];
  count: number;
  sum: number;
}

/** Gauges that are read when somebody asks. */
export type Gauges = () => Record<string, number>;

export class ProxyMetrics {
  readonly #direction: string;
  readonly #gauges: Gauges;
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Histogram>();
  readonly #refused = new Map<string, number>();
  readonly #bytes = { received: 0, sent: 0 };

  constructor(direction: string, gauges: Gauges) {
    this.#direction = direction;
    this.#gauges = gauges;
  }

  /** One stream is over. `service` is empty where none was chosen. */
  stream(service: string, status: number, ms: number, received: number, sent: number): void {
    const key = `service="${escapeLabel(service)}",status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    this.#bytes.received += received;
    this.#bytes.sent += sent;
    let histogram = this.#durations.get(service);
    if (histogram === undefined) {
      histogram = { counts: buckets.map(() => 0), count: 0, sum: 0 };
      this.#durations.set(service, histogram);
    }
    const seconds = ms / 1000;
    histogram.count += 1;
    histogram.sum += seconds;
    for (let index = buckets.length - 1; index >= 0 && seconds <= buckets[index]!; index -= 1) {
      histogram.counts[index]! += 1;
    }
  }

  /** A connection or a request was refused, for the reason of a stable code. */
  refused(code: string): void {
    const key = `reason="${code}"`;
    this.#refused.set(key, (this.#refused.get(key) ?? 0) + 1);
  }

  /** The samples of each family. */
  samples(): Map<string, string[]> {
    const own = `direction="${this.#direction}"`;
    const counted = (name: string, map: Map<string, number>) =>
      [...map].map(([labels, value]) => `${name}{${own},${labels}} ${value}`);
    const { received, sent } = this.#bytes;
    const gauges = Object.entries(this.#gauges());
    return new Map([
      [METRIC.proxyRequests, counted(METRIC.proxyRequests, this.#requests)],
      [METRIC.proxyRefused, counted(METRIC.proxyRefused, this.#refused)],
      [
        METRIC.proxyBytes,
        [
          `${METRIC.proxyBytes}{${own},flow="received"} ${received}`,
          `${METRIC.proxyBytes}{${own},flow="sent"} ${sent}`,
        ],
      ],
      [
        METRIC.proxyDuration,
        [...this.#durations].flatMap(([service, histogram]) =>
          histogramLines(`${own},service="${escapeLabel(service)}"`, histogram),
        ),
      ],
      ...gauges.map(([name, value]): [string, string[]] => [name, [`${name}{${own}} ${value}`]]),
    ]);
  }
}

/** One page of several registries, with each family once, as the format wants it. */
export function metricsPage(registries: readonly ProxyMetrics[]): string {
  const samples = registries.map((registry) => registry.samples());
  const lines: string[] = [];
  for (const [name, { type, help }] of Object.entries(families)) {
    const found = samples.flatMap((each) => each.get(name) ?? []);
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...found);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * A registry that all outbound proxies of a machine may share: its size is that of their services and
 * statuses, however many agents come and go.
 */
export class OutboundMetrics extends ProxyMetrics {
  /** Open connections of callers. */
  open = 0;

  constructor() {
    super('outbound', () => ({ [METRIC.proxyConnections]: this.open }));
  }
}

function histogramLines(labels: string, { counts, count, sum }: Histogram): string[] {
  const name = METRIC.proxyDuration;
  return [
    ...buckets.map((bound, index) => `${name}_bucket{${labels},le="${bound}"} ${counts[index]}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  ];
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
