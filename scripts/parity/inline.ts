// Real requests through Envoy's filter, in line: peers with certificates of their own, and messages in bodies.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import fc from 'fast-check';
import { loadPair } from '../../runtime/bundle/load.ts';
import type { LoadedPair } from '../../runtime/bundle/pair.ts';
import { DECISION_TAG, failure } from '../../runtime/decide/decide.ts';
import { createLocalDecider, loadModules } from '../../runtime/decide/local.ts';
import type { X509Svid } from '../../runtime/identity/workload/x509.ts';
import { type MeshFacts, meshInput } from '../../runtime/mesh/facts.ts';
import { decideRequest } from '../../runtime/mesh/request.ts';
import { envoyBootstrap } from '../../runtime/proxywasm/envoy/configuration.ts';
import { meshFilterConfiguration } from '../../runtime/proxywasm/mesh-filter.ts';
import { clientTls, type EnvoyWorld, envoyWorld } from '../../runtime/proxywasm/testing/envoy.ts';
import { eventually } from '../../runtime/testing/eventually.ts';
import { nearly } from '../../runtime/testing/requests/near-misses.ts';
import { anyPlane, oddPiece } from '../../runtime/testing/requests/pieces.ts';
import {
  SAMPLE_GATEWAY,
  SAMPLE_TRUST_DOMAIN,
  sampleAgent,
} from '../../runtime/testing/sample-data.ts';
import type { HostSetup } from './host.ts';

/** A service of the parity data that reads bodies as MCP, validates arguments and scans. */
const SERVICE = 'mail';
const AT_ONCE = 8;
const WAIT_MS = 30_000;
const TIME = '2026-01-01T00:00:00.000Z';

export interface InlineReport {
  requests: number;
  allowed: number;
  /** Reason codes, and how often each was answered. */
  reasons: Map<string, number>;
  /** Requests whose ids in the access log are not those that Node computes. */
  differences: { log: LogLine; expected: string }[];
}

/** What Envoy logs of a request. */
type LogLine = { [fact: string]: string | number | null | undefined };

interface Sent {
  peer: string;
  headers: Record<string, string>;
  body?: Uint8Array;
  /** What a service said, where the peer is one. */
  said?: { id: string; salt: string };
}

/** Sends `peers` requests with a certificate each and `bodies` messages of a service, and compares every id. */
export async function compareInline(
  { folder, trusted }: HostSetup,
  options: { peers: number; bodies: number; seed: number },
): Promise<InlineReport> {
  const pair = await loadPair(folder, trusted);
  const world = await envoyWorld(
    `spiffe://${SAMPLE_TRUST_DOMAIN}/service/${SERVICE}`,
    SAMPLE_TRUST_DOMAIN,
  );
  try {
    const own = { service: SERVICE, trustDomain: SAMPLE_TRUST_DOMAIN };
    writeFileSync(world.path('filter.wasm'), pair.policy.filter!);
    const configuration = Buffer.from(meshFilterConfiguration(pair, own)).toString();
    await world.start(
      envoyBootstrap({
        ...world.identity,
        ...{ filter: world.path('filter.wasm'), configuration, vmId: 'inline' },
        ...{ upstreamPort: world.upstreamPort, accessLog: world.path('access.log') },
      }),
    );
    const sent = [
      ...peersOf(options.peers, options.seed),
      ...bodiesOf(options.bodies, options.seed),
    ];
    await sendAll(world, sent);
    return await compareLog(world, pair, sent);
  } finally {
    await world.close();
  }
}

/** Agents and their look-alikes, as far as a certificate can name them. */
function peersOf(count: number, seed: number): Sent[] {
  const changes = fc.sample(
    fc.oneof(
      fc.constant((id: string) => id),
      nearly,
    ),
    { numRuns: count, seed },
  );
  return changes
    .map((change, index) => change(sampleAgent(index % 220)))
    .filter((peer) => /^[\x21-\x7e]+$/.test(peer))
    .map((peer) => ({ peer, headers: {} }));
}

/** Messages of MCP that fit, do not fit, or are none. */
function bodiesOf(count: number, seed: number): Sent[] {
  const text = fc.oneof(anyPlane, fc.constantFrom('hello', 'ada@example.org', '078-05-1121'));
  const call = fc
    .record({
      id: fc.oneof(fc.integer(), text),
      note: text,
      tool: fc.constantFrom('mail_get', 'mail_delete'),
    })
    .map(({ id, note, tool }) =>
      Buffer.from(
        JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name: tool, arguments: { id, note } },
        }),
      ),
    );
  const odd = oddPiece.map((piece) =>
    Buffer.concat([
      Buffer.from(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_get","arguments":{"a":',
      ),
      piece,
      Buffer.from('}}}'),
    ]),
  );
  const bodies = fc.sample(fc.oneof({ weight: 3, arbitrary: call }, odd), { numRuns: count, seed });
  return bodies.map((body, index) => {
    const id = `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
    const salt = index.toString(16).padStart(64, '0');
    const facts = { 'x-platform-request-id': id, 'x-platform-time': TIME, 'x-platform-salt': salt };
    const headers = { ...facts, 'content-type': 'application/json' };
    return { peer: SAMPLE_GATEWAY, headers, body, said: { id, salt } };
  });
}

async function sendAll(world: EnvoyWorld, sent: readonly Sent[]): Promise<void> {
  const known = new Map<string, X509Svid>();
  let next = 0;
  const work = async () => {
    for (let index = next++; index < sent.length; index = next++) {
      const one = sent[index]!;
      const svid = known.get(one.peer) ?? (await world.ca.issue(one.peer));
      known.set(one.peer, svid);
      await send(world, svid, one);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** One request on a connection of its own; a handshake that Envoy refuses is logged by nobody. */
async function send(world: EnvoyWorld, svid: X509Svid, { headers, body }: Sent): Promise<void> {
  const call = request({
    ...{ host: '127.0.0.1', port: world.port(), agent: false, path: '/mcp', headers },
    ...{ method: body === undefined ? 'GET' : 'POST', timeout: WAIT_MS },
    ...clientTls(world.ca, svid),
    checkServerIdentity: () => undefined,
  });
  call.on('timeout', () => call.destroy(new Error('Envoy did not answer')));
  call.end(body);
  try {
    const [answer] = await once(call, 'response');
    answer.resume();
    await once(answer, 'end');
  } catch {
    // Envoy itself refuses certificates without an ID of the trust domain.
  }
}

/** Holds each line of the access log to what Node decides about the same facts. */
async function compareLog(
  world: EnvoyWorld,
  pair: LoadedPair,
  sent: readonly Sent[],
): Promise<InlineReport> {
  const messages = new Map(sent.flatMap((one) => (one.said ? [[one.said.id, one] as const] : [])));
  let lines: LogLine[] = [];
  await eventually(() => {
    const text = readFileSync(world.path('access.log'), 'utf8').split('\n').slice(0, -1);
    lines = text.map((line) => JSON.parse(line) as LogLine).filter((line) => line.decision_id);
    const ids = new Set(lines.map((line) => line.request_id));
    return [...messages.keys()].every((id) => ids.has(id));
  }, WAIT_MS);
  const modules = loadModules();
  const decider = createLocalDecider({ current: () => pair }, modules);
  const report: InlineReport = { requests: 0, allowed: 0, reasons: new Map(), differences: [] };
  for (const log of lines) {
    const facts: MeshFacts = {
      ...{
        spiffeId: String(log.spiffe_id ?? ''),
        trustDomain: SAMPLE_TRUST_DOMAIN,
        service: SERVICE,
      },
      ...{ requestId: String(log.request_id), time: String(log.time) },
    };
    const one = messages.get(facts.requestId);
    const expected =
      facts.spiffeId === ''
        ? refusedId(modules.record, pair, facts, String(log.reason))
        : decideRequest(
            { decider, record: modules.record },
            { ...facts, salt: Buffer.from(one?.said?.salt ?? '0'.repeat(64), 'hex') },
            {
              ...{ method: one === undefined ? 'GET' : 'POST', target: '/mcp' },
              headers: Object.entries(one?.headers ?? {}),
              body: one?.body ?? new Uint8Array(0),
            },
          )
            .decisions.map(({ id }) => id)
            .join(',');
    report.requests += 1;
    if (log.status === 200) report.allowed += 1;
    const reason = String(log.reason);
    report.reasons.set(reason, (report.reasons.get(reason) ?? 0) + 1);
    if ((log.decision_ids ?? log.decision_id) !== expected)
      report.differences.push({ log, expected });
  }
  return report;
}

/** The id of a denial for which the policy was not asked: who the peer is was wrong. */
function refusedId(
  record: ReturnType<typeof loadModules>['record'],
  pair: LoadedPair,
  facts: MeshFacts,
  code: string,
): string {
  const input = record.canonicalizeValue(meshInput(facts, 'connect'));
  const revisions = [pair.policy.revision, pair.data.revision];
  return record.framedHex([
    DECISION_TAG,
    'mesh',
    'authorization',
    ...revisions,
    input,
    failure(code),
  ]);
}
