// The identity server with 10,000 entries: issuing and fetching SVIDs, beside the bare work of one key and one signature.
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { machineAttestor } from '../runtime/identity/attestor.ts';
import { SpiffeWorkloadAPI } from '../runtime/identity/proto/spiffe/workload/workload_pb.js';
import { createEntryRegistry } from '../runtime/identity/registry.ts';
import {
  type BenchmarkCase,
  type BenchmarkResult,
  compareAsync,
  figures,
} from '../runtime/measure.ts';
import { openPglite } from '../services/common/database/pglite.ts';
import type { Database } from '../services/common/database/port.ts';
import { createAuthority } from '../services/identity/authority/authority.ts';
import { entriesSchema } from '../services/identity/entries/rows.ts';
import { EntryStore } from '../services/identity/entries/store.ts';
import { createIdentityServer } from '../services/identity/server.ts';
import { SvidCache } from '../services/identity/workload/svid-cache.ts';

const trustDomain = 'example.org';
const entriesCount = 10_000;
const inParallel = 32;
const parallelCalls = 3000;

/** Entries as a platform with 10,000 agents has them, and one for the process that measures. */
async function fill(database: Database): Promise<void> {
  await database.script(entriesSchema);
  await database.script(`
    insert into identity_entries (id, spiffe_id, parent_id, selectors, x509_svid_ttl, jwt_svid_ttl,
      federates_with, admin, downstream, expires_at, dns_names, revision_number, store_svid, hint,
      created_at)
    select 'entry-' || i, 'spiffe://${trustDomain}/agent/acme/bot-' || i || '/main',
      'spiffe://${trustDomain}/node/local',
      jsonb_build_array(
        jsonb_build_object('type', 'platform', 'value', 'tenant:acme'),
        jsonb_build_object('type', 'platform', 'value', 'process-role:main'),
        jsonb_build_object('type', 'platform', 'value',
          case when i = 1 then 'service:bench' else 'process:' || i || '@1' end)),
      0, 0, '[]', false, false, 0, jsonb_build_array('bot-' || i || '.tenant-acme.svc'), 0, false,
      '', 1
    from generate_series(1, ${entriesCount}) as i`);
  await database.query(`update identity_entries set selectors = $1::jsonb where id = 'entry-1'`, [
    JSON.stringify([{ type: 'platform', value: 'service:bench' }]),
  ]);
}

function bareIssue(): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  sign('sha256', Buffer.alloc(600), privateKey);
}

export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-id-'));
  const database = await openPglite();
  await fill(database);
  const before = process.memoryUsage();
  const authority = await createAuthority({
    ...{ trustDomain, database, keyEncryptionKey: Buffer.alloc(32, 1) },
  });
  const registry = createEntryRegistry();
  const server = createIdentityServer({
    ...{ authority, database },
    workloads: machineAttestor({ registry, services: ['bench'], ownPid: process.pid }),
    allowAdmin: () => false,
  });
  const workloadSocket = join(folder, 'w.sock');
  await server.listen({ workloadSocket, adminSocket: join(folder, 'a.sock') });
  const loaded = process.memoryUsage();
  const client = createClient(
    SpiffeWorkloadAPI,
    createGrpcTransport({
      baseUrl: 'http://identity',
      nodeOptions: { path: workloadSocket },
      interceptors: [
        (next) => (request) => {
          request.header.set('workload.spiffe.io', 'true');
          return next(request);
        },
      ],
    }),
  );
  const fetch = async () => {
    const call = new AbortController();
    for await (const { svids } of client.fetchX509SVID({}, { signal: call.signal })) {
      if (svids.length !== 1) throw new Error(`${svids.length} SVIDs`);
      break;
    }
    call.abort();
  };
  const fetchNew = () => {
    server.renewAll();
    return fetch();
  };
  const sampling = { batch: 1, samples: 1000, warmup: 100 };
  const cases: BenchmarkCase[] = [
    await compareAsync(
      'fetch an X.509-SVID',
      {
        ours: fetch,
        'ours, issued each time': fetchNew,
        'bare key and signature': async () => bareIssue(),
      },
      sampling,
    ),
    await compareAsync(
      'fetch a JWT-SVID',
      { ours: () => client.fetchJWTSVID({ audience: ['vault'] }) },
      sampling,
    ),
    await fetchInParallel(fetch),
    await issueForAll(database, authority),
  ];
  const after = process.memoryUsage();
  await server.close();
  await authority.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
  return {
    benchmark: 'identity',
    unit: 'µs',
    cases,
    notes: [
      `${entriesCount} entries; client and server share one process, and the target is a p99 of a fetch under 20 ms`,
      `resident memory: ${megabytes(before.rss)} MB before, ${megabytes(loaded.rss)} MB with the entries, ${megabytes(after.rss)} MB with an SVID kept for each`,
    ],
  };
}

/** How long each of many fetches at once takes, and how many there are in a second. */
async function fetchInParallel(fetch: () => Promise<void>): Promise<BenchmarkCase> {
  const times: number[] = [];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: inParallel }, async () => {
      while (times.length < parallelCalls) {
        const from = performance.now();
        await fetch();
        times.push((performance.now() - from) * 1000);
      }
    }),
  );
  const perSecond = times.length / ((performance.now() - started) / 1000);
  const ours = { ...figures(times), perSecond };
  return { name: `fetch an X.509-SVID, ${inParallel} at a time`, ours, peers: {}, ratios: {} };
}

/** One SVID for each of all entries, as after a start or the loss of a CA. */
async function issueForAll(
  database: Database,
  issuer: Awaited<ReturnType<typeof createAuthority>>,
): Promise<BenchmarkCase> {
  const clock = () => new Date();
  const store = new EntryStore({
    ...{ database, clock, nodeId: `spiffe://${trustDomain}/node/local` },
    deny: (spiffeId) => issuer.deny(spiffeId),
  });
  await store.ready();
  const cache = new SvidCache({ issuer, store, clock, onEvent: () => {} });
  const [issued, bare]: number[][] = [[], []];
  for (const entry of store.all()) {
    const from = performance.now();
    await cache.x509(entry);
    const middle = performance.now();
    bareIssue();
    issued?.push((middle - from) * 1000);
    bare?.push((performance.now() - middle) * 1000);
  }
  const [ours, peer] = [figures(issued ?? []), figures(bare ?? [])];
  return {
    name: `issue an X.509-SVID to each of ${entriesCount} entries`,
    ...{ ours, peers: { 'bare key and signature': peer } },
    ratios: { 'bare key and signature': peer.p50 / ours.p50 },
  };
}
