// Reads a TZif file (RFC 8536, version 2 and later), as Go's time package does.

/** A time zone; a type is its offset in seconds, 1 for daylight saving time, and its abbreviation. */
export interface Zone {
  readonly types: readonly string[];
  /** The type before the first transition. */
  readonly first: number;
  readonly transitions: readonly { readonly at: number; readonly type: number }[];
  /** The POSIX rule for what comes after the last transition. */
  readonly rule: string;
}

const HEADER = 44;

type Counts = readonly [number, number, number, number, number, number];

/** The counts of a header: UT indicators, standard indicators, leap seconds, times, types, characters. */
function counts(file: Buffer, at: number): Counts {
  return [0, 1, 2, 3, 4, 5].map((i) => file.readUInt32BE(at + 20 + 4 * i)) as unknown as Counts;
}

/** The zone of a file. */
export function readZone(bytes: Uint8Array): Zone {
  const file = Buffer.from(bytes);
  const [ut1, std1, leap1, time1, type1, char1] = counts(file, 0);
  const second = HEADER + time1 * 5 + type1 * 6 + char1 + leap1 * 8 + std1 + ut1;
  const [ut, std, leap, times, types, characters] = counts(file, second);
  const start = second + HEADER;
  const typeStart = start + times * 9;
  const textStart = typeStart + types * 6;
  const text = file.toString('latin1', textStart, textStart + characters);
  const list = Array.from({ length: types }, (_, i) => {
    const at = typeStart + 6 * i;
    const name = text.slice(file[at + 5]!).split('\0')[0];
    return { offset: file.readInt32BE(at), dst: file[at + 4]!, name };
  });
  const transitions = Array.from({ length: times }, (_, i) => ({
    at: Number(file.readBigInt64BE(start + 8 * i)),
    type: file[start + 8 * times + i]!,
  }));
  return {
    types: list.map(({ offset, dst, name }) => `${offset} ${dst} ${name}`),
    first: firstType(list, transitions),
    transitions,
    rule: file
      .toString('latin1', textStart + characters + leap * 12 + std + ut)
      .replaceAll('\n', ''),
  };
}

/** The type before the first transition, as Go's lookupFirstZone chooses it. */
function firstType(
  types: readonly { readonly dst: number }[],
  transitions: readonly { readonly type: number }[],
): number {
  if (!transitions.some(({ type }) => type === 0)) return 0;
  const next = transitions[0]?.type ?? 0;
  if (types[next]?.dst) {
    for (let i = next - 1; i >= 0; i--) if (!types[i]!.dst) return i;
  }
  return Math.max(
    0,
    types.findIndex(({ dst }) => !dst),
  );
}
