// Composes the whole platform in one process, as `platform up` runs it.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BundleWatcher, watchBundles } from '../../runtime/bundle/watch.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import type { PlatformError } from '../../runtime/errors.ts';
import { createEntryRegistry } from '../../runtime/identity/registry.ts';
import { defaultTrustDomain } from '../../runtime/identity/spiffe-id.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { startTelemetry } from '../../runtime/telemetry/start.ts';
import { createHttpServer, type HttpServer } from '../../services/common/http/port.ts';
import { createOperatorGate } from '../../services/common/operator.ts';
import { CallFeed } from '../../services/console/calls.ts';
import { createConsole } from '../../services/console/console.ts';
import { type CredentialSource, operatorCredentials } from '../../services/gateway/credentials.ts';
import { createGateway, defaultLimits } from '../../services/gateway/gateway.ts';
import { SessionTrace } from '../../services/gateway/provenance.ts';
import { DatabaseToolStore } from '../../services/gateway/tools-database.ts';
import { Agents } from '../../services/identity/agents.ts';
import { identityRoutes } from '../../services/identity/routes.ts';
import type { StateFolder } from '../state-folder.ts';
import { Cleanup } from './cleanup.ts';
import { dataOf, operatorData } from './data.ts';
import { openMachineEvidence } from './evidence.ts';
import { followFolders } from './follow-policies.ts';
import { platformKeys } from './keys.ts';
import { onlyTheOperator, onlyThisProcess } from './only-this-process.ts';
import { prepareState } from './prepare-state.ts';
import { Proxies } from './proxies.ts';
import { Publisher } from './publisher.ts';
import { statusOf } from './status.ts';

export interface PlatformOptions {
  state: StateFolder;
  /** Operators' folders of policies, beside the platform's own. */
  policies?: readonly string[];
  trustDomain?: string;
  /** Of the local page and health, on 127.0.0.1; 0 takes a free one. */
  port: number;
  /** Values of credentials; by default `credentials.json` in the state folder, and the environment. */
  credentials?: CredentialSource;
  onPolicyError?(error: PlatformError): void;
  /** Another policy bundle decides from now on. */
  onPolicyChange?(revision: string): void;
  /** Trouble that the platform lives with, such as a database that is away. */
  onTrouble?(error: unknown): void;
}

export interface RunningPlatform {
  /** The local page, with its token in the fragment. */
  pageUrl: string;
  healthUrl: string;
  status(): Promise<JsonObject>;
  /** Ends everything in order; calls that run get a moment to end. */
  stop(): Promise<void>;
}

export const ownPolicies = fileURLToPath(new URL('../../policies', import.meta.url));
const graceMs = 2000;
const sweepMs = 1000;

/**
 * Starts the platform. Rejects with a PlatformError that says what to do (`state_locked`,
 * `state_unwritable`, `address_in_use`, `policy_invalid`, …), and then nothing is left running.
 */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const cleanup = new Cleanup();
  try {
    return await start(options, cleanup);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function start(options: PlatformOptions, cleanup: Cleanup): Promise<RunningPlatform> {
  const { state } = options;
  const trustDomain = options.trustDomain ?? defaultTrustDomain;
  const onTrouble = (error: unknown): void => {
    // Parts that end one after the other miss each other; that is no trouble.
    if (!cleanup.isRunning) options.onTrouble?.(error);
  };
  cleanup.add(await prepareState(state));
  const keys = await platformKeys(state.keys);
  const telemetry = startTelemetry('platform');
  cleanup.add(() => telemetry.shutdown());

  const modules = loadModules();
  const feed = new CallFeed();
  const evidence = await openMachineEvidence(state, keys, modules.record, feed, onTrouble);
  cleanup.add(() => evidence.close());

  const folders = [ownPolicies, ...(options.policies ?? [])];
  const publisher = new Publisher({
    folder: state.bundles,
    policyFolders: folders,
    keys: keys.bundle,
    objects: () => evidence.log.objects,
  });
  let operator = await operatorData(folders);
  await publisher.policy();
  await publisher.data(dataOf(trustDomain, operator, []));
  await publisher.keep();
  const bundles = await watchBundles(state.bundles, keys.bundle.publicKeys, {
    onError: options.onPolicyError,
  });
  cleanup.add(async () => bundles.close());
  let inForceNow = bundles.current().policy.revision;
  bundles.onSwap(({ policy }) => {
    if (policy.revision !== inForceNow) options.onPolicyChange?.(policy.revision);
    inForceNow = policy.revision;
  });

  const decider = createLocalDecider(bundles, modules);
  const gate = createOperatorGate({ decider, evidence: evidence.observed, trustDomain });
  const gateway = await createGateway({
    decider,
    evidence: evidence.observed,
    record: modules.record,
    schemas: modules.arguments,
    trustDomain,
    tools: new DatabaseToolStore(evidence.database),
    newTrace: (prompt) => new SessionTrace(prompt),
    approvalKey: keys.approvals,
    credentials:
      options.credentials ?? operatorCredentials(join(state.root, 'credentials.json'), process.env),
  });
  cleanup.add(() => gateway.close());
  const gatewaySocket = join(state.run, 'gateway.sock');
  const gatewayServer = createHttpServer({
    routes: gateway.routes,
    adapter: 'node',
    onConnection: onlyThisProcess,
  });
  await listen(gatewayServer, { path: gatewaySocket }, cleanup);

  const registry = createEntryRegistry();
  const { registrationBytes } = defaultLimits;
  const proxies = new Proxies({
    ...{ folder: state.run, gatewaySocket, registry, registrationBytes },
    evidence: evidence.observed,
  });
  cleanup.add(() => proxies.closeAll());
  const agents = new Agents({
    registry,
    trustDomain,
    applyGrants: (running) => inForce(publisher, bundles, dataOf(trustDomain, operator, running)),
    openProxy: (entry) => proxies.open(entry),
    closeProxy: (entry) => proxies.close(entry),
  });
  const sweep = setInterval(() => void agents.sweep().catch(onTrouble), sweepMs);
  cleanup.add(async () => clearInterval(sweep));

  let policyError: PlatformError | undefined;
  cleanup.add(
    followFolders(folders, async () => {
      try {
        await publisher.policy();
        operator = await operatorData(folders);
        await agents.refresh();
        await bundles.refresh();
        policyError = undefined;
      } catch (error) {
        policyError = error as PlatformError;
        options.onPolicyError?.(policyError);
      }
    }),
  );

  const startedAt = new Date().toISOString();
  const urls = { page: '', health: '' };
  const approvals = gateway.controlRoutes.filter(({ path }) =>
    path.startsWith('/api/v1/approvals'),
  );
  const status = async (): Promise<JsonObject> =>
    statusOf({
      ...{ state, startedAt, trustDomain, urls, policies: folders },
      ...{ bundles, agents, feed, evidence: evidence.log },
      policyError: policyError ?? bundles.lastError(),
    });
  const console = createConsole({
    gate,
    calls: feed,
    status,
    telemetry: async () =>
      ({ spans: telemetry.spans(), metrics: await telemetry.metrics() }) as unknown as JsonObject,
  });
  const control = createHttpServer({
    routes: [
      ...gateway.controlRoutes,
      ...identityRoutes({ agents, gate, record: modules.record }),
      ...console.routes,
    ],
    adapter: 'node',
    onConnection: onlyTheOperator(registry, trustDomain),
  });
  let hosts: string[] = [];
  const page = createHttpServer({
    routes: [
      ...console.pageRoutes({ token: keys.pageToken, hosts: () => hosts }, approvals),
      ...gateway.routes.filter(({ path }) => path === '/health'),
    ],
    adapter: 'node',
  });
  await listen(page, { host: '127.0.0.1', port: options.port }, cleanup);
  const address = page.address();
  const port = 'port' in address ? address.port : options.port;
  hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  urls.page = `http://127.0.0.1:${port}/#${keys.pageToken}`;
  urls.health = `http://127.0.0.1:${port}/health`;
  await listen(control, { path: state.controlSocket }, cleanup);
  cleanup.addLast(() => rm(state.run, { recursive: true, force: true }));

  return {
    pageUrl: urls.page,
    healthUrl: urls.health,
    status,
    stop: () => cleanup.run(),
  };
}

async function listen(
  server: HttpServer,
  address: { path: string } | { host: string; port: number },
  cleanup: Cleanup,
): Promise<void> {
  await server.listen(address);
  cleanup.add(() => server.close(graceMs));
}

/** Publishes data and resolves when decisions are made under it. */
async function inForce(
  publisher: Publisher,
  bundles: BundleWatcher,
  data: JsonObject,
): Promise<void> {
  const revision = await publisher.data(data);
  await bundles.refresh();
  if (bundles.current().data.revision === revision) return;
  throw bundles.lastError() ?? new Error(`the data bundle ${revision} did not come into force`);
}
