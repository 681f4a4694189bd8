// Counts what the policy service does, in Prometheus' text format (version 0.0.4).
import { codeOf } from '../../runtime/errors.ts';
import { METRIC } from '../../runtime/telemetry/names.ts';
import type { Evaluated } from './evaluate.ts';

/** Upper bounds of the duration buckets, in seconds: a decision takes tens of microseconds. */
const buckets = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 5];

/** Gauges and counters of other parts, read when somebody asks. */
export type Readings = () => Partial<Record<keyof typeof families, number>>;

const families = {
  [METRIC.policyEvaluations]: ['counter', 'Documents answered, by boundary and outcome.'],
  [METRIC.policyDuration]: ['histogram', 'Seconds that an evaluation took.'],
  [METRIC.policyFailures]: ['counter', 'Requests that were not answered, by code.'],
  [METRIC.policyBundleActivated]: ['gauge', '1 when every bundle has been in force.'],
  [METRIC.policyBundleProblems]: ['gauge', 'Bundles whose newest version was refused.'],
  [METRIC.policyLogEvents]: ['counter', 'Decision log events written.'],
  [METRIC.policyLogDropped]: [
    'counter',
    'Decision log events dropped because the buffer was full.',
  ],
  [METRIC.policyLogBuffered]: ['gauge', 'Decision log events that wait to be written.'],
} as const;

export class PolicyMetrics {
  readonly #readings: Readings;
  readonly #evaluations = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  readonly #counts = buckets.map(() => 0);
  #count = 0;
  #sum = 0;

  constructor(readings: Readings) {
    this.#readings = readings;
  }

  evaluated({ decision, result }: Evaluated, seconds: number): void {
    const boundary = decision?.boundary ?? '';
    const outcome =
      decision === undefined
        ? result === undefined
          ? 'undefined'
          : 'defined'
        : decision.output.allow === true
          ? 'allow'
          : 'deny';
    add(this.#evaluations, `boundary="${boundary}",outcome="${outcome}"`);
    this.#count += 1;
    this.#sum += seconds;
    for (let index = buckets.length - 1; index >= 0 && seconds <= buckets[index]!; index -= 1) {
      this.#counts[index]! += 1;
    }
  }

  failed(error: unknown): void {
    add(this.#failures, `code="${codeOf(error)}"`);
  }

  /** The whole page. */
  page(): string {
    const counted = (name: string, map: Map<string, number>) =>
      [...map].map(([labels, value]) => `${name}{${labels}} ${value}`);
    const samples = new Map<string, string[]>([
      [METRIC.policyEvaluations, counted(METRIC.policyEvaluations, this.#evaluations)],
      [METRIC.policyFailures, counted(METRIC.policyFailures, this.#failures)],
      [METRIC.policyDuration, this.#durationLines()],
    ]);
    for (const [name, value] of Object.entries(this.#readings())) {
      samples.set(name, [`${name} ${value}`]);
    }
    const lines: string[] = [];
    for (const [name, [type, help]] of Object.entries(families)) {
      const found = samples.get(name) ?? [];
      if (found.length === 0) continue;
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...found);
    }
    return `${lines.join('\n')}\n`;
  }

  #durationLines(): string[] {
    const name = METRIC.policyDuration;
    return [
      ...buckets.map((bound, index) => `${name}_bucket{le="${bound}"} ${this.#counts[index]}`),
      `${name}_bucket{le="+Inf"} ${this.#count}`,
      `${name}_sum ${this.#sum}`,
      `${name}_count ${this.#count}`,
    ];
  }
}

function add(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}
