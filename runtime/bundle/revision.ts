// The name of a bundle: a digest of what it holds.
import { createHash } from 'node:crypto';
import { BundleError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { digestOf } from './digest.ts';
import type { BundleFiles } from './reader.ts';

export const MANIFEST = '.manifest';
export const SIGNATURES = '.signatures.json';
const TAG = 'platform/bundle/v1';

/**
 * `sha256:<hex>` over all files but the signatures, in the order of their names, each name and
 * content as a 32-bit big-endian length and its bytes, after a tag; the manifest is taken as
 * canonical JSON with an empty revision.
 */
export function revisionOf(files: BundleFiles): string {
  const hash = createHash('sha256');
  for (const part of revisionParts(files)) hash.update(part);
  return `sha256:${hash.digest('hex')}`;
}

/** As `revisionOf`, in pieces between which the event loop turns. */
export async function readRevision(files: BundleFiles): Promise<string> {
  return `sha256:${await digestOf(revisionParts(files))}`;
}

function* revisionParts(files: BundleFiles): Generator<Uint8Array> {
  yield* framed(Buffer.from(TAG));
  for (const name of [...files.keys()].sort()) {
    if (name === SIGNATURES) continue;
    yield* framed(Buffer.from(name));
    if (name === MANIFEST) {
      yield* framed(Buffer.from(canonical({ ...readJson(files, MANIFEST), revision: '' })));
    } else {
      yield* framed(files.get(name)!);
    }
  }
}

function* framed(bytes: Uint8Array): Generator<Uint8Array> {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  yield length;
  yield bytes;
}

/** Writes the manifest with the bundle's revision into the files. */
export function setManifest(files: BundleFiles, manifest: JsonObject): string {
  files.set(MANIFEST, Buffer.from(canonical({ ...manifest, revision: '' })));
  const revision = revisionOf(files);
  files.set(MANIFEST, Buffer.from(canonical({ ...manifest, revision })));
  return revision;
}

/** A JSON object of the bundle; throws `bundle_truncated` when it is missing or not whole. */
export function readJson(files: BundleFiles, name: string): JsonObject {
  const bytes = files.get(name);
  if (bytes === undefined) {
    throw new BundleError('bundle_truncated', `the bundle has no ${name}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw new BundleError('bundle_truncated', `${name} in the bundle is not whole JSON`, { cause });
  }
  if (!isJsonObject(value)) {
    throw new BundleError('bundle_manifest_invalid', `${name} in the bundle is not an object`);
  }
  return value as JsonObject;
}

/** JSON with sorted keys and no white space (RFC 8785) for the small documents of a bundle. */
export function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key]!)}`);
  return `{${members.join(',')}}`;
}
