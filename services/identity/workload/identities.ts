// The X.509-SVIDs of a workload's entries, and texts that tell one state of them from the next.
import { createHash } from 'node:crypto';
import type { X509Svid } from '../../../runtime/identity/workload/x509.ts';
import type { Entry } from '../entries/entry.ts';
import type { SvidCache } from './svid-cache.ts';
import { unavailable } from './workloads.ts';

export interface Identities {
  /** In the order of their entries; the first is the default. */
  svids: readonly X509Svid[];
  version: string;
}

const versions = new WeakMap<object, string>();

/** Issues what is not at hand. Throws UNAVAILABLE when that fails. */
export async function identitiesOf(
  cache: SvidCache,
  entries: readonly Entry[],
): Promise<Identities> {
  try {
    const svids = await Promise.all(entries.map((entry) => cache.x509(entry)));
    return { svids, version: svids.map(svidVersion).join(' ') };
  } catch (error) {
    throw unavailable(error);
  }
}

/** Differs for SVIDs that differ. */
export function svidVersion(svid: X509Svid): string {
  let version = versions.get(svid);
  if (version === undefined) {
    version = digest(svid.certificates);
    versions.set(svid, version);
  }
  return version;
}

/** Differs when the CA certificates do. */
export function bundleVersion(bundle: readonly Uint8Array[]): string {
  return digest(bundle);
}

/** CA certificates one after the other, as the Workload API has them. */
export function bundleDer(bundle: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(bundle);
}

function digest(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, 22);
}
