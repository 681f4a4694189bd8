// Finds the objects that an export takes along: all of a log, or those that some decisions need.
import { join } from 'node:path';
import { MODULES } from '../../bundle/build.ts';
import { isJsonObject } from '../../json.ts';
import type { EvidenceReader } from '../files.ts';
import { digestOf, ObjectReader } from '../objects.ts';

type Entry = [path: string, bytes: Uint8Array];

/** Every object and every bundle's listing of a log, in the order of their names. */
export async function* everyObject(
  reader: EvidenceReader,
  evidence: string,
): AsyncGenerator<Entry> {
  for (const name of (await reader.list(join(evidence, 'bundles'))).sort()) {
    if (/^[0-9a-f]{64}\.json$/.test(name)) yield* entryOf(reader, evidence, `bundles/${name}`);
  }
  for (const folder of (await reader.list(join(evidence, 'objects'))).sort()) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of (await reader.list(join(evidence, 'objects', folder))).sort()) {
      if (!/^[0-9a-f]{62}$/.test(name)) continue;
      yield* entryOf(reader, evidence, `objects/${folder}/${name}`);
    }
  }
}

/** The bundles of these revisions, the modules that they name, and these schemas; what is not kept is passed over. */
export async function* bundleObjects(
  reader: EvidenceReader,
  evidence: string,
  revisions: Iterable<string>,
  schemas: Iterable<string>,
): AsyncGenerator<Entry> {
  const objects = new ObjectReader(reader, evidence);
  const digests = new Set(schemas);
  for (const revision of [...revisions].filter(isDigest).sort()) {
    const files = await objects.getBundle(revision);
    if (files === undefined) continue;
    yield* entryOf(reader, evidence, `bundles/${hexOf(revision)}.json`);
    for (const bytes of files.values()) digests.add(digestOf(bytes));
    for (const digest of modulesOf(files.get(MODULES))) digests.add(digest);
  }
  for (const digest of [...digests].filter(isDigest).sort()) {
    const name = hexOf(digest);
    yield* entryOf(reader, evidence, `objects/${name.slice(0, 2)}/${name.slice(2)}`);
  }
}

async function* entryOf(
  reader: EvidenceReader,
  evidence: string,
  path: string,
): AsyncGenerator<Entry> {
  const bytes = await reader.read(join(evidence, path));
  if (bytes !== undefined) yield [`evidence/${path}`, bytes];
}

/** The digests of the modules that a policy bundle lists. */
function modulesOf(listed: Uint8Array | undefined): string[] {
  if (listed === undefined) return [];
  try {
    const { modules } = JSON.parse(Buffer.from(listed).toString('utf8')) as { modules?: unknown };
    if (!isJsonObject(modules)) return [];
    return Object.values(modules).flatMap((each) =>
      isJsonObject(each) && typeof each.core === 'string' ? [each.core] : [],
    );
  } catch {
    return [];
  }
}

// What a row or a bundle calls a digest becomes a file's name here.
function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

function hexOf(digest: string): string {
  return digest.slice('sha256:'.length);
}
