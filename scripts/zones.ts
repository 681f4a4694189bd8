// Writes the time zones of the IANA database, from Go's copy of it, to wasm/engine/builtins/time-zone-data.ts.
//
// Usage: node scripts/zones.ts [zoneinfo.zip]   (the default is the one of the `go` on the path)
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compress } from './zones/pairs.ts';
import { type Constants, source } from './zones/source.ts';
import { readZone, type Zone } from './zones/tzif.ts';
import { readZip } from './zones/zip.ts';

/** The sections of the table, by name; wasm/engine/builtins/time-zone-table.ts reads them. */
type Sections = Map<string, Uint8Array>;

const path =
  process.argv[2] ??
  join(execFileSync('go', ['env', 'GOROOT']).toString().trim(), 'lib', 'time', 'zoneinfo.zip');

/** The largest step between two transitions. */
const STEP_MAX = 0xffffffff;

/** Distinct values in the order of how often they occur. */
function byFrequency<T>(values: readonly T[]): T[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([value]) => value);
}

/** A number below 64 * 256 in one or two bytes. */
function short(value: number): number[] {
  if (value < 192) return [value];
  if (value >= 192 + 64 * 256) throw new Error(`${value} needs more than two bytes`);
  return [192 + ((value - 192) >> 8), (value - 192) & 255];
}

function u32(value: number): number[] {
  return [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24];
}

function u16(value: number): number[] {
  return [value & 255, value >> 8];
}

function text(value: string): number[] {
  return [value.length, ...Buffer.from(value, 'latin1')];
}

/** The steps between a zone's transitions; the first counts from `base`. */
function steps(zone: Zone, base: number): number[] {
  return zone.transitions.map(({ at }, i) => at - (zone.transitions[i - 1]?.at ?? base));
}

/** A zone whose first transition is too late for 32 bits gets one before it, which changes nothing. */
function near(zone: Zone, base: number): Zone {
  const first = zone.transitions[0];
  if (!first || first.at - base < STEP_MAX) return zone;
  const still = { at: base + STEP_MAX, type: zone.first };
  return { ...zone, transitions: [still, ...zone.transitions] };
}

/** The index of each value in a list without duplicates. */
function indexes<T>(values: readonly T[]): (value: T) => number {
  const index = new Map(values.map((value, i) => [value, i]));
  return (value) => index.get(value) ?? Number.NaN;
}

function sections(files: ReadonlyMap<string, Uint8Array>): {
  constants: Constants;
  table: Sections;
} {
  const names = [...files.keys()].sort();
  const parsed = names.map((name) => JSON.stringify(readZone(files.get(name)!)));
  const keys = [...new Set(parsed)];
  const read = keys.map((key) => JSON.parse(key) as Zone);
  const base = Math.min(...read.flatMap(({ transitions }) => transitions.map(({ at }) => at)));
  const zones = read.map((zone) => near(zone, base));
  const deltas = byFrequency(zones.flatMap((zone) => steps(zone, base)));
  const types = byFrequency(zones.flatMap((zone) => zone.types));
  const rules = byFrequency(zones.map(({ rule }) => rule));
  const areas = byFrequency(names.map((name) => name.slice(0, name.lastIndexOf('/') + 1)));
  const delta = indexes(deltas);
  const type = indexes(types);
  const packed = compress(
    zones.map((zone) => {
      const size = steps(zone, base);
      return zone.transitions.flatMap(({ type }, i) => [...short(delta(size[i]!)), type]);
    }),
  );
  const records = zones.map((zone, i) => [
    indexes(rules)(zone.rule),
    zone.first,
    zone.types.length,
    ...zone.types.flatMap((name) => short(type(name))),
    ...u16(packed.streams[i]!.length),
    ...packed.streams[i]!.flatMap(short),
  ]);
  const abbreviations = byFrequency(types.map((name) => name.split(' ')[2]!));
  const table: Sections = new Map();
  const add = (name: string, bytes: number[][]): unknown =>
    table.set(name, Uint8Array.from(bytes.flat()));
  add('AREAS', areas.map(text));
  add(
    'NAMES',
    names.map((name, i) => {
      const split = name.lastIndexOf('/') + 1;
      const zone = keys.indexOf(parsed[i]!);
      return [indexes(areas)(name.slice(0, split)), ...text(name.slice(split)), ...u16(zone)];
    }),
  );
  add(
    'ZONES',
    records.map((record) => [...u16(record.length), ...record]),
  );
  add(
    'PAIRS',
    packed.pairs.map(([a, b]) => [...u16(a), ...u16(b)]),
  );
  add('DELTAS', deltas.map(u32));
  add(
    'TYPES',
    types.map((name) => {
      const [offset, , abbreviation] = name.split(' ');
      const seconds = Number(offset) & 0xffffff;
      const index = indexes(abbreviations)(abbreviation!);
      return [seconds & 255, (seconds >> 8) & 255, seconds >> 16, index];
    }),
  );
  if (abbreviations.length > 256) throw new Error('too many abbreviations');
  add('ABBREVIATIONS', abbreviations.map(text));
  add('RULES', rules.map(text));
  const most = Math.max(...zones.map(({ transitions }) => transitions.length));
  return { constants: { base, names: names.length, transitionsMax: most }, table };
}

const { constants, table } = sections(readZip(readFileSync(path)));
writeFileSync('wasm/engine/builtins/time-zone-data.ts', source(constants, table));
for (const [name, bytes] of table) console.log(name.padEnd(16), bytes.length);
