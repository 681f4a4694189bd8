// Runs both agents of this folder under a real platform, with a tool that echoes the key it was given.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli, startMachine, type TestMachine } from '../../cli/up/testing.ts';
import { needs } from '../../runtime/testing/needs.ts';

const folder = mkdtempSync(join(tmpdir(), 'vault-'));
const entry = fileURLToPath(new URL('../../cli/platform.ts', import.meta.url));
const key = 'desk-key-0f9a7c';
const seen: (string | undefined)[] = [];
const desk = createServer(({ headers }, response) => {
  seen.push(headers.authorization);
  response.writeHead(200, { 'content-type': 'application/json' });
  const { authorization = '' } = headers;
  response.end(JSON.stringify({ authorization, base64: btoa(`key=${authorization}`) }));
});
const test = suite<{ machine: TestMachine }>('vault example');

test.before(async (context) => {
  context.machine = await startMachine(folder);
  await new Promise<void>((resolve) => desk.listen(0, '127.0.0.1', resolve));
  await context.machine.control.call('POST', '/api/v1/tools/register', {
    base_url: `http://127.0.0.1:${(desk.address() as AddressInfo).port}`,
    ...{ prefix: 'desk', service: 'desk' },
    credential: { name: 'desk-key', header: 'authorization', format: 'Bearer {value}' },
    tools: [
      {
        ...{ name: 'echo', description: 'Says what it was sent', action: 'read' },
        input_schema: { type: 'object', properties: {}, additionalProperties: false },
        http: { method: 'GET', path: '/echo' },
      },
    ],
  });
  const put = ['secrets', 'put', 'desk-key', '--tenant', 'acme', '--state', folder];
  execFileSync(process.execPath, [entry, ...put], { input: key });
});
test.after(async ({ machine }) => {
  await machine?.cli.end('SIGTERM');
  desk.closeAllConnections();
  desk.close();
  rmSync(folder, { recursive: true });
});

const languages = needs('python') ? ['ts', 'py'] : ['ts'];
languages.forEach((language, index) => {
  test(`agent.${language} uses its secret, and a tool's key that it does not see`, async () => {
    const file = fileURLToPath(new URL(`agent.${language}`, import.meta.url));
    const argv = ['run', file, '--tenant', 'acme', '--state', folder];
    const { code, output } = await runCli(argv);
    assert.is(code, 0, output);
    assert.match(output, `kept version ${index + 1}`);
    assert.match(output, 'ann logged in with a password of 21 characters');
    assert.match(output, 'mine: db-password, desk-key');
    assert.match(output, 'refused: secret_denied');
    assert.is(seen.at(-1), `Bearer ${key}`);
    assert.match(output, 'Bearer [redacted]');
    for (const form of [key, 'correct horse', btoa(key).slice(2, 14)])
      assert.not.match(output, form);
  });
});

test.run();
