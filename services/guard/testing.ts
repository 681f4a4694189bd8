// A whole guard for tests: real modules and policies, evidence in memory, HTTP over TCP as its clients have it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { loadPair } from '../../runtime/bundle/load.ts';
import { writeSamplePair } from '../../runtime/bundle/testing.ts';
import type { Decider } from '../../runtime/decide/decide.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import { type MemoryEvidenceLog, memoryEvidenceLog } from '../../runtime/evidence/memory.ts';
import type { RowContent } from '../../runtime/evidence/row.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';
import { SAMPLE_TRUST_DOMAIN } from '../../runtime/testing/sample-data.ts';
import { sampleGithubToken } from '../../runtime/testing/tokens.ts';
import { createHttpServer } from '../common/http/port.ts';
import { createGuard, type GuardConfig, type GuardService } from './guard.ts';

const agent = (path: string) => `spiffe://${SAMPLE_TRUST_DOMAIN}/agent/${path}`;

/** Findings of `PII` only warn for all of `lenient`; one of its agents has them blocked all the same. */
export const AGENTS = {
  strict: agent('acme/bot/main'),
  lenient: agent('lenient/bot/main'),
  careful: agent('lenient/careful/main'),
};
export const CLIENT = `spiffe://${SAMPLE_TRUST_DOMAIN}/service/llm-guard-client`;
export const modules = loadModules();

// Put together here: none of these is a live credential, and no scanner of sources is to take them for one.
export const TOKEN = sampleGithubToken();
export const MAIL = ['ada', 'example.org'].join('@');

const data: JsonObject = {
  agents: {
    [AGENTS.strict]: { tenant: 'acme' },
    [AGENTS.lenient]: { tenant: 'lenient' },
    [AGENTS.careful]: { tenant: 'lenient', scan: { scanners: { PII: 'block' } } },
  },
  scopes: { [agent('lenient/*')]: { scan: { scanners: { PII: 'warn' } } } },
  services: { guard: { agents: true, callers: { [CLIENT]: true } } },
};

let decider: Promise<Decider> | undefined;

/** The real decider over the repository's policies. */
export function testDecider(): Promise<Decider> {
  decider ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pair-'));
    const { trusted } = await writeSamplePair(folder, { data });
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
}

export interface TestGuard {
  guard: GuardService;
  evidence: MemoryEvidenceLog;
  url: string;
  /** As an agent, through the proxy's header. */
  post(path: string, body: JsonValue | string, as?: string, headers?: Headers): Promise<Answer>;
  get(path: string): Promise<Answer>;
  rows(): Promise<RowContent[]>;
  close(): Promise<void>;
}

type Headers = Record<string, string>;

/** Starts a guard on a free port; `change` replaces parts of its configuration. */
export async function startGuard(change: Partial<GuardConfig> = {}): Promise<TestGuard> {
  const evidence = await memoryEvidenceLog(modules.record);
  const guard = createGuard({
    decider: await testDecider(),
    evidence: evidence.log,
    record: modules.record,
    trustDomain: SAMPLE_TRUST_DOMAIN,
    clock: () => new Date('2026-01-01T00:00:00.000Z'),
    ...change,
  });
  const server = createHttpServer({ routes: guard.routes, adapter: 'node' });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ guard, evidence, url },
    post: (path, body, as = AGENTS.strict, headers = {}) =>
      send(url + path, 'POST', {
        headers: {
          'content-type': 'application/json',
          ...(as === '' ? {} : { 'x-platform-spiffe-id': as }),
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path) => send(url + path, 'GET', {}),
    rows: () => evidence.rows(),
    async close() {
      await server.close(100);
      await evidence.log.close();
    },
  };
}

async function send(
  url: string,
  method: 'GET' | 'POST',
  options: { headers?: Headers; body?: string },
): Promise<Answer> {
  const response = await request(url, { method, ...options });
  const body = (await response.body.json()) as JsonObject;
  return { status: response.statusCode, headers: response.headers, body };
}
