// Workload identity, mutual TLS and the vault in a running platform, as an agent's own processes meet them.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openWorkloadSource } from '../../runtime/identity/workload/source.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { CliProcess, runCli, startMachine, type TestMachine } from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'mesh-'));
const state = join(folder, 'state');
const runtime = fileURLToPath(new URL('../../runtime/', import.meta.url));
/** Its answer quotes the key that it was called with, as careless services do. */
let echo: Server;
const keysSeen: string[] = [];
let machine: TestMachine;

const test = suite('mesh');
test.before(async () => {
  echo = createServer((request, response) => {
    const key = String(request.headers['x-api-key']);
    keysSeen.push(key);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ said: `your key is ${Buffer.from(key).toString('base64')}` }));
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  machine = await startMachine(state, ['--svid-ttl', '5m']);
  await machine.control.call('POST', '/api/v1/tools/register', {
    base_url: `http://127.0.0.1:${(echo.address() as AddressInfo).port}`,
    ...{ prefix: 'echo', service: 'echo' },
    credential: { name: 'echo-key', header: 'x-api-key', format: '{value}' },
    tools: [
      {
        ...{ name: 'say', description: 'quotes its key', action: 'read' },
        input_schema: { type: 'object', properties: {}, additionalProperties: false },
        http: { method: 'GET', path: '/say' },
      },
    ],
  });
});
test.after(async () => {
  await machine.cli.end('SIGKILL');
  echo.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An agent that can ask through its proxy, and speak mutual TLS by itself with its own SVID. */
function agentFile(name: string, body: string): string {
  const file = join(folder, `${name}.ts`);
  const from = (path: string) => JSON.stringify(join(runtime, path));
  writeFileSync(
    file,
    `import { request } from 'node:http';
import { connect } from 'node:tls';
import { Scope } from ${from('modules/scope.ts')};
import { moduleBytes } from ${from('modules/source.ts')};
import { openWorkloadSource } from ${from('identity/workload/source.ts')};
import { clientTlsOptions, createTlsIdentity } from ${from('identity/workload/tls.ts')};
const own = process.env.PLATFORM_VAULT_URL!.slice(5);
const ask = (method: string, path: string, body?: unknown): Promise<string> => new Promise((resolve) => {
  const call = request({ socketPath: own, method, path, headers: { 'content-type': 'application/json' } },
    async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const answer = JSON.parse(text);
      resolve([response.statusCode, answer.code ?? answer.value ?? JSON.stringify(answer.keys ?? answer.result ?? answer.version)].join(' '));
    });
  call.on('error', (error: any) => resolve(error.code));
  call.end(body === undefined ? undefined : JSON.stringify(body));
});
const source = () => openWorkloadSource({ socketPath: process.env.PLATFORM_SPIFFE_SOCKET! });
/** Everything that the inbound proxy sends for these bytes; its own words when it cuts. */
const directly = async (port: number, service: string, text: string) => {
  const trustDomain = process.env.PLATFORM_TRUST_DOMAIN!;
  const identity = createTlsIdentity({ source: await source(), trustDomain });
  const rules = { trustDomain, scope: Scope.create(moduleBytes('scope')), clock: () => new Date(),
    denied: { isDenied: () => false, onChange: () => () => {}, staleForMs: () => 0 } };
  const to = { expectedSpiffeId: \`spiffe://\${trustDomain}/service/\${service}\`, servername: \`\${service}.platform-system\` };
  const socket = connect({ ...clientTlsOptions(identity, rules, to), host: '127.0.0.1', port });
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => { answer += chunk; });
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(answer));
    socket.on('error', (error: any) => { answer += error.code; });
  });
  await new Promise((resolve) => socket.once('secureConnect', resolve).once('close', resolve));
  socket.write(text);
  return { socket, closed };
};
${body}
process.exit(0);
`,
  );
  return file;
}

const run = (file: string, ...more: string[]) =>
  runCli(['run', file, '--tenant', 'acme', '--state', state, '--quiet', ...more]);

async function inboundPort(): Promise<number> {
  const { mesh } = await machine.control.call('GET', '/api/v1/status');
  return Number(String((mesh as JsonObject).inbound).split(':')[1]);
}

/** The certificate that the inbound proxy shows for a service, to whoever asks. */
async function shownBy(service: string): Promise<X509Certificate> {
  const to = {
    host: '127.0.0.1',
    port: await inboundPort(),
    servername: `${service}.platform-system`,
  };
  const socket = connect({ ...to, rejectUnauthorized: false, minVersion: 'TLSv1.3' });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  const shown = socket.getPeerX509Certificate();
  socket.destroy();
  return shown as X509Certificate;
}

test('a secret is there for the agent that put it and for no other, and nobody can tell', async () => {
  const first = await run(
    agentFile(
      'keeper',
      `console.log('put', await ask('PUT', '/api/v1/secrets/db', { value: 'hunter2-hunter2' }));
console.log('get', await ask('GET', '/api/v1/secrets/db'));`,
    ),
  );
  assert.match(first.output, /put 201 1\nget 200 hunter2-hunter2/);
  const second = await run(
    agentFile(
      'stranger',
      `console.log('theirs', await ask('GET', '/api/v1/secrets/db'));
console.log('none', await ask('GET', '/api/v1/secrets/nothing'));
console.log('list', await ask('GET', '/api/v1/secrets'));`,
    ),
  );
  assert.match(second.output, /theirs 403 secret_denied\nnone 403 secret_denied\nlist 200 \[\]/);
});

test('the gateway injects a secret of the vault, and what echoes it is redacted', async () => {
  const value = 'k-9f8e7d6c5b4a-echoed';
  const scope = 'spiffe://platform.local/agent/acme/*';
  await machine.control.call('PUT', '/api/v1/secrets/echo-key', { value, scope });
  const call = `console.log(await ask('POST', '/api/v1/tools/echo_say/execute', { arguments: {} }));`;
  const { output } = await run(agentFile('speaker', call), '--resources', 'echo');
  assert.equal(keysSeen.splice(0), [value]);
  assert.ok(output.includes('200 {"said":"your key is [redacted]"}'), output);
  assert.not.match(output, Buffer.from(value).toString('base64').slice(0, 16));
  const lines = readFileSync(join(state, 'access.log'), 'utf8').trim().split('\n');
  const inbound = lines.map((line) => JSON.parse(line)).filter((l) => l.direction === 'inbound');
  const asked = inbound.findLast(({ path }) => path === '/api/v1/secrets/echo-key');
  assert.is(asked.source_spiffe_id, 'spiffe://platform.local/service/gateway');
  assert.ok(
    inbound.some((l) => l.request_id === asked.request_id && l.service === 'gateway'),
    'one request through both services has one id',
  );
});

test('an agent with its own SVID at the inbound proxy is nobody but itself', async () => {
  const forged = [
    'GET /api/v1/secrets/echo-key HTTP/1.1',
    'host: vault',
    'x-platform-spiffe-id: spiffe://platform.local/service/gateway',
    'X_Platform_Spiffe_Id: spiffe://platform.local/operator/local',
    'x-platform-on-behalf-of: spiffe://platform.local/agent/acme/keeper/main',
    'x-platform-request-id: 00000000-0000-4000-8000-000000000000',
    'connection: close',
  ].join('\\r\\n');
  const { output } = await run(
    agentFile(
      'direct',
      `const { closed } = await directly(${await inboundPort()}, 'vault', '${forged}\\r\\n\\r\\n');
console.log(await closed);`,
    ),
  );
  assert.match(output, /^HTTP\/1\.1 200/m, 'the secret of the tenant is this agent’s too');
  assert.not.match(output, '00000000-0000-4000-8000-000000000000');
  const { calls } = await machine.control.call('GET', '/api/v1/calls');
  const last = (calls as JsonObject[]).findLast(({ boundary }) => boundary === 'secret');
  assert.is(last?.spiffeId, 'spiffe://platform.local/agent/acme/direct/main');
});

test('the clean end of an agent is no denial, and its calls are counted on the metrics page', async () => {
  const file = agentFile('clean', `console.log(await ask('GET', '/health'));`);
  for (let round = 0; round < 3; round += 1) {
    assert.match((await run(file)).output, /^200/m);
  }
  const { agents, mesh } = await machine.control.call('GET', '/api/v1/status');
  assert.equal(agents, []);
  const { calls } = await machine.control.call('GET', '/api/v1/calls');
  const denied = (calls as JsonObject[]).filter(
    ({ verdict, spiffeId }) => verdict === 'denied' && String(spiffeId).includes('/clean/'),
  );
  assert.equal(denied, []);
  const answer = await fetch(String((mesh as JsonObject).metrics));
  const page = await answer.text();
  const [, count] =
    page.match(/requests_total\{direction="outbound",service="gateway",status="200"\} (\d+)/) ?? [];
  assert.ok(Number(count) >= 3, page);
  assert.match(page, '# HELP platform_proxy_requests_total ');
  const lines = readFileSync(join(state, 'access.log'), 'utf8').trim().split('\n');
  const own = lines.map((line) => JSON.parse(line) as JsonObject);
  const ids = (direction: string) =>
    own
      .filter((line) => line.direction === direction && line.path === '/health')
      .filter(({ source_spiffe_id }) => String(source_spiffe_id).includes('/clean/'))
      .map(({ request_id, decision_id }) => `${request_id} ${decision_id}`);
  assert.is(ids('outbound').length, 3);
  assert.equal(ids('outbound'), ids('inbound'));
  assert.match(ids('outbound').join('\n'), /^(\S{36} \S{64,71}\n?){3}$/);
});

test('an identity taken away loses its live connections within a second', async () => {
  const agent = new CliProcess([
    ...['run', agentFile('cut', await cutBody()), '--tenant', 'acme', '--state', state, '--quiet'],
  ]);
  await agent.printed(/open/);
  const from = Date.now();
  assert.is((await runCli(['agents', 'delete', 'acme/cut', '--state', state])).code, 0);
  await agent.exited;
  const [, at] = agent.output.match(/closed at (\d+)/) ?? [];
  const log = readFileSync(join(state, 'access.log'), 'utf8');
  assert.match(
    log,
    /"source_spiffe_id":"spiffe:\/\/platform\.local\/agent\/acme\/cut\/main"[^\n]*svid_denied/,
  );
  // The command itself has to start, ask and be answered; the second is the proxy's.
  const told = readFileSync(join(state, 'identity.log'), 'utf8')
    .split('\n')
    .find((line) => line.includes('"type":"denied"') && line.includes('/cut/main'));
  const deniedAt = Date.parse(JSON.parse(told ?? '{}').time);
  assert.ok(deniedAt >= from && Number(at) - deniedAt < 1000, `${Number(at) - deniedAt} ms`);
  assert.match(agent.output, /again (svid_missing|identity_unavailable)/);
});

/** Keeps a connection open by half a request, then asks for an SVID once more. */
async function cutBody(): Promise<string> {
  return `const { closed } = await directly(${await inboundPort()}, 'gateway', 'GET /health HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n');
console.log('open');
await closed;
console.log('closed at', Date.now());
await openWorkloadSource({ socketPath: process.env.PLATFORM_SPIFFE_SOCKET!, timeoutMs: 500 })
  .then(() => console.log('again an SVID'), (error) => console.log('again', error.code));`;
}

test('a process of no agent gets no identity, and that is on record', async () => {
  const { workload_socket: socket } = await machine.control.call('GET', '/api/v1/status');
  const code = await openWorkloadSource({ socketPath: String(socket), timeoutMs: 500 }).then(
    () => 'an identity',
    (error) => error.code,
  );
  assert.is(code, 'svid_missing');
  const { calls } = await machine.control.call('GET', '/api/v1/calls');
  const denial = (calls as JsonObject[]).find(
    ({ subject }) => (subject as JsonObject).pid === process.pid,
  );
  assert.equal([denial?.verdict, denial?.boundary, denial?.spiffeId], ['denied', 'mesh', '']);
});

test('a JWT-SVID holds for a third party that knows nothing but the issuer', async () => {
  const body = `const held = await source();
console.log('token', (await held.fetchJwt({ audience: 'https://cloud.example' })).token);`;
  const { output } = await run(agentFile('federated', body));
  const [, token = ''] = output.match(/token (\S+)/) ?? [];
  const { health } = await machine.control.call('GET', '/api/v1/status');
  const issuer = new URL(String(health)).origin;
  const discovered = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { jwks_uri } = (await discovered.json()) as { jwks_uri: string };
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), {
    ...{ issuer, audience: 'https://cloud.example', algorithms: ['RS256'] },
  });
  assert.is(payload.sub, 'spiffe://platform.local/agent/acme/federated/main');
});

test('keys rotate while agents call, and no call fails', async () => {
  // Every third call is one that policy decides, together well within 120 a minute.
  const body = `await ask('PUT', '/api/v1/secrets/steady', { value: 'kept' });
const held = await source();
console.log('ready');
let decided = 0;
for (let index = 0; index < 150; index += 1) {
  const path = index % 3 === 0 ? '/api/v1/secrets/steady' : '/health';
  const answer = await ask('GET', path);
  if (answer === '200 kept') decided += 1;
  else if (path !== '/health' || !answer.startsWith('200')) console.log('failed', answer);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const { bundles, svids } = held.current();
for (const der of bundles.get(process.env.PLATFORM_TRUST_DOMAIN!)!) console.log('ca', Buffer.from(der).toString('base64'));
console.log('own', Buffer.from(svids[0]!.certificates[0]!).toString('base64'));
console.log('done', decided);`;
  const agent = new CliProcess([
    ...['run', agentFile('steady', body), '--tenant', 'acme', '--state', state, '--quiet'],
  ]);
  await agent.printed(/ready/);
  const before = await shownBy('gateway');
  const rotated = await machine.control.call('POST', '/api/v1/identity/rotate', { keys: 'x509' });
  assert.ok((rotated.keys as { x509: unknown[] }).x509.length >= 2, 'the old CA is still trusted');
  const [, decided] = await agent.printed(/done (\d+)/);
  assert.not.match(agent.output, 'failed');
  assert.is(decided, '50');
  await agent.exited;
  const after = await shownBy('gateway');
  const certificates = (kind: string) =>
    [...agent.output.matchAll(new RegExp(`^${kind} (\\S+)$`, 'gm'))].map(
      ([, der = '']) => new X509Certificate(Buffer.from(der, 'base64')),
    );
  const bundle = certificates('ca');
  const [own] = certificates('own');
  const signers = (leaf: X509Certificate | undefined) =>
    bundle.filter((ca) => leaf?.checkIssued(ca) && leaf.verify(ca.publicKey));
  const [oldCa, newCa, ownCa] = [before, after, own].map(signers);
  assert.equal([oldCa?.length, newCa?.length, ownCa?.length], [1, 1, 1]);
  assert.is.not(newCa?.[0], oldCa?.[0], 'the service shows an SVID of the new CA');
  assert.is(ownCa?.[0], newCa?.[0], 'and so does the agent');
});

test('SVIDs live as long as the operator says, and no time that is none is taken', async () => {
  const { validFromDate, validToDate } = await shownBy('vault');
  // Five minutes, and the five by which the beginning lies back.
  assert.is(validToDate.getTime() - validFromDate.getTime(), 600_000);
  for (const bad of ['4m', '25h', 'soon']) {
    const { code, output } = await runCli(['up', '--state', state, '--svid-ttl', bad]);
    assert.is(code, 2);
    assert.match(output, `--svid-ttl ${bad} is not a time from 5m to 24h`);
  }
});

test('what was recorded holds: every decision is the same when it is made again', async () => {
  const argv = ['audit', '--verify', '--stored-openings', '--state', state];
  const { code, output } = await runCli(argv);
  assert.is(code, 0, output);
  assert.match(output, /diverged +0/);
  for (const file of ['evidence/segment', 'access.log', 'identity.log']) {
    const text = readFileSync(join(state, file), 'latin1');
    assert.not.match(text, /hunter2-hunter2|k-9f8e7d6c5b4a-echoed|BEGIN [A-Z ]*KEY|eyJhbGciOi/);
  }
});

test.run();
