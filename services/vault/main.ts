// The vault's process: read the configuration, create, listen, stop on a signal.
import { readFile } from 'node:fs/promises';
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import { watchBundles } from '../../runtime/bundle/watch.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import { codeOf } from '../../runtime/errors.ts';
import { DatabaseIndex } from '../../runtime/evidence/database-index.ts';
import { openEvidenceLog } from '../../runtime/evidence/log.ts';
import { seedSigner } from '../../runtime/evidence/note.ts';
import { startTelemetry } from '../../runtime/telemetry/start.ts';
import { openPg } from '../common/database/pg.ts';
import { openPglite } from '../common/database/pglite.ts';
import { createHttpServer, type ListenAddress, type Route } from '../common/http/port.ts';
import { type Lifecycle, runService } from '../common/lifecycle.ts';
import { readConfig, type VaultEnvironment } from './config.ts';
import { type MasterKeys, masterKeysFromText, openMasterKeyFile } from './master-keys.ts';
import { createVault } from './vault.ts';

const graceMs = 3000;

await runService('vault', start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const config = readConfig(process.env);
  // Whoever reads the environment of this process later finds no key there.
  delete process.env.ENCRYPTION_KEY;
  delete process.env.ENCRYPTION_KEY_PREVIOUS;
  const masterKeys = await masterKeysOf(config.masterKey);
  const telemetry = startTelemetry('vault');
  lifecycle.onStop(() => telemetry.shutdown());
  const modules = loadModules();
  const bundles = await watchBundles(config.bundleDir, await readBundleKeys(config.bundleKeysFile));
  lifecycle.onStop(async () => bundles.close());
  const embedded = 'folder' in config.database;
  const database =
    'folder' in config.database
      ? await openPglite({ folder: config.database.folder })
      : openPg({ url: config.database.url });
  lifecycle.onStop(() => database.close());
  const evidence = await openEvidenceLog({
    dir: config.evidenceDir,
    checkpointsDir: config.checkpointsDir,
    signer: seedSigner(await readFile(config.evidenceSeedFile)),
    record: modules.record,
    index: new DatabaseIndex(database),
  });
  lifecycle.onStop(() => evidence.close());
  const vault = await createVault({
    decider: createLocalDecider(bundles, modules),
    evidence,
    record: modules.record,
    scope: modules.scope,
    trustDomain: config.trustDomain,
    database,
    masterKeys,
    soleWriter: embedded,
    onTrouble: (error) => process.stderr.write(`vault: ${codeOf(error)} in the background\n`),
  });
  lifecycle.onStop(() => vault.close());
  await serve(vault.routes, config.listen, lifecycle);
  if (config.controlPath !== undefined) {
    await serve(vault.controlRoutes, { path: config.controlPath }, lifecycle);
  }
  process.stdout.write('vault: listening\n');
}

function masterKeysOf(from: VaultEnvironment['masterKey']): Promise<MasterKeys> {
  if ('file' in from) return openMasterKeyFile(from.file);
  return Promise.resolve().then(() => masterKeysFromText(from.current, from.previous));
}

async function serve(
  routes: readonly Route[],
  address: ListenAddress,
  lifecycle: Lifecycle,
): Promise<void> {
  const server = createHttpServer({ routes });
  await server.listen(address);
  lifecycle.onStop(() => server.close(graceMs));
}
