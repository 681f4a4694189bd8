// Sends the same requests to several hosts, batch by batch, and finds the answers that differ from Node's.
import type { DecisionModule } from '../../runtime/decide/boundary.ts';
import { hostileRequests, type SampleRequest } from '../../runtime/testing/sample-requests.ts';
import { type Answer, type Batch, type HostName, type ParityHost, toLine } from './host.ts';
import { shrink } from './shrink.ts';

export const BATCH = 500;
/** How many batches may wait for a host: the memory that a run takes. */
const WAITING_MAX = 3;
/** Hosts that work at the same time. */
const AT_ONCE = 2;
/** Differences that are shrunk and shown; the others are counted. */
const SHOWN_MAX = 3;

/** An input to which a host gives another id or another answer than Node. */
export interface Difference {
  host: HostName;
  /** How many requests were generated before it. */
  index: number;
  /** The request as it was generated, and the smallest that still differs. */
  request: SampleRequest;
  smallest: SampleRequest;
  expected: Answer;
  found: Answer;
}

export interface HostReport {
  differing: number;
  /** Time in which the host had requests to answer. */
  seconds: number;
}

export interface ParityReport {
  inputs: number;
  seed: number;
  hosts: Map<HostName, HostReport>;
  /** By boundary, and by module: how many there were and how many were allowed. */
  shares: Map<string, { inputs: number; allowed: number }>;
  codes: Map<string, number>;
  differences: Difference[];
}

export interface CompareOptions {
  hosts: ReadonlyMap<HostName, ParityHost>;
  /** Node, without any fault: what the others are compared with. */
  reference: ParityHost;
  inputs: number;
  seed: number;
  /** After each batch of a host: how many it has answered. */
  progress?: (host: HostName, done: number, seconds: number) => void;
  /** Ends the run at the first difference. */
  isFirstEnough?: boolean;
}

/** Compares; memory does not grow with the number of inputs. */
export async function compareHosts(options: CompareOptions): Promise<ParityReport> {
  const { hosts, inputs, seed } = options;
  const run = new Run(options);
  const waiting: Promise<void>[] = [];
  try {
    for (let start = 0; start < inputs && !run.isOver; start += BATCH) {
      const requests = hostileRequests(Math.min(BATCH, inputs - start), seed + start);
      waiting.push(run.batch({ start, requests, lines: requests.map(toLine) }));
      if (waiting.length >= WAITING_MAX) await waiting.shift();
    }
  } finally {
    await Promise.all(waiting);
  }
  for (const name of hosts.keys()) run.report.hosts.get(name)!.seconds = run.seconds(name);
  return run.report;
}

class Run {
  readonly report: ParityReport;
  readonly #options: CompareOptions;
  readonly #slots = new Slots(AT_ONCE);
  readonly #seconds = new Map<HostName, number>();
  readonly #done = new Map<HostName, number>();
  /** Each host answers one batch after the other. */
  readonly #last = new Map<HostName | 'reference', Promise<unknown>>();

  constructor(options: CompareOptions) {
    this.#options = options;
    const hosts = [...options.hosts.keys()].map(
      (name) => [name, { differing: 0, seconds: 0 }] as const,
    );
    this.report = {
      ...{ inputs: 0, seed: options.seed, hosts: new Map(hosts) },
      ...{ shares: new Map(), codes: new Map(), differences: [] },
    };
  }

  get isOver(): boolean {
    return this.#options.isFirstEnough === true && this.report.differences.length > 0;
  }

  seconds(host: HostName): number {
    return this.#seconds.get(host) ?? 0;
  }

  async batch(batch: Batch): Promise<void> {
    const { hosts, reference } = this.#options;
    const expected = this.#ask('reference', reference, batch.lines).then((answers) => {
      this.#count(batch.requests, answers);
      return answers;
    });
    const found = [...hosts].map(async ([name, host]) => {
      const answers =
        host === reference ? await expected : await this.#ask(name, host, batch.lines);
      await this.#compare(name, host, batch, await expected, answers);
    });
    await Promise.all([expected, ...found]);
  }

  async #ask(
    name: HostName | 'reference',
    host: ParityHost,
    lines: readonly string[],
  ): Promise<Answer[]> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const asked = before.then(() =>
      this.#slots.use(async () => {
        const start = performance.now();
        const answers = await host.decide(lines);
        if (answers.length !== lines.length)
          throw new Error(`${name} did not answer every request`);
        const of = name === 'reference' ? 'node' : name;
        const seconds = this.seconds(of) + (performance.now() - start) / 1000;
        const done = (this.#done.get(of) ?? 0) + lines.length;
        this.#seconds.set(of, seconds);
        this.#done.set(of, done);
        this.#options.progress?.(of, done, seconds);
        return answers;
      }),
    );
    this.#last.set(name, asked);
    return asked;
  }

  #count(requests: readonly SampleRequest[], answers: readonly Answer[]): void {
    const { report } = this;
    report.inputs += requests.length;
    requests.forEach(({ boundary, module }, index) => {
      const { allow, reason } = answers[index]!;
      for (const name of [boundary, `module ${module satisfies DecisionModule}`]) {
        const share = report.shares.get(name) ?? { inputs: 0, allowed: 0 };
        share.inputs += 1;
        if (allow) share.allowed += 1;
        report.shares.set(name, share);
      }
      const code = reason?.code ?? '';
      report.codes.set(code, (report.codes.get(code) ?? 0) + 1);
    });
  }

  async #compare(
    host: HostName,
    running: ParityHost,
    { start, requests }: Batch,
    expected: readonly Answer[],
    found: readonly Answer[],
  ): Promise<void> {
    const { reference } = this.#options;
    for (const [index, answer] of found.entries()) {
      if (isSame(expected[index]!, answer)) continue;
      this.report.hosts.get(host)!.differing += 1;
      if (this.isOver || this.report.differences.length >= SHOWN_MAX) continue;
      const difference: Difference = {
        ...{ host, index: start + index, request: requests[index]!, smallest: requests[index]! },
        ...{ expected: expected[index]!, found: answer },
      };
      this.report.differences.push(difference);
      const both = async (candidates: readonly SampleRequest[]) => {
        const lines = candidates.map(toLine);
        const left = await reference.decide(lines);
        return { left, right: running === reference ? left : await running.decide(lines) };
      };
      // A host answers one question at a time: its next batch waits until this is done.
      const shrunk = this.#slots.alone(async () => {
        difference.smallest = await shrink(difference.request, async (candidates) => {
          const { left, right } = await both(candidates);
          return left.map((one, at) => !isSame(one, right[at]!));
        });
        const { left, right } = await both([difference.smallest]);
        Object.assign(difference, { expected: left[0], found: right[0] });
      });
      await shrunk;
    }
  }
}

/** Whether a host gives Node's id, and says of it what Node says. */
function isSame(expected: Answer, found: Answer): boolean {
  return (
    expected.id === found.id && found.valueId === undefined && saidOf(expected) === saidOf(found)
  );
}

function saidOf({ allow, rule, reason, plain }: Answer): string {
  const said = plain ?? { allow, rule, code: reason?.code };
  return JSON.stringify([said.allow, said.rule, said.code]);
}

/** Lets so many work at once, and one alone when it asks for that. */
class Slots {
  readonly #size: number;
  #used = 0;
  readonly #waiting: { count: number; start: () => void }[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  use<T>(work: () => Promise<T>): Promise<T> {
    return this.#take(1, work);
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#take(this.#size, work);
  }

  async #take<T>(count: number, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.#waiting.push({ count, start });
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#used -= count;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#used + first.count > this.#size) return;
      this.#waiting.shift();
      this.#used += first.count;
      first.start();
    }
  }
}
