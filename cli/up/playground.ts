// What the playground of the local page reads: the bundles of this machine and the last rows of its evidence.
import { readFile } from 'node:fs/promises';
import { readPolicies } from '../../runtime/bundle/compile.ts';
import type { BundleWatcher } from '../../runtime/bundle/watch.ts';
import { EvidenceError } from '../../runtime/errors.ts';
import type { SegmentLog } from '../../runtime/evidence/log.ts';
import { decodeRow } from '../../runtime/evidence/row.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import type { PlaygroundSource } from '../../services/console/playground/routes.ts';
import type { PlatformKeys } from './keys.ts';
import { Newest } from './newest.ts';

/** Of rows, the newest, in which decisions of a boundary are looked for, and of decisions given. */
const rowsMax = 20_000;
const decisionsMax = 1000;
/** Of the rows that they stand in: one input may have a megabyte. */
const bytesMax = 32 << 20;
/** Of the compiler once it is unpacked: what the page shows while it loads. */
const compilerBytes = 41_000_000;
const compilerDigest = new URL('../../wasm/rego/compiler.wasm.sha256', import.meta.url);

interface Parts {
  bundles: BundleWatcher;
  log: SegmentLog;
  keys: PlatformKeys;
  /** The platform's own policies first, whose schemas and capabilities hold for all. */
  folders: readonly string[];
}

/** Reads for the playground; everything of it is for the operator alone. */
export function createPlaygroundSource({ bundles, log, keys, folders }: Parts): PlaygroundSource {
  return {
    async overview() {
      const { policy, data } = bundles.current();
      const { schemas, capabilities } = await readPolicies(folders.slice(0, 1));
      const digest = (await readFile(compilerDigest, 'utf8')).trim().slice(0, 64);
      return {
        ...{ policy_revision: policy.revision, data_revision: data.revision, capabilities },
        keys: keys.bundle.publicKeys as unknown as JsonValue,
        schemas: schemas ?? {},
        compiler: { digest, bytes: compilerBytes },
      };
    },
    bundle: (revision) => log.objects.getBundle(revision),
    object: (digest) => log.objects.get(digest),
    async decision(id) {
      const wanted = Buffer.from(`"id":"${id}"`);
      for await (const { bytes } of log.rows()) {
        if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(wanted)) continue;
        const found = decodeRow(bytes).decisions.find((each) => each.id === id);
        if (found !== undefined) return { decision: found as unknown as JsonObject };
      }
      throw new EvidenceError('object_missing', 'no row of the evidence has this decision');
    },
    async decisions(boundary) {
      const from = Math.max(0, log.status().size - rowsMax);
      const newest = new Newest<JsonObject>(decisionsMax, bytesMax);
      for await (const { bytes } of log.rows(from)) {
        const { time, spiffe_id, decisions } = decodeRow(bytes);
        for (const decision of decisions) {
          if (decision.boundary !== boundary || decision.module !== 'authorization') continue;
          const found = { time, spiffe_id, decision: decision as unknown as JsonObject };
          newest.add(found, bytes.length);
        }
      }
      return { decisions: newest.items(), more: from > 0 || newest.isCut };
    },
  };
}
