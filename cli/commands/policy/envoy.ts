// `platform policy envoy`: what an Envoy discovers of the mesh filter, written once or kept current.
import { join } from 'node:path';
import pc from 'picocolors';
import { readBundleKeys } from '../../../runtime/bundle/keys.ts';
import { type BundleWatcher, watchBundles } from '../../../runtime/bundle/watch.ts';
import { codeOf, PlatformError } from '../../../runtime/errors.ts';
import { defaultTrustDomain } from '../../../runtime/identity/spiffe-id.ts';
import { discoveredMeshFilter } from '../../../runtime/proxywasm/envoy/filters.ts';
import {
  DISCOVERY_FILE,
  followBundles,
  type PublishConfig,
  type Published,
} from '../../../runtime/proxywasm/envoy/publish.ts';
import type { Command } from '../../command.ts';
import { parseOptions, UsageError } from '../../options.ts';
import { reportPolicyError } from './findings.ts';
import { print, printJson } from './sources.ts';

const help = `Usage
  platform policy envoy --bundles DIR --key FILE --service NAME --out DIR [--watch]

Writes the mesh filter of a pair of bundles for an Envoy: filter-DIGEST.wasm, and mesh.json, the
extension configuration that names it. Envoy follows mesh.json (ECDS over a file), so that new
bundles replace the filter while it serves, with no failed request. Prints the HTTP filter that
belongs into Envoy's configuration.

Options
  --bundles DIR      folder that holds policy and data, such as bundles in the state folder
  --key FILE         public key that they must be signed with
  --service NAME     the service behind the proxy, as the data bundle names it
  --out DIR          a folder of its own, by the path that Envoy reads it under
  --trust-domain TD  whose peers may connect (default ${defaultTrustDomain})
  --watch            go on, and write each new pair of bundles within seconds
  --json             print {discovery, filter, policy_revision, data_revision, http_filter}, with
                     --watch again for each new pair

Exit codes
  0 written, or stopped by a signal; 1 the bundles cannot be used; 2 wrong command line

Examples
  platform policy envoy --bundles bundles --key bundle-key.json.pub --service vault --out /etc/envoy/mesh
  platform policy envoy --bundles bundles --key key.pub --service gateway --out mesh --watch --json`;

/** Writes the filter for Envoy. */
export const envoyVerb: Command = {
  name: 'envoy',
  summary: 'write the mesh filter for an Envoy, and keep it current',
  help,
  async run(argv) {
    const { values } = parseOptions(
      argv,
      {
        json: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
        bundles: { type: 'string' },
        key: { type: 'string' },
        service: { type: 'string' },
        out: { type: 'string' },
        'trust-domain': { type: 'string', default: defaultTrustDomain },
      },
      0,
    );
    const { bundles, key, service, out, 'trust-domain': trustDomain } = values;
    for (const [name, value] of Object.entries({ bundles, key, service, out })) {
      if (!value) throw new UsageError(`--${name} is needed`);
    }
    const config = { folder: out!, service: service!, trustDomain: trustDomain! };
    const json = values.json === true;
    let watcher: BundleWatcher | undefined;
    try {
      watcher = await watchBundles(bundles!, await readBundleKeys(key!), { onError: tell });
      const on = { published: reporter(config, json), error: tell };
      const unfollow = await followBundles(watcher, config, on);
      if (values.watch === true) await signalled();
      await unfollow();
      return 0;
    } catch (error) {
      return reportPolicyError(error, json);
    } finally {
      watcher?.close();
    }
  },
};

/** Tells of each pair that was written, and once how Envoy finds it. */
function reporter({ folder }: PublishConfig, json: boolean): (written: Published) => void {
  let isFirst = true;
  return ({ discovery, filter, policyRevision, dataRevision }) => {
    const httpFilter = discoveredMeshFilter(discovery);
    if (json) {
      const revisions = { policy_revision: policyRevision, data_revision: dataRevision };
      printJson({ discovery, filter, ...revisions, http_filter: httpFilter });
      return;
    }
    print(`${pc.green('written')} ${join(folder, DISCOVERY_FILE)}`);
    print(`  policy ${policyRevision}\n  data   ${dataRevision}`);
    if (isFirst) print(`\nThe HTTP filter for Envoy:\n${JSON.stringify(httpFilter, null, 2)}`);
    isFirst = false;
  };
}

/** What follows the bundles does not keep the process alive by itself. */
function signalled(): Promise<void> {
  const alive = setInterval(() => {}, 1 << 30);
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(alive);
      resolve();
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, end);
  });
}

/** Something went wrong while watching; Envoy keeps what it has. */
function tell(error: unknown): void {
  const message = error instanceof PlatformError ? error.message : 'the filter cannot be written';
  process.stderr.write(`${pc.yellow('warning')} ${codeOf(error)}: ${message}\n`);
}
