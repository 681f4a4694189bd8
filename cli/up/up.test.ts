// The whole machine in real processes: up, run, status, approvals, stop, and what goes wrong.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/json.ts';
import { Caller } from '../../runtime/testing/caller.ts';
import type { Call } from '../../services/console/calls.ts';
import {
  CliProcess,
  runCli,
  startMachine,
  startUpstream,
  type TestMachine,
  type TestUpstream,
  upstreamTools,
} from './testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'up-'));
const stateDir = join(folder, 'state');
const policies = join(folder, 'policies');
let machine: TestMachine;
let upstream: TestUpstream;

const test = suite('up');
test.before(async () => {
  mkdirSync(policies);
  upstream = await startUpstream();
  machine = await startMachine(stateDir, ['--policies', policies]);
  await machine.control.call('POST', '/api/v1/tools/register', upstreamTools(upstream.url));
});
test.after(async () => {
  await machine.cli.end('SIGKILL');
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes an agent that talks HTTP over Unix sockets by hand, as a hostile one would. */
function agentFile(name: string, body: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { request } from 'node:http';
const own = process.env.PLATFORM_GATEWAY_URL.slice(5);
const ask = (socketPath, method, path, body) => new Promise((resolve) => {
  const call = request({ socketPath, method, path, headers: { 'content-type': 'application/json' } },
    async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(response.statusCode + ' ' + (JSON.parse(text).code ?? 'ok'));
    });
  call.on('error', (error) => resolve(error.code));
  call.end(body === undefined ? undefined : JSON.stringify(body));
});
const tool = (name) => ask(own, 'POST', '/api/v1/tools/' + name + '/execute', { arguments: {} });
${body}
`,
  );
  return file;
}

const run = (file: string, ...more: string[]) =>
  runCli(['run', file, '--tenant', 'acme', '--state', stateDir, ...more]);

async function calls(): Promise<Call[]> {
  return (await machine.control.call('GET', '/api/v1/calls')).calls as unknown as Call[];
}

test('an agent runs under its own identity and its exit code is passed on', async () => {
  const file = agentFile(
    'order-bot',
    `console.log('fast', await tool('desk_fast'), process.env.PLATFORM_TENANT); process.exit(7);`,
  );
  const { code, output } = await run(file, '--resources', 'desk:read');
  assert.is(code, 7);
  assert.match(output, 'fast 200 ok acme');
  assert.match(output, 'identity spiffe://platform.local/agent/acme/order-bot/main');
  assert.match(output, /allowed desk_fast by platform\.tool\.granted [0-9a-f]{12}/);
  assert.equal(upstream.asked.splice(0), ['/fast']);
});

test('what was not granted is denied, shown, and has no effect', async () => {
  const { output } = await run(agentFile('poor', `console.log(await tool('desk_fast'));`));
  assert.match(output, '403 denied');
  assert.match(output, 'denied desk_fast by platform.tool.service_not_granted');
  assert.equal(upstream.asked, []);
});

test('an agent reaches neither the gateway past its proxy nor the operator’s socket', async () => {
  const { gateway, control } = {
    gateway: JSON.stringify(join(machine.state.run, 'gateway.sock')),
    control: JSON.stringify(machine.state.controlSocket),
  };
  const file = agentFile(
    'climber',
    `import { spawn } from 'node:child_process';
console.log('gateway', await ask(${gateway}, 'GET', '/api/v1/tools'));
console.log('control', await ask(${control}, 'GET', '/api/v1/approvals'));
console.log('own', await ask(own, 'GET', '/api/v1/approvals'));
// A daemon: its shell ends first, so that it loses every link to this process but its launcher.
const script = "setTimeout(() => ask(${control.replaceAll('"', "'")}, 'GET', '/api/v1/approvals')" +
  ".then((answer) => console.log('daemon', answer)), 200); const { request } = require('node:http');" +
  "const ask = " + ask.toString();
await new Promise((resolve) => spawn('sh', ['-c', '"$0" -e "$1" &', process.execPath, script],
  { stdio: 'inherit', detached: true }).on('exit', resolve));
await new Promise((resolve) => setTimeout(resolve, 1500));`,
  );
  const { output } = await run(file, '--quiet');
  assert.match(output, 'gateway 403 caller_unknown');
  assert.match(output, 'control 403 caller_unknown');
  assert.match(output, 'own 404 route_unknown');
  assert.match(output, 'daemon 403 caller_unknown');
});

test('sockets are private, and a foreign process is refused at each of them', async () => {
  assert.is(statSync(machine.state.run).mode & 0o777, 0o700);
  const stranger = new Caller();
  const agent = new CliProcess([
    ...['run', agentFile('waiter', `await tool('desk_slow');`), '--tenant', 'acme'],
    ...['--state', stateDir, '--resources', 'desk'],
  ]);
  try {
    await upstream.slowAsked();
    const { agents } = await machine.control.call('GET', '/api/v1/agents');
    const { gateway_url: url } = (agents as JsonObject[])[0] ?? {};
    const proxySocket = String(url).slice('unix:'.length);
    const get = 'GET /api/v1/tools HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    for (const socket of [proxySocket, join(machine.state.run, 'gateway.sock')]) {
      assert.is(statSync(socket).mode & 0o777, 0o600);
      const answer = await stranger.send(socket, get);
      assert.match(answer, /^HTTP\/1\.1 403[\s\S]*"code":"caller_unknown"/);
    }
    const denials = (await calls()).filter(({ subject }) => subject.pid === stranger.pid);
    assert.equal(
      denials.map(({ verdict, reason }) => [verdict, reason?.code]),
      [['denied', 'caller_unknown']],
    );
  } finally {
    await stranger.end();
    agent.process.kill('SIGTERM');
  }
  assert.is(await agent.exited, 143, 'a signal reaches the agent and its end is passed on');
});

test('an agent whose identity is taken away is refused at its next call', async () => {
  const file = agentFile(
    'removed',
    `console.log('first', await tool('desk_fast'));
process.stdin.resume();
for (;;) {
  const answer = await tool('desk_fast');
  if (!answer.startsWith('200')) { console.log('then', answer); process.exit(3); }
  await new Promise((resolve) => setTimeout(resolve, 50));
}`,
  );
  const agent = new CliProcess([
    ...['run', file, '--tenant', 'acme', '--state', stateDir, '--resources', 'desk'],
  ]);
  await agent.printed(/first 200 ok/);
  const deleted = await runCli(['agents', 'delete', 'acme/removed', '--state', stateDir]);
  assert.is(deleted.code, 0);
  assert.is(await agent.exited, 3);
  assert.match(agent.output, /then 403 svid_denied/);
  upstream.asked.splice(0);
});

test('status and agents show what runs, and say so when nothing does', async () => {
  const { output, code } = await runCli(['status', '--state', stateDir]);
  assert.is(code, 0);
  assert.match(output, /running since .*\n(.*\n)*evidence {2}\d+ rows/);
  const facts = JSON.parse((await runCli(['status', '--json', '--state', stateDir])).output);
  for (const address of [facts.mesh.health, facts.mesh.metrics])
    assert.ok(output.includes(address));
  assert.match(facts.bundles.policy, /^sha256:[0-9a-f]{64}$/);
  assert.equal(facts.agents, []);
  const absent = await runCli(['status', '--state', join(folder, 'absent')]);
  assert.is(absent.code, 69);
  assert.match(absent.output, 'platform_not_running');
  const unknown = await runCli(['agents', 'delete', 'acme/nobody', '--state', stateDir]);
  assert.is(unknown.code, 1);
  assert.match(unknown.output, 'agent_unknown');
});

test('a bad policy is shown with its line while the last good one serves, a good one is live', async () => {
  const asked = agentFile('asker', `console.log(await tool('desk_fast'));`);
  const from = machine.cli.output.length;
  const file = join(policies, 'mine.rego');
  writeFileSync(
    file,
    'package platform.tool.operator\n\ndeny contains {"code": "x"} if {\n\tnope(\n}\n',
  );
  await machine.cli.printed(/policy refused[\s\S]*mine\.rego:[45]/, from);
  assert.match((await run(asked, '--resources', 'desk')).output, '200 ok');
  const facts = await machine.control.call('GET', '/api/v1/status');
  assert.type((facts.bundles as JsonObject).error, 'string');
  writeFileSync(
    file,
    'package platform.tool.operator\n\ndeny contains {"code": "closed", "message": "closed today"} if {\n\tinput.action == "call"\n}\n',
  );
  await machine.cli.printed(/policy in force/, from);
  const denied = await run(asked, '--resources', 'desk');
  assert.match(denied.output, 'denied desk_fast by platform.tool.operator.closed: closed today');
  const again = machine.cli.output.length;
  rmSync(file);
  await machine.cli.printed(/policy in force/, again);
  assert.match((await run(asked, '--resources', 'desk')).output, '200 ok');
  upstream.asked.splice(0);
});

test('a second platform with the same state is refused and harms nothing', async () => {
  const second = await runCli(['up', '--state', stateDir, '--port', '0']);
  assert.is(second.code, 1);
  assert.match(second.output, 'state_locked');
  assert.is((await runCli(['status', '--state', stateDir])).code, 0);
});

test('a port in use, an unusable folder and a wrong option are said clearly', async () => {
  const facts = await machine.control.call('GET', '/api/v1/status');
  const { port } = new URL(String(facts.health));
  const taken = await runCli(['up', '--state', join(folder, 'other'), '--port', port]);
  assert.is(taken.code, 1);
  assert.match(taken.output, `address_in_use`);
  assert.match(taken.output, '--port');
  const withDemo = ['up', '--demo', '--state', join(folder, 'other'), '--port', port];
  assert.is((await runCli(withDemo)).code, 1, 'the sample tool server ends too');
  const after = new CliProcess(['up', '--state', join(folder, 'other'), '--port', '0']);
  await after.printed(/Ctrl-C stops it/);
  assert.is(await after.end('SIGTERM'), 0);
  writeFileSync(join(folder, 'a-file'), '');
  for (const state of ['/proc/platform', join(folder, 'a-file')]) {
    const unusable = await runCli(['up', '--state', state, '--port', '0']);
    assert.is(unusable.code, 1);
    assert.match(unusable.output, 'state_unwritable');
    assert.match(unusable.output, '--state');
  }
  for (const argv of [['up', '--port', 'x'], ['up', '--nope'], ['run'], ['aprovals'], []]) {
    assert.is((await runCli(argv)).code, 2, argv.join(' '));
  }
});

test('killed in the middle of a call, the next start recovers and closes the open intent', async () => {
  const hanging = upstream.slowAsked();
  const agent = new CliProcess([
    ...['run', agentFile('unlucky', `console.log(await tool('desk_slow'));`), '--tenant', 'acme'],
    ...['--state', stateDir, '--resources', 'desk'],
  ]);
  await hanging;
  assert.is(await machine.cli.end('SIGKILL'), 'SIGKILL');
  assert.is(await agent.exited, 0);
  assert.match(agent.output, /ECONNRESET|ENOENT|ECONNREFUSED/);
  machine = await startMachine(stateDir, ['--policies', policies]);
  const lost = (await calls()).filter(({ spiffeId }) => spiffeId.includes('/unlucky/'));
  assert.equal(
    lost.map(({ verdict, outcome }) => [verdict, outcome]),
    [['allowed', 'unknown']],
  );
  // The tools were kept; the agent has to come back by itself.
  const again = await run(agentFile('back', `console.log(await tool('desk_fast'));`), ...granted);
  assert.match(again.output, '200 ok');
});

const granted = ['--resources', 'desk'];

test('told to stop while a call hangs, it stops and leaves no socket behind', async () => {
  const hanging = upstream.slowAsked();
  const agent = new CliProcess([
    ...['run', agentFile('late', `console.log(await tool('desk_slow'));`), '--tenant', 'acme'],
    ...['--state', stateDir, ...granted],
  ]);
  await hanging;
  assert.is(await machine.cli.end('SIGINT'), 0);
  assert.match(machine.cli.output, 'stopped in');
  assert.throws(() => statSync(machine.state.run), /ENOENT/);
  assert.throws(() => statSync(machine.state.lockFile), /ENOENT/);
  await agent.exited;
});

test.run();
