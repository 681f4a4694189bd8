// Finds the processes that descend from given ones, in one look at the whole process table.
import { readdirSync } from 'node:fs';
import { type ProcessFacts, type ProcessName, readProcessOrZombie } from './process.ts';

/** The processes below `roots`, zombies too; not the roots themselves unless one is below another. */
export function descendantsOf(roots: readonly ProcessName[]): ProcessFacts[] {
  const children = new Map<number, ProcessFacts[]>();
  for (const name of readdirSync('/proc')) {
    const facts = /^\d+$/.test(name) ? readProcessOrZombie(Number(name)) : undefined;
    if (facts === undefined) continue;
    const siblings = children.get(facts.parentPid);
    if (siblings === undefined) children.set(facts.parentPid, [facts]);
    else siblings.push(facts);
  }
  const found = new Map<number, ProcessFacts>();
  const parents = roots
    .filter(({ pid, startTime }) => readProcessOrZombie(pid)?.startTime === startTime)
    .map(({ pid }) => pid);
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    for (const child of children.get(parent) ?? []) {
      if (found.has(child.pid)) continue;
      found.set(child.pid, child);
      parents.push(child.pid);
    }
  }
  return [...found.values()];
}
