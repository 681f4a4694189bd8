// Random inputs and data of the policies' types, some with members missing or of another type.
import type { JsonValue } from '../../runtime/json.ts';
import type { Random } from './random.ts';
import { dataType, inputType, type Type, words } from './types.ts';

const oddNumbers = [0.5, -1, 2.75, 1e3, -0.25, 100, 2 ** 53];

/** How often a member is missing, or of another type. */
interface Oddity {
  missing: number;
  mistyped: number;
}

function random(of: Random, type: Type, odd: Oddity): JsonValue {
  if (of.chance(odd.mistyped)) return of.pick<JsonValue>([null, true, 7, 'ann', [], {}, [['dev']]]);
  if (type === 'boolean') return of.chance(0.6);
  if (type === 'number') return of.chance(0.85) ? of.below(6) : of.pick(oddNumbers);
  if (typeof type === 'string') {
    return of.pick(
      of.chance(0.9) ? words[type] : words[of.pick(['name', 'kind', 'text'] as const)],
    );
  }
  if ('array' in type) return of.some(0, 4, () => random(of, type.array, odd));
  if ('set' in type) throw new Error('a document has no sets');
  if ('object' in type) {
    const keys = of.some(0, 4, () => of.pick(words[of.pick(['name', 'kind', 'role'] as const)]));
    return Object.fromEntries(keys.map((key) => [key, random(of, type.object, odd)]));
  }
  const members = Object.entries(type.record).filter(() => !of.chance(odd.missing));
  return Object.fromEntries(members.map(([key, member]) => [key, random(of, member, odd)]));
}

/** An input; every fourth is not quite of its type. */
export function randomInput(of: Random): JsonValue {
  const isOdd = of.chance(0.25);
  return random(
    of,
    inputType,
    isOdd ? { missing: 0.1, mistyped: 0.05 } : { missing: 0, mistyped: 0 },
  );
}

/** The data document, with a base document below the package of the policy, for OPA to merge. */
export function randomData(of: Random): Record<string, JsonValue> {
  const data = random(of, dataType, { missing: 0, mistyped: 0 }) as Record<string, JsonValue>;
  const base = {
    read: of.below(3),
    extra: { deep: of.pick(words.name) },
    name: of.pick(words.name),
  };
  return { ...data, gen: { base: of.below(6), lookup: base } };
}
