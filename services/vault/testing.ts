// A whole vault for tests: real modules and policies, a real database, evidence in memory, HTTP over Unix sockets.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { loadPair } from '../../runtime/bundle/load.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import type { Decider } from '../../runtime/decide/decide.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import { type MemoryEvidenceLog, memoryEvidenceLog } from '../../runtime/evidence/memory.ts';
import type { RowContent } from '../../runtime/evidence/row.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import {
  SAMPLE_GATEWAY,
  SAMPLE_OPERATOR,
  SAMPLE_TRUST_DOMAIN,
} from '../../runtime/testing/sample-data.ts';
import type { Database } from '../common/database/port.ts';
import { createHttpServer } from '../common/http/port.ts';
import { type MasterKeys, masterKeysFromText } from './master-keys.ts';
import { createVault, type Vault, type VaultConfig } from './vault.ts';

const agent = (path: string) => `spiffe://${SAMPLE_TRUST_DOMAIN}/agent/${path}`;

/** Agents of two tenants; `keeper` may write for its tenant and its roles, `reader` only reads. */
export const AGENTS = {
  main: agent('acme/bot/main'),
  worker: agent('acme/bot/worker'),
  keeper: agent('acme/keeper/main'),
  reader: agent('acme/reader/main'),
  stranger: agent('other/bot/main'),
};

export const GATEWAY = SAMPLE_GATEWAY;
export const KEY_A = 'a1'.repeat(32);
export const KEY_B = 'b2'.repeat(32);

export const modules = loadModules();

function dataOf(): JsonObject {
  const entry = (spiffeId: string, secrets?: JsonObject): JsonObject => {
    const [tenant = '', name = '', role = ''] = spiffeId.split('/').slice(4);
    return { tenant, agent: name, role, ...(secrets === undefined ? {} : { secrets }) };
  };
  return {
    agents: {
      [AGENTS.main]: entry(AGENTS.main),
      [AGENTS.worker]: entry(AGENTS.worker),
      [AGENTS.keeper]: entry(AGENTS.keeper, { tenant_write: true, role_write: true }),
      [AGENTS.reader]: entry(AGENTS.reader, { actions: { read: true } }),
      [AGENTS.stranger]: entry(AGENTS.stranger),
    },
    operators: { [SAMPLE_OPERATOR]: { actions: { view: true, approve: true, operate: true } } },
    services: { vault: { agents: true, callers: {}, delegates: { [GATEWAY]: true } } },
    tools: {},
    limits: { agent_minute: 120, tenant_minute: 600 },
  };
}

let decider: Promise<Decider> | undefined;

/** The real decider over the repository's policies. */
export function testDecider(): Promise<Decider> {
  decider ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pair-'));
    const { trusted } = await writeSamplePair(folder, { data: dataOf() });
    const pair = await loadPair(folder, trusted);
    rmSync(folder, { recursive: true });
    return createLocalDecider({ current: () => pair }, modules);
  })();
  return decider;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: JsonObject;
  text: string;
}

export interface TestVault {
  vault: Vault;
  database: Database;
  evidence: MemoryEvidenceLog;
  /** The time that the vault sees; tests move it. */
  clock: { now: number };
  troubles: unknown[];
  call(
    as: string,
    method: string,
    path: string,
    body?: JsonValue,
    headers?: Headers,
  ): Promise<Answer>;
  operate(method: string, path: string, body?: JsonValue): Promise<Answer>;
  rows(): Promise<RowContent[]>;
  /** Ends the vault, and leaves the database open. */
  close(): Promise<void>;
}

type Headers = Record<string, string>;

/** Starts a vault over `database`; `change` replaces parts of its configuration. */
export async function startVault(
  database: Database,
  change: Partial<VaultConfig> & { keys?: MasterKeys } = {},
): Promise<TestVault> {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  const evidence = await memoryEvidenceLog(modules.record);
  const clock = { now: Date.parse('2026-01-01T00:00:00.000Z') };
  const troubles: unknown[] = [];
  const { keys, ...rest } = change;
  const vault = await createVault({
    decider: await testDecider(),
    evidence: evidence.log,
    record: modules.record,
    scope: modules.scope,
    trustDomain: SAMPLE_TRUST_DOMAIN,
    database,
    masterKeys: keys ?? masterKeysFromText(KEY_A),
    clock: () => new Date(clock.now),
    onTrouble: (error) => troubles.push(error),
    rotationRetryMs: 1,
    ...rest,
  });
  const agents = createHttpServer({ routes: vault.routes, adapter: 'node' });
  const control = createHttpServer({ routes: vault.controlRoutes, adapter: 'node' });
  const paths = { agents: join(folder, 'a.sock'), control: join(folder, 'c.sock') };
  await agents.listen({ path: paths.agents });
  await control.listen({ path: paths.control });
  const toAgents = new Agent({ connect: { socketPath: paths.agents } });
  const toControl = new Agent({ connect: { socketPath: paths.control } });
  return {
    ...{ vault, database, evidence, clock, troubles },
    call: (as, method, path, body, headers = {}) =>
      send(toAgents, method, path, body, { 'x-platform-spiffe-id': as, ...headers }),
    operate: (method, path, body) => send(toControl, method, path, body, {}),
    rows: () => evidence.rows(),
    async close() {
      await Promise.all([toAgents.destroy(), toControl.destroy()]);
      await agents.close(100);
      await control.close(100);
      await vault.close();
      await evidence.log.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function send(
  dispatcher: Agent,
  method: string,
  path: string,
  body: JsonValue | undefined,
  headers: Headers,
): Promise<Answer> {
  const content: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await request(`http://vault${path}`, {
    method: method as 'GET',
    headers: { ...content, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    dispatcher,
  });
  const text = await response.body.text();
  const parsed = text === '' ? {} : (JSON.parse(text) as JsonObject);
  return { status: response.statusCode, headers: response.headers, body: parsed, text };
}
