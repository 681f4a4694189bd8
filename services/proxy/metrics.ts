// Counts what a proxy does and writes it in Prometheus' text format (version 0.0.4).
import { METRIC } from '../../runtime/telemetry/names.ts';

/** Upper bounds of the duration buckets, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

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
    this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
  }

  text(): string {
    const own = `direction="${this.#direction}"`;
    const lines: string[] = [];
    const family = (name: string, type: string, samples: [labels: string, value: number][]) => {
      lines.push(`# TYPE ${name} ${type}`);
      for (const [labels, value] of samples) lines.push(`${name}{${labels}} ${value}`);
    };
    const labelled = (map: Map<string, number>): [string, number][] =>
      [...map].map(([labels, value]) => [`${own},${labels}`, value]);
    family(METRIC.proxyRequests, 'counter', labelled(this.#requests));
    const refused = [...this.#refused].map(([code, count]): [string, number] => [
      `${own},reason="${code}"`,
      count,
    ]);
    family(METRIC.proxyRefused, 'counter', refused);
    family(METRIC.proxyBytes, 'counter', [
      [`${own},flow="received"`, this.#bytes.received],
      [`${own},flow="sent"`, this.#bytes.sent],
    ]);
    lines.push(`# TYPE ${METRIC.proxyDuration} histogram`);
    for (const [service, histogram] of this.#durations) {
      lines.push(...histogramLines(`${own},service="${escapeLabel(service)}"`, histogram));
    }
    for (const [name, value] of Object.entries(this.#gauges())) {
      family(name, 'gauge', [[own, value]]);
    }
    return `${lines.join('\n')}\n`;
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
