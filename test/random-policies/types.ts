// The types of the random policies and the shapes of their input and data: few words, so that they often meet.

/** `text` is any string; the others are strings of one small vocabulary. */
export type Word = 'name' | 'kind' | 'role' | 'text';
export type Type =
  | 'boolean'
  | 'number'
  | Word
  | { array: Type }
  | { set: Type }
  | { object: Type }
  | { record: Record<string, Type> };

export const words: Record<Word, readonly string[]> = {
  name: ['ann', 'bob', 'cy'],
  kind: ['read', 'write', 'drop'],
  role: ['admin', 'dev', 'ops'],
  text: ['', 'a', 'a/b.c', 'Ünïcode', '10.0.0.7', '1.2.3', 'x y', '{"a":[1]}', 'MTIz', '😀b'],
};

const person: Type = {
  record: { name: 'name', level: 'number', roles: { array: 'role' }, active: 'boolean' },
};
const grant: Type = { record: { name: 'name', kind: 'kind', limit: 'number' } };

export const inputType: Type = {
  record: {
    agent: person,
    kind: 'kind',
    target: 'text',
    amount: 'number',
    path: { array: 'text' },
    parts: { object: 'number' },
    flags: { object: 'boolean' },
    peers: { array: person },
    rows: { array: { array: 'number' } },
  },
};

export const dataType: Type = {
  record: {
    agents: { object: person },
    grants: { array: grant },
    groups: { object: { array: 'name' } },
    limits: { object: 'number' },
    allowed: { object: { object: 'boolean' } },
  },
};

/** Whether a value of one type is one of the other: every word is a text. */
export function fits(type: Type, wanted: Type): boolean {
  if (typeof type === 'string' || typeof wanted === 'string') {
    return type === wanted || (wanted === 'text' && typeof type === 'string' && type in words);
  }
  if ('array' in type && 'array' in wanted) return fits(type.array, wanted.array);
  if ('set' in type && 'set' in wanted) return fits(type.set, wanted.set);
  if ('object' in type && 'object' in wanted) return fits(type.object, wanted.object);
  return type === wanted;
}

/** The type of the members of a collection. */
export function memberType(type: Type): Type | undefined {
  if (typeof type === 'string' || 'record' in type) return undefined;
  if ('array' in type) return type.array;
  return 'set' in type ? type.set : type.object;
}
