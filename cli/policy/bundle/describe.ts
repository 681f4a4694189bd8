// What a bundle says of itself: its kind, by its roots, and whether its revision is that of its files.
import { MODULES } from '../../../runtime/bundle/build.ts';
import type { BundleFiles } from '../../../runtime/bundle/reader.ts';
import { MANIFEST, readJson, revisionOf } from '../../../runtime/bundle/revision.ts';
import type { BundleKind } from '../../../runtime/bundle/sign.ts';
import { BundleError } from '../../../runtime/errors.ts';

/** A policy bundle lists modules, a data bundle does not. */
export function bundleKindOf(files: BundleFiles): BundleKind {
  return files.has(MODULES) ? 'policy' : 'data';
}

/** The revision; throws `bundle_revision_mismatch` when the manifest names another. */
export function checkRevision(files: BundleFiles): string {
  const stated = readJson(files, MANIFEST).revision;
  const revision = revisionOf(files);
  if (stated === revision) return revision;
  throw new BundleError(
    'bundle_revision_mismatch',
    `the manifest says revision ${String(stated)}, its files are ${revision}`,
    { hint: 'a file was changed after the bundle was built: build it again' },
  );
}
