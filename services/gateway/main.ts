// The gateway's process: read the configuration, create, listen, stop on a signal.
import { readFile } from 'node:fs/promises';
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import { watchBundles } from '../../runtime/bundle/watch.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import { DatabaseIndex } from '../../runtime/evidence/database-index.ts';
import { openEvidenceLog } from '../../runtime/evidence/log.ts';
import { seedSigner } from '../../runtime/evidence/note.ts';
import { startTelemetry } from '../../runtime/telemetry/start.ts';
import { openPg } from '../common/database/pg.ts';
import { createHttpServer, type Route } from '../common/http/port.ts';
import { redisKeyValue } from '../common/keyvalue/redis.ts';
import { type Lifecycle, runService } from '../common/lifecycle.ts';
import { readConfig } from './config.ts';
import { firstCredential, operatorCredentials } from './credentials.ts';
import { vaultCredentials, vaultOverSocket } from './credentials-vault.ts';
import { createGateway, type GatewayConfig } from './gateway.ts';
import { DatabaseSpending } from './spending-database.ts';
import { DatabaseToolStore } from './tools-database.ts';

const graceMs = 3000;

await runService('gateway', start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const config = readConfig(process.env);
  const telemetry = startTelemetry('gateway');
  lifecycle.onStop(() => telemetry.shutdown());
  const modules = loadModules();
  const bundles = await watchBundles(config.bundleDir, await readBundleKeys(config.bundleKeysFile));
  lifecycle.onStop(async () => bundles.close());
  const database =
    config.databaseUrl === undefined ? undefined : openPg({ url: config.databaseUrl });
  if (database !== undefined) lifecycle.onStop(() => database.close());
  const evidence = await openEvidenceLog({
    dir: config.evidenceDir,
    checkpointsDir: config.checkpointsDir,
    signer: seedSigner(await readFile(config.evidenceSeedFile)),
    record: modules.record,
    ...(database === undefined ? {} : { index: new DatabaseIndex(database) }),
  });
  lifecycle.onStop(() => evidence.close());
  const adapters: Partial<GatewayConfig> = {};
  if (database !== undefined) {
    adapters.tools = new DatabaseToolStore(database);
    adapters.spending = new DatabaseSpending(database);
  }
  if (config.keyValueUrl !== undefined) {
    const keyValue = redisKeyValue(config.keyValueUrl);
    lifecycle.onStop(() => keyValue.close());
    adapters.keyValue = keyValue;
  }
  const credentials = [operatorCredentials(config.credentialsFile, process.env)];
  if (config.vaultPath !== undefined) {
    const vault = vaultOverSocket(config.vaultPath);
    lifecycle.onStop(() => vault.close());
    credentials.push(vaultCredentials(vault));
  }
  const gateway = await createGateway({
    decider: createLocalDecider(bundles, modules),
    evidence,
    record: modules.record,
    schemas: modules.arguments,
    trustDomain: config.trustDomain,
    credentials: firstCredential(credentials),
    limits: { toolTimeoutMs: config.toolTimeoutMs },
    ...adapters,
  });
  lifecycle.onStop(() => gateway.close());
  await serve(gateway.routes, config.listenPath, lifecycle);
  if (config.controlPath !== undefined) {
    await serve(gateway.controlRoutes, config.controlPath, lifecycle);
  }
  process.stdout.write(`gateway: listening on unix:${config.listenPath}\n`);
}

async function serve(routes: readonly Route[], path: string, lifecycle: Lifecycle): Promise<void> {
  const server = createHttpServer({ routes });
  await server.listen({ path });
  lifecycle.onStop(() => server.close(graceMs));
}
