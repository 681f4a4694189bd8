// What every inbound proxy must do, ours or Envoy in its place; run by inbound.test.ts and envoy.test.ts.
import { suite } from 'uvu';
import { bodyChecks } from './contract-bodies.ts';
import { identityChecks } from './contract-identity.ts';
import { requestChecks } from './contract-requests.ts';
import { trafficChecks } from './contract-traffic.ts';
import type { TcpAddress } from './listen.ts';
import { createWorld, type World } from './testing/world.ts';

/** A proxy under test: it shows `world.source`'s SVIDs and passes requests of agents to `world.services`. */
export interface Subject {
  address: TcpAddress;
  close(): Promise<void>;
}

export interface ContractOptions {
  name: string;
  start(world: World): Promise<Subject>;
  /** Checks that this proxy cannot pass, by name, each with the reason. */
  cannot?: Readonly<Record<string, string>>;
}

export interface ContractWorld {
  world: World;
  subject: Subject;
}

/** Adds one check; its name is what `cannot` refers to. */
export type AddCheck = (name: string, run: (context: ContractWorld) => Promise<void>) => void;

const checkTimeoutMs = 20_000;

/** A check that waits for what never comes fails, and the others still run. */
async function inTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('nothing happened')), checkTimeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Adds the whole contract for one proxy and runs it. */
export function meshContract({ name, start, cannot = {} }: ContractOptions): void {
  const test = suite<ContractWorld>(`mesh contract: ${name}`);
  test.before.each(async (context) => {
    context.world = await createWorld();
    context.subject = await start(context.world);
  });
  test.after.each(async ({ world, subject }) => {
    world.release();
    await subject.close();
    await world.close();
  });
  const known = new Set<string>();
  const add: AddCheck = (check, run) => {
    known.add(check);
    if (cannot[check] === undefined) test(check, (context) => inTime(run(context)));
  };
  identityChecks(add);
  requestChecks(add);
  bodyChecks(add);
  trafficChecks(add);
  const stale = Object.keys(cannot).filter((check) => !known.has(check));
  if (stale.length > 0) throw new Error(`the contract has no check ${stale.join(', ')}`);
  for (const [check, why] of Object.entries(cannot))
    console.log(`${name} cannot: ${check}: ${why}`);
  test.run();
}
