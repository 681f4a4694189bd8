// `.platform-guard.yaml`: findings that were looked at and stay, by a hash of the value with its path.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { parse, stringify } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../runtime/json.ts';
import { UsageError } from '../options.ts';

export const ALLOWED_FILE = '.platform-guard.yaml';
/** In a line, it lets every finding of that line stay. */
export const ALLOW_COMMENT = 'platform-guard:allow';

const FINGERPRINT = /^sha256:[0-9a-f]{64}$/;

/** One finding that stays. */
export type AllowedEntry = { fingerprint: string; path: string; kind: string; because?: string };

export interface Allowed {
  /** Files that are not scanned, as globs. */
  paths: readonly string[];
  fingerprints: ReadonlySet<string>;
}

/** Names a value at a path without holding it: the same value in another file has another name. */
export function fingerprintOf(path: string, kind: string, value: string): string {
  const hash = createHash('sha256');
  for (const part of ['platform-guard/v1', path, kind, value]) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(part));
    hash.update(length).update(part);
  }
  return `sha256:${hash.digest('hex')}`;
}

/** Reads the file; nothing is allowed where there is none. Throws a UsageError for what it cannot mean. */
export function readAllowed(file: string): Allowed {
  const { paths, entries } = parseAllowed(file);
  return { paths, fingerprints: new Set(entries.map(({ fingerprint }) => fingerprint)) };
}

/** Writes these findings as the ones that stay, after those that are there, and keeps the paths. */
export function writeAllowed(file: string, found: readonly AllowedEntry[]): number {
  const { paths, entries } = parseAllowed(file);
  const known = new Set(entries.map(({ fingerprint }) => fingerprint));
  const added = found.filter(
    ({ fingerprint }) => !known.has(fingerprint) && known.add(fingerprint),
  );
  const content = { ...(paths.length === 0 ? {} : { paths }), allow: [...entries, ...added] };
  const head = '# Findings of `platform guard scan` that stay. Say why in `because`.\n';
  writeFileSync(file, head + stringify(content));
  return added.length;
}

/** Whether one of the globs names the path. */
export function isLeftOut(paths: readonly string[], path: string): boolean {
  return paths.some((glob) => matchesGlob(path, glob));
}

function parseAllowed(file: string): { paths: string[]; entries: AllowedEntry[] } {
  if (!existsSync(file)) return { paths: [], entries: [] };
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8')) ?? {};
  } catch (cause) {
    throw wrong(file, cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : 'no YAML');
  }
  if (!isJsonObject(content)) throw wrong(file, 'it is no mapping');
  const other = Object.keys(content).find((name) => name !== 'paths' && name !== 'allow');
  if (other !== undefined) throw wrong(file, `there is no "${other}"`);
  const { paths = [], allow = [] } = content as JsonObject;
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string')) {
    throw wrong(file, '"paths" is no list of globs');
  }
  if (!Array.isArray(allow) || !allow.every(isEntry)) {
    throw wrong(file, '"allow" is no list of {fingerprint, path, kind, because}');
  }
  return { paths: paths as string[], entries: allow as AllowedEntry[] };
}

function isEntry(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  return typeof value.fingerprint === 'string' && FINGERPRINT.test(value.fingerprint);
}

function wrong(file: string, what: string): UsageError {
  return new UsageError(`${file}: ${what}`);
}
