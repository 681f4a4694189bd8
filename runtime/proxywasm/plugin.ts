// What all streams of one plugin share: its configuration, its clock, its metrics and its data.

import type { LogLevel } from './abi.ts';
import { METRIC } from './abi.ts';

const METRICS_MAX = 1024;
const NAME_BYTES_MAX = 256;
const SHARED_KEYS_MAX = 1024;
const SHARED_BYTES_MAX = 1 << 20;
const LOGS_MAX = 256;

export interface PluginConfig {
  configuration: Uint8Array;
  log(level: LogLevel, message: string): void;
  clock(): Date;
  random(bytes: Uint8Array): void;
}

interface Metric {
  type: number;
  name: string;
  value: bigint;
}

/** Survives a trap: a fresh VM finds the same metrics and shared data. */
export class Plugin {
  readonly config: PluginConfig;
  readonly #metrics: Metric[] = [];
  readonly #shared = new Map<string, { value: Uint8Array; version: number }>();
  #sharedBytes = 0;
  #versions = 0;
  #logs = 0;

  constructor(config: PluginConfig) {
    this.config = config;
  }

  /** A call of the filter begins: it may log again. */
  beginCall(): void {
    this.#logs = 0;
  }

  log(level: LogLevel, message: string): void {
    // A filter that logs in a loop does not fill the disk.
    if (this.#logs++ < LOGS_MAX) this.config.log(level, message);
  }

  /** The metric's number from 1 on; the same name gives the same one; 0 when there are too many. */
  defineMetric(type: number, name: string): number {
    const known = this.#metrics.findIndex((metric) => metric.name === name);
    if (known >= 0) return this.#metrics[known]!.type === type ? known + 1 : 0;
    if (this.#metrics.length >= METRICS_MAX || name.length > NAME_BYTES_MAX) return 0;
    return this.#metrics.push({ type, name, value: 0n });
  }

  metric(id: number): Readonly<Metric> | undefined {
    return this.#metrics[id - 1];
  }

  recordMetric(id: number, value: bigint): boolean {
    const metric = this.#metrics[id - 1];
    if (metric !== undefined) metric.value = BigInt.asUintN(64, value);
    return metric !== undefined;
  }

  /** False for a counter that would go down, and for a histogram, which has no sum to change. */
  incrementMetric(id: number, delta: bigint): boolean {
    const metric = this.#metrics[id - 1]!;
    if (metric.type === METRIC.histogram || (metric.type === METRIC.counter && delta < 0n)) {
      return false;
    }
    metric.value = BigInt.asUintN(64, metric.value + delta);
    return true;
  }

  sharedData(key: string): { value: Uint8Array; version: number } | undefined {
    return this.#shared.get(key);
  }

  /** With a version other than 0 only if it is the present one. */
  setSharedData(key: string, value: Uint8Array, version: number): 'set' | 'conflict' | 'full' {
    const known = this.#shared.get(key);
    if (version !== 0 && known?.version !== version) return 'conflict';
    const bytes = this.#sharedBytes - (known?.value.length ?? 0) + value.length;
    const keys = this.#shared.size + (known === undefined ? 1 : 0);
    if (bytes > SHARED_BYTES_MAX || keys > SHARED_KEYS_MAX || key.length > NAME_BYTES_MAX) {
      return 'full';
    }
    this.#sharedBytes = bytes;
    this.#shared.set(key, { value, version: ++this.#versions });
    return 'set';
  }
}
