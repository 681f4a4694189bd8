// One tool call through proxy, decisions, evidence and back, beside the same HTTP call made directly.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ControlClient, controlClient } from '../cli/control-client.ts';
import { stateFolder } from '../cli/state-folder.ts';
import { markThisThread } from '../runtime/identity/mark.ts';
import type { BenchmarkCase, BenchmarkResult } from '../runtime/measure.ts';
import { compareAsync, figures } from '../runtime/measure.ts';
import { GatewayClient } from '../sdk/typescript/gateway.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const self = fileURLToPath(import.meta.url);
const SERVE = 'serve-tool';
const CALL = 'call-tool';

/** The tool: answers every POST with a small JSON object; runs in a process of its own. */
function serveTool(): void {
  const answer = JSON.stringify({ found: true, items: ['a', 'b', 'c'], note: 'x'.repeat(400) });
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : 0);
  });
}

/** Calls the tool without the platform, on a kept connection. */
function directCaller(port: number): (body: string) => Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json' };
  return (body) =>
    new Promise((resolve, reject) => {
      const call = request(
        { host: '127.0.0.1', port, path: '/look_up', method: 'POST', agent, headers },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => resolve(text));
        },
      );
      call.on('error', reject);
      call.end(body);
    });
}

/** Starts a platform in a process of its own and resolves when it is up. */
async function startPlatform(folder: string): Promise<ChildProcess> {
  const policies = join(folder, 'operator');
  mkdirSync(policies);
  const limits = { agent_minute: 1e9, tenant_minute: 1e9 };
  writeFileSync(join(policies, 'data.json'), JSON.stringify({ limits }));
  const args = ['cli/platform.ts', 'up', '--port', '0', '--policies', policies];
  const child = spawn(process.execPath, [...args, '--state', join(folder, 'state')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('/health')) resolve();
    });
    child.on('exit', (code) => reject(new Error(`the platform ended with ${code}: ${text}`)));
  });
  return child;
}

const argumentsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'query'],
  properties: { id: { type: 'integer' }, query: { type: 'string', maxLength: 200 } },
};

/** `npm run bench -- toolcall`. */
export async function run(): Promise<BenchmarkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const tool = fork(self, [SERVE]);
  const port = await new Promise<number>((resolve) => tool.once('message', resolve as never));
  const platform = await startPlatform(folder);
  try {
    const control = controlClient(stateFolder(join(folder, 'state')));
    const declared = {
      name: 'look_up',
      description: 'looks something up',
      input_schema: argumentsSchema,
      action: 'read',
      http: { method: 'POST', path: '/look_up' },
    };
    const base_url = `http://127.0.0.1:${port}`;
    await control.call('POST', '/api/v1/tools/register', {
      tools: [declared],
      base_url,
      service: 'bench',
    });
    return await measureInAgent(control, port);
  } finally {
    tool.kill();
    const ended = new Promise((resolve) => platform.on('exit', resolve));
    platform.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures in a process that is registered as an agent, as `platform run` registers one. */
async function measureInAgent(control: ControlClient, port: number): Promise<BenchmarkResult> {
  const agent = fork(self, [CALL]);
  const next = <T>() =>
    new Promise<T>((resolve, reject) => {
      agent.once('message', (message) => resolve(message as T));
      agent.once('exit', (code) => reject(new Error(`the agent ended with ${code}`)));
    });
  try {
    await next();
    const registered = await control.call('POST', '/api/v1/agents', {
      tenant: 'acme',
      agent: 'bench',
      pid: agent.pid ?? 0,
      resources: ['bench:read'],
    });
    const measured = next<BenchmarkResult>();
    agent.send({ gatewayUrl: registered.gateway_url, port });
    return await measured;
  } finally {
    agent.kill();
  }
}

/** The agent's side: marks itself, waits for its address, measures. */
function callTool(): void {
  if (!markThisThread()) throw new Error('the kernel takes no mark');
  process.once('message', async (message) => {
    const { gatewayUrl, port } = message as { gatewayUrl: string; port: number };
    process.send?.(await measure(gatewayUrl, port));
  });
  process.send?.('marked');
}

async function measure(gatewayUrl: string, port: number): Promise<BenchmarkResult> {
  const direct = directCaller(port);
  const gateway = new GatewayClient({ baseUrl: gatewayUrl });
  const call = async (round: number) => {
    const query = 'open orders of the last week';
    const result = await gateway.callTool('look_up', { id: round, query });
    if (!result.success) throw new Error(`the call was refused: ${JSON.stringify(result)}`);
  };
  const plain = (round: number) => direct(JSON.stringify({ id: round, query: 'open orders' }));
  const alone = await compareAsync(
    'one call at a time',
    { ours: call, 'direct HTTP call': plain },
    { batch: 1, samples: 1500, warmup: 200 },
  );
  const crowded = await concurrent('32 calls at once', call, plain);
  const added = (of: BenchmarkCase, key: 'p50' | 'p99') =>
    `${((of.ours[key] - of.peers['direct HTTP call']![key]) / 1000).toFixed(2)} ms`;
  return {
    benchmark: 'toolcall',
    unit: 'µs',
    cases: [alone, crowded],
    notes: [
      `added to one call: p50 ${added(alone, 'p50')}, p99 ${added(alone, 'p99')}: two hops, five decisions, two rows made durable.`,
      'The platform, the tool and the caller are three processes on this machine.',
    ],
  };
}

/** Latency of each call while 32 are under way, ours and the direct call in turn. */
async function concurrent(
  name: string,
  ours: (round: number) => Promise<unknown>,
  plain: (round: number) => Promise<unknown>,
): Promise<BenchmarkCase> {
  const measureOne = async (call: (round: number) => Promise<unknown>) => {
    const times: number[] = [];
    const started = process.hrtime.bigint();
    const worker = async () => {
      for (let i = 0; i < 60; i++) {
        const began = process.hrtime.bigint();
        await call(i);
        times.push(Number(process.hrtime.bigint() - began) / 1000);
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    const seconds = Number(process.hrtime.bigint() - started) / 1e9;
    return { ...figures(times), perSecond: times.length / seconds };
  };
  const of = await measureOne(ours);
  const peer = await measureOne(plain);
  const peers = { 'direct HTTP call': peer };
  return { name, ours: of, peers, ratios: { 'direct HTTP call': peer.p50 / of.p50 } };
}

if (process.argv[2] === SERVE) serveTool();
if (process.argv[2] === CALL) callTool();
