// Rego values as a test compares them: numbers by their exact decimal value, sets apart from arrays.

/** A number as its significant digits and the power of ten of the last of them. */
export class ExactNumber {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
  readonly text: string;

  /** Of a number's text as JSON writes it; leading and trailing zeros do not matter. */
  constructor(text: string) {
    this.text = text;
    const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
    if (match === null) throw new Error(`${text} is no number of JSON`);
    const [, sign, whole = '', fraction = '', power = '0'] = match;
    const all = `${whole}${fraction}`.replace(/^0+/, '');
    this.digits = all.replace(/0+$/, '');
    this.negative = sign === '-' && this.digits !== '';
    this.exponent =
      this.digits === '' ? 0 : Number(power) - fraction.length + (all.length - this.digits.length);
  }
}

export type Exact =
  | null
  | boolean
  | string
  | ExactNumber
  | Exact[]
  | { set: Exact[] }
  | { object: Map<string, Exact> };

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'set';
const order: Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object', 'set'];

function kindOf(value: Exact): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') {
    if (value instanceof ExactNumber) return 'number';
    return 'set' in value ? 'set' : 'object';
  }
  return typeof value as 'boolean' | 'string';
}

/** Reads JSON without losing a digit. Of an engine's `dump` (`marked`), sets are told apart. */
export function parseExact(text: string, marked: boolean): Exact {
  const numberAsText = (_key: string, value: unknown, context?: { source: string }) =>
    typeof value === 'number' ? new ExactNumber(context!.source) : value;
  return exactOf(JSON.parse(text, numberAsText as never), marked);
}

/** Of a marked value that was parsed already, in which a number that is no double is `{"$number": "…"}`. */
export function exactOfMarked(value: unknown): Exact {
  return exactOf(value, true);
}

function exactOf(value: unknown, marked: boolean): Exact {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((element) => exactOf(element, marked));
  if (value instanceof ExactNumber) return value;
  if (typeof value === 'number') return new ExactNumber(String(value));
  const object = value as Record<string, unknown>;
  if (marked && typeof object.$number === 'string') return new ExactNumber(object.$number);
  if (marked && Array.isArray(object.$set)) {
    return { set: object.$set.map((element) => exactOf(element, marked)).sort(compareExact) };
  }
  if (marked && Array.isArray(object.$object)) {
    const pairs = object.$object as [unknown, unknown][];
    return objectOf(
      pairs.map(([key, member]) => [nameOf(exactOf(key, marked)), exactOf(member, marked)]),
    );
  }
  const members = Object.entries(object).map(([key, member]): [string, Exact] => [
    marked && key.startsWith('$') ? key.slice(1) : key,
    exactOf(member, marked),
  ]);
  return objectOf(members);
}

function objectOf(members: [string, Exact][]): Exact {
  return { object: new Map(members.sort(([a], [b]) => compareText(a, b))) };
}

/** A key as OPA names it in results: its JSON as Go writes it, where it is no string. */
function nameOf(key: Exact): string {
  return typeof key === 'string' ? key : goJson(withoutSets(key));
}

function goJson(value: Exact): string {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    if ('set' in value) return goJson(value.set);
    const members = [...value.object].map(([key, member]) => `${goJson(key)}:${goJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The value with every set as the array of its members in order, as OPA gives results to clients. */
export function withoutSets(value: Exact): Exact {
  if (Array.isArray(value)) return value.map(withoutSets);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof ExactNumber) return value;
  if ('set' in value) return value.set.map(withoutSets);
  return { object: new Map([...value.object].map(([key, member]) => [key, withoutSets(member)])) };
}

/** Rego's total order of values, which is also their equality. */
export function compareExact(a: Exact, b: Exact): number {
  const kind = kindOf(a);
  const difference = order.indexOf(kind) - order.indexOf(kindOf(b));
  if (difference !== 0 || kind === 'null') return difference;
  if (kind === 'boolean') return Number(a) - Number(b);
  if (kind === 'string') return compareText(a as string, b as string);
  if (kind === 'number') {
    return compareNumbers(a as ExactNumber, b as ExactNumber);
  }
  if (kind === 'object') {
    const [left, right] = [a, b].map((value) => [
      ...(value as { object: Map<string, Exact> }).object,
    ]);
    const keys = compareLists(
      left!.map(([key]) => key),
      right!.map(([key]) => key),
    );
    return (
      keys ||
      compareLists(
        left!.map(([, member]) => member),
        right!.map(([, member]) => member),
      )
    );
  }
  const elements = (value: Exact) =>
    Array.isArray(value) ? value : (value as { set: Exact[] }).set;
  return compareLists(elements(a), elements(b));
}

function compareLists(a: Exact[], b: Exact[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = compareExact(a[i]!, b[i]!);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** By code point, as UTF-8 sorts. */
function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareNumbers(a: ExactNumber, b: ExactNumber): number {
  const signOf = (number: ExactNumber) => (number.digits === '' ? 0 : number.negative ? -1 : 1);
  const sign = signOf(a);
  if (sign !== signOf(b) || sign === 0) return sign - signOf(b);
  const sizeA = a.digits.length + a.exponent;
  const sizeB = b.digits.length + b.exponent;
  if (sizeA !== sizeB) return sizeA < sizeB ? -sign : sign;
  const length = Math.max(a.digits.length, b.digits.length);
  return sign * compareText(a.digits.padEnd(length, '0'), b.digits.padEnd(length, '0'));
}
