// Makes an input smaller as long as two hosts still differ on it.
import type { JsonValue } from '../../runtime/json.ts';
import type { SampleRequest } from '../../runtime/testing/sample-requests.ts';

/** Of the candidates, which still differ; several at once, since a host answers many as fast as one. */
export type Differs = (candidates: readonly SampleRequest[]) => Promise<boolean[]>;

const ROUNDS_MAX = 60;
const CANDIDATES_MAX = 64;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A request whose input is as small as a few rounds make it: first as a value, then as bytes. */
export async function shrink(request: SampleRequest, differs: Differs): Promise<SampleRequest> {
  let smallest: SampleRequest = { ...request, salt: new Uint8Array(32) };
  if (!(await differs([smallest]))[0]) smallest = request;
  for (const smaller of [smallerValues, smallerBytes]) {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const candidates = smaller(smallest.input).map((input) => ({ ...smallest, input }));
      if (candidates.length === 0) break;
      const index = (await differs(candidates)).indexOf(true);
      if (index < 0) break;
      smallest = candidates[index]!;
    }
  }
  return smallest;
}

/** JSON texts with something left out of the value; none for what is no JSON, or changes when it is written. */
function smallerValues(input: Uint8Array): Uint8Array[] {
  let value: JsonValue;
  try {
    value = JSON.parse(decoder.decode(input)) as JsonValue;
  } catch {
    return [];
  }
  const found = pruned(value).map((smaller): Uint8Array => Buffer.from(JSON.stringify(smaller)));
  return found
    .filter((text) => text.length < input.length)
    .sort((a, b) => a.length - b.length)
    .slice(0, CANDIDATES_MAX);
}

/** Values with one member or element less, or one of them smaller. */
function pruned(value: JsonValue): JsonValue[] {
  if (typeof value === 'string') {
    const half = [...value].slice(0, value.length >> 1).join('');
    return value === '' ? [] : ['', half, [...value].slice(1).join('')];
  }
  if (typeof value === 'number') return value === 0 ? [] : [0];
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  const again = (list: [string, JsonValue][]): JsonValue =>
    Array.isArray(value) ? list.map(([, member]) => member) : Object.fromEntries(list);
  const half = entries.length > 8 ? [again(entries.slice(entries.length >> 1))] : [];
  return [
    ...half,
    ...entries.map((_, index) => again(entries.filter((_, at) => at !== index))),
    ...entries.flatMap(([name, member], index) =>
      pruned(member).map((smaller) => again(entries.with(index, [name, smaller]))),
    ),
  ];
}

/** The bytes with a part cut out: halves, quarters, and so on. */
function smallerBytes(input: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let size = input.length >> 1; size >= 1 && found.length < CANDIDATES_MAX; size >>= 1) {
    for (let at = 0; at < input.length && found.length < CANDIDATES_MAX; at += size) {
      found.push(Buffer.concat([input.subarray(0, at), input.subarray(at + size)]));
    }
  }
  return found;
}
