// What an agent leaves behind when it ends, and what becomes of an agent that ends its own launcher.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readProcess } from '../runtime/identity/process.ts';
import { needs } from '../runtime/testing/needs.ts';
import { CliProcess, startMachine, type TestMachine } from './up/testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'run-agent-'));
const stateDir = join(folder, 'state');
let machine: TestMachine;

const test = suite('run-agent');
test.before(async () => {
  machine = await startMachine(stateDir);
});
test.after(async () => {
  await machine.cli.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function run(name: string, body: string): Promise<number | string> {
  const file = join(folder, `${name}.py`);
  writeFileSync(file, body);
  return new CliProcess(['run', file, '--tenant', 'acme', '--state', stateDir, '--quiet']).exited;
}

async function written(file: string): Promise<string> {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
  return readFileSync(file, 'utf8');
}

if (needs('python')) {
  test('what an agent leaves behind ends with it', async () => {
    const file = join(folder, 'left-behind');
    const body = `
import os, time
told, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    os.write(tell, str(os.getpid()).encode()); time.sleep(30)
open(${JSON.stringify(file)}, 'w').write(os.read(told, 20).decode())
`;
    assert.is(await run('parent', body), 0);
    const pid = Number(readFileSync(file, 'utf8'));
    assert.ok(pid > 1);
    assert.is(readProcess(pid), undefined);
  });

  test('a daemon that kills its launcher does not become the operator', async () => {
    const file = join(folder, 'answer');
    const body = `
import os, signal, socket, time
launcher = os.getppid()
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    while os.getppid() != launcher: time.sleep(0.01)
    os.kill(launcher, signal.SIGKILL)
    while os.getppid() == launcher: time.sleep(0.01)
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(${JSON.stringify(machine.state.controlSocket)})
        s.sendall(b'GET /api/v1/approvals HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n')
        answer = s.recv(1000)
    open(${JSON.stringify(`${file}.new`)}, 'wb').write(answer)
    os.rename(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)}); os._exit(0)
time.sleep(3)
`;
    assert.is(await run('patricide', body), 'SIGKILL');
    assert.match(await written(file), /^HTTP\/1\.1 403[\s\S]*"code":"caller_unknown"/);
  });
}

test.run();
