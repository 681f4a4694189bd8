// The guard's process: read the configuration, create, listen, stop on a signal.
import { readFile } from 'node:fs/promises';
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import { watchBundles } from '../../runtime/bundle/watch.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import { openEvidenceLog } from '../../runtime/evidence/log.ts';
import { seedSigner } from '../../runtime/evidence/note.ts';
import { startTelemetry } from '../../runtime/telemetry/start.ts';
import { createHttpServer } from '../common/http/port.ts';
import { type Lifecycle, runService } from '../common/lifecycle.ts';
import { type ModelPlace, readConfig } from './config.ts';
import { createGuard } from './guard.ts';
import type { InjectionModel } from './model.ts';
import { httpModel } from './model-http.ts';
import { onnxModel } from './model-onnx.ts';

const graceMs = 3000;

await runService('guard', start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const config = readConfig(process.env);
  // Whoever reads the environment of this process later finds no token there.
  delete process.env.AUTH_TOKEN;
  const injectionModel = await modelAt(config.injectionModel);
  const telemetry = startTelemetry('guard');
  lifecycle.onStop(() => telemetry.shutdown());
  const modules = loadModules();
  const bundles = await watchBundles(config.bundleDir, await readBundleKeys(config.bundleKeysFile));
  lifecycle.onStop(async () => bundles.close());
  const evidence = await openEvidenceLog({
    dir: config.evidenceDir,
    checkpointsDir: config.checkpointsDir,
    signer: seedSigner(await readFile(config.evidenceSeedFile)),
    record: modules.record,
  });
  lifecycle.onStop(() => evidence.close());
  const { routes } = createGuard({
    ...{ evidence, record: modules.record, injectionModel },
    decider: createLocalDecider(bundles, modules),
    trustDomain: config.trustDomain,
    settings: config.settings,
    authToken: config.authToken,
  });
  const server = createHttpServer({ routes });
  await server.listen(config.listen);
  lifecycle.onStop(() => server.close(graceMs));
  process.stdout.write('guard: listening\n');
}

async function modelAt(place: ModelPlace | undefined): Promise<InjectionModel | undefined> {
  if (place === undefined) return undefined;
  return 'url' in place ? httpModel(place.url) : onnxModel(place.file);
}
