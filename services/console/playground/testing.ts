// A playground in Debian's Chromium over real bundles, a real gate and recorded decisions, for its tests.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startChromium } from '../../../runtime/browser/testing.ts';
import { readPolicies } from '../../../runtime/bundle/compile.ts';
import { readBundle } from '../../../runtime/bundle/files.ts';
import { loadPair } from '../../../runtime/bundle/load.ts';
import type { LoadedPair } from '../../../runtime/bundle/pair.ts';
import { POLICIES, writeSamplePair } from '../../../runtime/bundle/testing.ts';
import type { Decider } from '../../../runtime/decide/decide.ts';
import type { Decision, DecisionRequest, Opening } from '../../../runtime/decide/decision.ts';
import { createLocalDecider } from '../../../runtime/decide/local.ts';
import { EvidenceError } from '../../../runtime/errors.ts';
import type { EvidenceDraft, RowDecision } from '../../../runtime/evidence/row.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import { moduleBytes, moduleDigest } from '../../../runtime/modules/source.ts';
import { sampleData } from '../../../runtime/testing/sample-data.ts';
import { createHttpServer } from '../../common/http/port.ts';
import { createOperatorGate } from '../../common/operator.ts';
import { guarded } from '../page-guard.ts';
import { playgroundAssets } from './assets.ts';
import { type PlaygroundSource, playgroundRoutes } from './routes.ts';

export const TOKEN = 'playground-test';
const AGENTS = 20;

/** A line that every boundary's policy has. */
export const DEFAULT = 'default allow := false\n';
/** Refuses whatever is asked. */
export const REFUSAL = `${DEFAULT}
# METADATA
# title: Closed
# description: Nothing is done today.
# custom:
#   controls: ["NIST:AC-3"]
reasons contains {"code": "closed", "message": "not today", "controls": ["NIST:AC-3"]}
`;

/** A recorded decision with what opens it. */
export interface Recorded {
  decision: RowDecision;
  openings: Opening[];
}

export interface TestPlayground {
  origin: string;
  decider: Decider;
  pair: LoadedPair;
  /** Rows that the gate left. */
  drafts: EvidenceDraft[];
  /** What pages complained of: scripts that failed, and what their policy refused. */
  complaints: string[];
  record(request: DecisionRequest, spiffeId: string): Recorded;
  /** A page that has loaded, of this size. */
  open(width?: number, height?: number, token?: string): Promise<Page>;
  close(): Promise<void>;
}

/** Starts it over the repository's policies and the sample data. */
export async function startPlayground(folder: string): Promise<TestPlayground> {
  const { trusted } = await writeSamplePair(folder, { data: sampleData(AGENTS) });
  const pair = await loadPair(folder, trusted);
  const decider = createLocalDecider({ current: () => pair });
  const drafts: EvidenceDraft[] = [];
  const evidence = { append: async (draft: EvidenceDraft) => drafts.push(draft) as never };
  const gate = createOperatorGate({ decider, evidence, trustDomain: 'platform.local' });
  const rows: { time: string; spiffe_id: string; decision: RowDecision }[] = [];
  const source = await sourceOf(folder, pair, trusted as unknown as JsonValue, rows);
  const hosts: string[] = [];
  const routes = [...playgroundAssets(), ...playgroundRoutes(gate, source)];
  const server = createHttpServer({
    routes: [...routes, pictureRoute()].map((route) =>
      guarded(route, { token: TOKEN, hosts: () => hosts }),
    ),
    adapter: 'node',
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as { port: number };
  hosts.push(`127.0.0.1:${port}`);
  const origin = `http://127.0.0.1:${port}`;
  const browser = await startChromium();
  const complaints: string[] = [];
  return {
    ...{ origin, decider, pair, drafts, complaints },
    record(request, spiffe_id) {
      const decided = decider.decide(request);
      const decision = rowDecision(decided);
      rows.unshift({ time: new Date(0).toISOString(), spiffe_id, decision });
      return { decision, openings: decided.openings };
    },
    async open(width = 1280, height = 900, token = TOKEN) {
      const context = await browser.newContext({ viewport: { width, height } });
      context.setDefaultTimeout(20_000);
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${origin}/playground#${token}`);
      await settled(page);
      return page;
    },
    async close() {
      await browser.close();
      await server.close(0);
    },
  };
}

/** Resolves to what the page says once nothing runs any more. */
export async function settled(page: Page): Promise<string> {
  const state = page.locator('#state:is(.ready, .wrong)');
  await state.waitFor({ timeout: 120_000 });
  return (await state.textContent()) ?? '';
}

/** Edits the policy at once, as a paste does it: Chromium types a long text for minutes. */
export async function edit(page: Page, text: string): Promise<void> {
  await page.locator('#policy textarea').evaluate((area, value) => {
    (area as HTMLTextAreaElement).value = value;
    area.dispatchEvent(new Event('input'));
  }, text);
}

async function sourceOf(
  folder: string,
  pair: LoadedPair,
  keys: JsonValue,
  rows: readonly { decision: RowDecision }[],
): Promise<PlaygroundSource> {
  const { schemas, capabilities } = await readPolicies(POLICIES);
  const bundles = new Map([
    [pair.policy.revision, await readBundle(join(folder, 'policy'))],
    [pair.data.revision, await readBundle(join(folder, 'data'))],
  ]);
  const objects = new Map(
    (['record', 'scope', 'arguments', 'guard'] as const).map((name) => {
      const bytes = moduleBytes(name);
      return [moduleDigest(bytes) as string, bytes];
    }),
  );
  const compiler = new URL('../../../wasm/rego/compiler.wasm.sha256', import.meta.url);
  const digest = (await readFile(compiler, 'utf8')).slice(0, 64);
  return {
    overview: async () => ({
      ...{ policy_revision: pair.policy.revision, data_revision: pair.data.revision },
      ...{ keys, schemas: schemas ?? {}, capabilities },
      compiler: { digest, bytes: 41_000_000 },
    }),
    bundle: async (revision) => bundles.get(revision),
    object: async (name) => objects.get(name),
    async decision(id) {
      const found = rows.find(({ decision }) => decision.id === id);
      if (found === undefined) throw new EvidenceError('object_missing', 'no row has it');
      return { decision: found.decision as unknown as JsonObject };
    },
    decisions: async (boundary) => ({
      decisions: rows.filter(({ decision }) => decision.boundary === boundary) as never,
      more: false,
    }),
  };
}

function rowDecision(decision: Decision): RowDecision {
  const json = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as JsonValue;
  return {
    ...{ id: decision.id, module: decision.module, boundary: decision.boundary },
    module_digest: decision.moduleDigest,
    policy_revision: decision.policyRevision,
    data_revision: decision.dataRevision,
    input: json(decision.committedInput),
    output: json(decision.outputBytes),
  };
}

/** The style of pictures, which the operator's page serves. */
function pictureRoute() {
  const file = new URL('../../../runtime/explain/picture.css', import.meta.url);
  return {
    ...{ method: 'GET', path: '/picture.css', boundary: 'open' as const },
    handler: async () => ({
      status: 200,
      headers: {
        'content-type': 'text/css; charset=utf-8',
        'cross-origin-resource-policy': 'same-origin',
      },
      body: await readFile(file),
    }),
  };
}
