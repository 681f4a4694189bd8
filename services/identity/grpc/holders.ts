// What all processes of one agent may use of a Unix-socket gRPC server together: connections, calls, and new ones a second.
import type { GrpcLimits } from './limits.ts';

type HolderLimits = Pick<
  GrpcLimits,
  'connectionsPerHolder' | 'streamsPerHolder' | 'openingsPerHolder' | 'openingsPerSecond'
>;

/** How long a process that ran over is refused without being attested again. */
const penaltyMs = 1000;
/** How many penalties, and how many refusals that were told, are remembered. */
const rememberedMax = 4096;
/** How soon the same refusal is told again. */
const newsMs = 1000;
/** A holder without connections is remembered for as long as it may be in debt. */
const forgetEveryMs = 10_000;

/** What one agent has in use. */
export class Holder {
  readonly #limits: HolderLimits;
  readonly #now: () => number;
  connections = 0;
  streams = 0;
  #allowance: number;
  #countedAt: number;

  constructor(limits: HolderLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#allowance = limits.openingsPerHolder;
    this.#countedAt = now();
  }

  /** Why no further connection may be opened, or undefined: then it counts. */
  connect(): string | undefined {
    if (!this.#begin()) return this.#tooMany();
    const { connectionsPerHolder } = this.#limits;
    if (this.connections >= connectionsPerHolder) {
      return `agent has ${connectionsPerHolder} connections`;
    }
    this.connections += 1;
    return undefined;
  }

  /** Why no further call may be begun, or undefined: then it counts. */
  call(): string | undefined {
    if (!this.#begin()) return this.#tooMany();
    const { streamsPerHolder } = this.#limits;
    if (this.streams >= streamsPerHolder) return `agent has ${streamsPerHolder} streams`;
    this.streams += 1;
    return undefined;
  }

  /** Nothing is in use, and nothing is owed. */
  get isIdle(): boolean {
    this.#refill();
    return (
      this.connections === 0 &&
      this.streams === 0 &&
      this.#allowance === this.#limits.openingsPerHolder
    );
  }

  #begin(): boolean {
    this.#refill();
    const isAllowed = this.#allowance >= 1;
    // Who goes on against refusals pays for them too, since each of them costs something.
    this.#allowance = Math.max(this.#allowance - 1, -this.#limits.openingsPerHolder);
    return isAllowed;
  }

  #refill(): void {
    const { openingsPerHolder, openingsPerSecond } = this.#limits;
    const now = this.#now();
    const earned = ((now - this.#countedAt) * openingsPerSecond) / 1000;
    this.#allowance = Math.min(this.#allowance + earned, openingsPerHolder);
    this.#countedAt = now;
  }

  #tooMany(): string {
    return `agent begins more than ${this.#limits.openingsPerSecond} calls a second`;
  }
}

/** Everybody who has something in use. */
export class Holders {
  readonly #limits: HolderLimits;
  readonly #now: () => number;
  readonly #holders = new Map<string, Holder>();
  readonly #penalties = new Map<number, number>();
  readonly #told = new Map<string, number>();
  #forgotAt: number;

  constructor(limits: HolderLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#forgotAt = now();
  }

  /** How many are remembered. */
  get size(): number {
    return this.#holders.size;
  }

  of(key: string): Holder {
    this.#forget();
    let holder = this.#holders.get(key);
    if (holder === undefined) {
      holder = new Holder(this.#limits, this.#now);
      this.#holders.set(key, holder);
    }
    return holder;
  }

  /** A process whose agent ran over is not looked at for a moment, since looking costs too. */
  punish(pid: number): void {
    if (this.#penalties.size >= rememberedMax) this.#penalties.clear();
    this.#penalties.set(pid, this.#now() + penaltyMs);
  }

  isPunished(pid: number): boolean {
    const until = this.#penalties.get(pid);
    if (until === undefined) return false;
    if (until > this.#now()) return true;
    this.#penalties.delete(pid);
    return false;
  }

  /** False for what was said of somebody a moment ago: a flood of refusals is no flood of news. */
  isNews(who: string, refusal: string): boolean {
    const news = `${who} ${refusal}`;
    const now = this.#now();
    if (now - (this.#told.get(news) ?? Number.NEGATIVE_INFINITY) < newsMs) return false;
    if (this.#told.size >= rememberedMax) this.#told.clear();
    this.#told.set(news, now);
    return true;
  }

  #forget(): void {
    if (this.#now() - this.#forgotAt < forgetEveryMs) return;
    this.#forgotAt = this.#now();
    for (const [key, holder] of this.#holders) if (holder.isIdle) this.#holders.delete(key);
  }
}
