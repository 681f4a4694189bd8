// Composes the whole platform in one process, as `platform up` runs it.
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { codeOf, PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { createHttpServer } from '../../services/common/http/port.ts';
import { type Console, createConsole } from '../../services/console/console.ts';
import { playgroundAssets } from '../../services/console/playground/assets.ts';
import { playgroundRoutes } from '../../services/console/playground/routes.ts';
import { authorityRoutes } from '../../services/identity/authority-routes.ts';
import { identityRoutes } from '../../services/identity/routes.ts';
import type { TcpAddress } from '../../services/proxy/listen.ts';
import type { StateFolder } from '../state-folder.ts';
import { Cleanup } from './cleanup.ts';
import { createExplainer } from './explain.ts';
import { type Foundation, layFoundation } from './foundation.ts';
import { services } from './identity.ts';
import { listenUntilEnd, type Machine, startMachine } from './machine.ts';
import { onlyTheOperator } from './only-this-process.ts';
import { createPlaygroundSource } from './playground.ts';
import { statusOf } from './status.ts';

export interface PlatformOptions {
  state: StateFolder;
  /** Operators' folders of policies, beside the platform's own. */
  policies?: readonly string[];
  /** Whether a change that lets through what was held before has to be accepted by name. */
  guarded?: boolean;
  trustDomain?: string;
  /** Of the local page and health, on 127.0.0.1; 0 takes a free one. */
  port: number;
  /** The URL at which relying parties find the keys of JWT-SVIDs; by default the local port's. */
  oidcIssuer?: string;
  /** How long an X.509-SVID is good for; an hour where left out. */
  svidTtlMs?: number;
  onPolicyError?(error: PlatformError): void;
  /** Another policy bundle decides from now on. */
  onPolicyChange?(revision: string): void;
  /** A guarded change comes into force, and the comparison was cut short. */
  onPartialGuard?(what: string): void;
  /** Trouble that the platform lives with, such as a database that is away. */
  onTrouble?(error: unknown): void;
}

export interface RunningPlatform {
  /** The local page, with its token in the fragment. */
  pageUrl: string;
  healthUrl: string;
  /** Where the inbound proxy listens, `host:port`. */
  meshAddress: string;
  /** What is behind it. */
  services: readonly string[];
  status(): Promise<JsonObject>;
  /** Ends everything in order; calls that run get a moment to end. */
  stop(): Promise<void>;
}

interface Urls {
  page: string;
  health: string;
  oidc: string;
}

/**
 * Starts the platform. Rejects with a PlatformError that says what to do (`state_locked`,
 * `state_unwritable`, `address_in_use`, `policy_invalid`, …), and then nothing is left running.
 */
export async function startPlatform(options: PlatformOptions): Promise<RunningPlatform> {
  const cleanup = new Cleanup();
  try {
    const foundation = await layFoundation(options, cleanup);
    const machine = await startMachine(foundation, options, cleanup);
    const urls: Urls = { page: '', health: '', oidc: '' };
    const status = statusReader(foundation, machine, urls);
    const console = createConsole({
      gate: foundation.gate,
      calls: foundation.feed,
      status,
      telemetry: () => telemetryOf(foundation),
      explain: createExplainer(foundation.state),
    });
    await openPage(foundation, machine, console, urls, options, cleanup);
    await openControl(foundation, machine, console, cleanup);
    const { run } = foundation.state;
    cleanup.addLast(() => rm(run, { recursive: true, force: true }));
    const { host, port } = machine.mesh.inbound.address() as TcpAddress;
    const meshAddress = `${host}:${port}`;
    const { page: pageUrl, health: healthUrl } = urls;
    return { pageUrl, healthUrl, meshAddress, services, status, stop: () => cleanup.run() };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

/** The operator's socket: everything that the command line asks for. */
async function openControl(
  { gate, modules, state, trustDomain }: Foundation,
  { gateway, vault, agents, identity, registry }: Machine,
  console: Console,
  cleanup: Cleanup,
): Promise<void> {
  const control = createHttpServer({
    routes: [
      ...gateway.controlRoutes,
      ...vault.controlRoutes,
      ...identityRoutes({ agents, gate, record: modules.record }),
      ...authorityRoutes({ ...identity, gate, record: modules.record }),
      ...console.routes,
    ],
    adapter: 'node',
    onConnection: onlyTheOperator(registry, trustDomain),
  });
  await listenUntilEnd(control, { path: state.controlSocket }, cleanup);
}

/** The local page, health, and the public keys of JWT-SVIDs, on this machine alone. */
async function openPage(
  { keys, bundles, evidence, folders, gate }: Foundation,
  { gateway, identity }: Machine,
  console: Console,
  urls: Urls,
  options: PlatformOptions,
  cleanup: Cleanup,
): Promise<void> {
  // Tokens name their issuer, so its port has to be known before anybody listens.
  const wantedPort = options.port === 0 ? await freePort() : options.port;
  const issuer = options.oidcIssuer ?? `http://127.0.0.1:${wantedPort}`;
  const isApproval = ({ path }: { path: string }) => path.startsWith('/api/v1/approvals');
  const approvals = gateway.controlRoutes.filter(isApproval);
  const source = createPlaygroundSource({ bundles, log: evidence.log, keys, folders });
  const others = [...approvals, ...playgroundAssets(), ...playgroundRoutes(gate, source)];
  let hosts: string[] = [];
  const page = createHttpServer({
    routes: [
      ...console.pageRoutes({ token: keys.pageToken, hosts: () => hosts }, others),
      ...gateway.routes.filter(({ path }) => path === '/health'),
      ...identity.authority.oidcRoutes({ issuer }),
    ],
    adapter: 'node',
  });
  const address = { host: '127.0.0.1', port: wantedPort };
  await listenUntilEnd(page, address, cleanup).catch(withPortHint);
  hosts = [`127.0.0.1:${wantedPort}`, `localhost:${wantedPort}`];
  urls.page = `http://127.0.0.1:${wantedPort}/#${keys.pageToken}`;
  urls.health = `http://127.0.0.1:${wantedPort}/health`;
  urls.oidc = `${issuer}/.well-known/openid-configuration`;
}

/** A port of this machine that nobody listens on. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function statusReader(
  { state, trustDomain, folders, bundles, feed, evidence, guard }: Foundation,
  { agents, identity, mesh, policyError }: Machine,
  urls: Urls,
): () => Promise<JsonObject> {
  const startedAt = new Date().toISOString();
  return () =>
    statusOf({
      ...{ state, startedAt, trustDomain, urls, policies: folders, identity, mesh },
      ...{ bundles, agents, feed, evidence: evidence.log },
      policyError: policyError() ?? bundles.lastError(),
      partialGuard: guard?.partial(),
    });
}

async function telemetryOf({ telemetry }: Foundation): Promise<JsonObject> {
  const kept = { spans: telemetry.spans(), metrics: await telemetry.metrics() };
  return kept as unknown as JsonObject;
}

function withPortHint(error: unknown): never {
  if (codeOf(error) !== 'address_in_use') throw error;
  throw new PlatformError('address_in_use', (error as Error).message, {
    cause: error,
    hint: 'stop what listens there, or choose another port with --port (0 takes a free one)',
  });
}
