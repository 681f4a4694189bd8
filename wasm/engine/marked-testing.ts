// JavaScript values as marked JSON (`dump` of the engine) and back, for tests: sets, big numbers, other keys.

/** The text of a value: Set is a set, Map an object with any keys, a bigint an integer, RawJson its own text. */
export function toMarked(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(toMarked).join(',')}]`;
  if (value instanceof Set) return `{"$set":${toMarked([...value])}}`;
  if (value instanceof Map) return `{"$object":${toMarked([...value])}}`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).map(([key, member]) => {
      const marked = key.startsWith('$') ? `$${key}` : key;
      return `${JSON.stringify(marked)}:${toMarked(member)}`;
    });
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** A number by its text, for those that JavaScript writes otherwise: `1.0`, `1e400`. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The reverse: integers beyond 2^53 are bigints, other numbers are numbers. */
export function fromMarked(text: string): unknown {
  return unmark(
    JSON.parse(text, (_key: string, value: unknown, context?: { source?: string }) => {
      if (typeof value !== 'number' || context?.source === undefined) return value;
      if (Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source)) return value;
      return BigInt(context.source);
    }),
  );
}

function unmark(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unmark);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const [key, member] = entries.length === 1 ? (entries[0] as [string, unknown]) : [undefined];
  if (key === '$set') return new Set((member as unknown[]).map(unmark));
  if (key === '$object') {
    return new Map((member as unknown[][]).map((pair) => pair.map(unmark) as [unknown, unknown]));
  }
  return Object.fromEntries(
    entries.map(([name, entry]) => [name.startsWith('$$') ? name.slice(1) : name, unmark(entry)]),
  );
}
