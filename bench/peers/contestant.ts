// What the policy benchmark measures: anything that answers the frozen inputs, here or in another process.
import { type BenchmarkCase, type Figures, figures } from '../../runtime/measure.ts';

/** Whether each input is allowed, and how long so many decisions take. */
export interface Contestant {
  name: string;
  /** The verdict for every input, in their order. */
  verdicts(): Promise<boolean[]> | boolean[];
  /** Makes so many decisions, going on through the inputs; nanoseconds for all of them. */
  run(count: number): Promise<number> | number;
  /** Decisions a sample: more for what is faster than the clock can tell. */
  batch: number;
  close?(): void;
}

const ROUNDS = 60;
const WARM_UP_ROUNDS = 6;

/** A contestant of this process. */
export function local(
  name: string,
  count: number,
  batch: number,
  decide: (number: number) => boolean,
): Contestant {
  let next = 0;
  return {
    ...{ name, batch },
    verdicts: () => Array.from({ length: count }, (_, number) => decide(number)),
    run(decisions) {
      const started = process.hrtime.bigint();
      for (let made = 0; made < decisions; made++) decide(next++ % count);
      return Number(process.hrtime.bigint() - started);
    },
  };
}

/** Times contestants in turn, round by round; the first is ours. All must give the same verdicts. */
export async function race(name: string, contestants: Contestant[]): Promise<BenchmarkCase> {
  const [first] = contestants;
  const expected = JSON.stringify(await first!.verdicts());
  if (!expected.includes('true') || !expected.includes('false'))
    throw new Error('one verdict only');
  const times = new Map<string, number[]>();
  for (const contestant of contestants) {
    const verdicts = JSON.stringify(await contestant.verdicts());
    if (verdicts !== expected) throw new Error(`${contestant.name} decides otherwise: ${verdicts}`);
    times.set(contestant.name, []);
  }
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const contestant of contestants) {
      const took = await contestant.run(contestant.batch);
      if (round >= 0) times.get(contestant.name)!.push(took / contestant.batch / 1e3);
    }
  }
  for (const contestant of contestants) contestant.close?.();
  const [ours, ...peers] = [...times].map(([who, all]): [string, Figures] => [who, figures(all)]);
  return {
    name,
    ours: ours![1],
    peers: Object.fromEntries(peers),
    ratios: Object.fromEntries(peers.map(([who, of]) => [who, of.p50 / ours![1].p50])),
  };
}
