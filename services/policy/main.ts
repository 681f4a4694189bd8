// The policy service's process: read the configuration, create, poll, listen, stop on a signal.
import { readFile } from 'node:fs/promises';
import { readBundleKeys } from '../../runtime/bundle/keys.ts';
import { codeOf } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { createHttpServer } from '../common/http/port.ts';
import { type Lifecycle, runService } from '../common/lifecycle.ts';
import { readConfig } from './config.ts';
import { createCheck } from './ext-authz.ts';
import { startExtAuthz } from './ext-authz-server.ts';
import { extAuthzRoutes } from './ext-authz-wire.ts';
import { sinkOf } from './log-sinks.ts';
import { startPolling } from './poll.ts';
import { createPolicyService } from './service.ts';
import { readToken } from './token.ts';

const graceMs = 3000;
const capabilitiesFile = new URL('../../policies/capabilities.json', import.meta.url);

await runService('policy', start);

async function start(lifecycle: Lifecycle): Promise<void> {
  const config = readConfig(process.env);
  const { dataUrl, decisionLogs, intervalMs, tokenFile } = config;
  const keys = await readBundleKeys(config.bundleKeysFile);
  const onTrouble = (error: unknown) =>
    void process.stderr.write(`policy: ${codeOf(error)} in the background\n`);
  const service = createPolicyService({
    bundles: dataUrl === undefined ? ['policy'] : ['policy', 'data'],
    capabilities: JSON.parse(await readFile(capabilitiesFile, 'utf8')) as JsonObject,
    defaultDecision: config.defaultDecision,
    token: tokenFile === undefined ? undefined : await readToken(tokenFile),
    decisionLogs: decisionLogs === undefined ? undefined : sinkOf(decisionLogs),
    onTrouble,
  });
  lifecycle.onStop(() => service.close());
  const { engine, bundles: board } = service;
  for (const [kind, url] of [['data', dataUrl] as const, ['policy', config.policyUrl] as const]) {
    if (url === undefined) continue;
    const polling = startPolling({ kind, url, keys, intervalMs, engine, board, onTrouble });
    lifecycle.onStop(() => polling.close());
  }
  const server = createHttpServer({ routes: service.routes });
  await server.listen(config.listen);
  lifecycle.onStop(() => server.close(graceMs));
  if (config.extAuthz !== undefined) {
    const { trustDomain } = config;
    const check = createCheck({ engine, modules: service.modules, trustDomain });
    const authorization = await startExtAuthz({
      ...config.extAuthz,
      routes: extAuthzRoutes(check),
    });
    lifecycle.onStop(() => authorization.close());
  }
  process.stdout.write('policy: listening\n');
}
