// Works out what each function costs those that call it, and which functions may call themselves.
import type { ModuleParts } from './parts.ts';
import type { Body, Region } from './scan.ts';

/** Instructions of a step. */
const STEP = 8;
/** Most steps of one region: of a long one, branches pass over most. */
const REGION_MAX = 32;
/** A function of fewer instructions is paid for by its callers, and charges nothing itself. */
const BORNE_MAX = 512;
/** Steps that a function may leave unpaid, so that short loops never look at the counter. */
export const OWED_MAX = 31;
const CALL = 2;

export interface Costs {
  /** Steps of all that runs in a region, with what its calls bear. */
  of(region: Region): number;
  /** Whether the function of this body can be on the stack twice. */
  isRecursive(body: number): boolean;
  /** Steps that a function charges itself when it is entered; 0 when its callers do. */
  atEntry(body: number): number;
}

/** The costs of the functions of a module; `bodies` are those that are not imported, in order. */
export function costsOf(parts: ModuleParts, bodies: readonly Body[]): Costs {
  const byType = new Map<number, number[]>();
  for (const index of new Set(parts.inTable)) {
    const type = parts.functions[index]!;
    byType.set(type, [...(byType.get(type) ?? []), index]);
  }
  // Types that say the same are the same.
  const same = (type: number): number[] =>
    [...byType].flatMap(([other, functions]) => (equalTypes(parts, type, other) ? functions : []));
  const targets = new Map<number, number[]>();
  const indirect = (type: number): number[] => {
    const known = targets.get(type) ?? same(type);
    targets.set(type, known);
    return known;
  };
  const called = bodies.map(({ entry }) => {
    const all = new Set<number>();
    const visit = ({ calls, indirect: types, loops }: Region): void => {
      for (const index of [...calls, ...types.flatMap(indirect)]) {
        if (index >= parts.imported) all.add(index - parts.imported);
      }
      loops.forEach(visit);
    };
    visit(entry);
    return [...all];
  });
  const recursive = inCycles(called);
  const borne = new Map<number, number>();
  const bearing = (index: number): number => {
    if (index < parts.imported) return CALL;
    const body = index - parts.imported;
    const known = borne.get(body) ?? CALL + (isBorne(body) ? full(body) : 0);
    borne.set(body, known);
    return known;
  };
  const of = ({ size, calls, indirect: types, loops }: Region): number => {
    let sum = size;
    for (const index of calls) sum += bearing(index);
    for (const type of types) sum += Math.max(CALL, ...indirect(type).map(bearing));
    for (const loop of loops) sum += of(loop);
    return sum;
  };
  const full = (body: number): number => of(bodies[body]!.entry);
  const isBorne = (body: number): boolean => !recursive.has(body) && full(body) <= BORNE_MAX;
  const steps = (instructions: number): number =>
    Math.min(Math.ceil(instructions / STEP), REGION_MAX);
  return {
    of: (region) => steps(of(region)),
    isRecursive: (body) => recursive.has(body),
    atEntry: (body) => (isBorne(body) ? 0 : steps(full(body))),
  };
}

function equalTypes({ types }: ModuleParts, one: number, other: number): boolean {
  const [a, b] = [types[one]!, types[other]!];
  return Buffer.from(a.params).equals(b.params) && Buffer.from(a.results).equals(b.results);
}

/** The nodes that can reach themselves: Tarjan's strongly connected components, without recursion. */
function inCycles(edges: readonly (readonly number[])[]): ReadonlySet<number> {
  const found = new Set<number>();
  const order = new Map<number, number>();
  const low: number[] = [];
  const open: number[] = [];
  const isOpen = new Set<number>();
  const path: { node: number; next: number }[] = [];
  const enter = (node: number): void => {
    order.set(node, order.size);
    low[node] = order.get(node)!;
    open.push(node);
    isOpen.add(node);
    path.push({ node, next: 0 });
  };
  for (let root = 0; root < edges.length; root++) {
    if (!order.has(root)) enter(root);
    while (path.length > 0) {
      const top = path.at(-1)!;
      const { node } = top;
      const target = edges[node]![top.next++];
      if (target !== undefined) {
        if (!order.has(target)) enter(target);
        else if (isOpen.has(target)) low[node] = Math.min(low[node]!, order.get(target)!);
        continue;
      }
      path.pop();
      const parent = path.at(-1)?.node;
      if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!);
      if (low[node] === order.get(node)) close(node);
    }
  }
  function close(node: number): void {
    const members = open.splice(open.indexOf(node));
    for (const member of members) {
      isOpen.delete(member);
      if (members.length > 1 || edges[member]!.includes(member)) found.add(member);
    }
  }
  return found;
}
