// Reading agents' sources in both languages, well-formed and not.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PlatformError } from '../../runtime/errors.ts';
import { needs } from '../../runtime/testing/needs.ts';
import { analyseAgent } from './agent-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'analysis-'));
const test = suite('analysis');
test.after(() => rmSync(folder, { recursive: true }));

async function analyse(name: string, source: string) {
  const file = join(folder, name);
  writeFileSync(file, source);
  return analyseAgent(file);
}

async function failure(name: string, source: string): Promise<PlatformError> {
  try {
    await analyse(name, source);
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

if (needs('python')) {
  test('a Python agent is read without being run', async () => {
    const found = await analyse(
      'agent.py',
      `
import os, subprocess
from crewai import Agent
import platform_agent as p
SERVICES = ["orders:read", "mail"]
raise SystemExit("never run")

@p.platform_agent(name="order-bot", tenant="acme", resources=SERVICES,
                  subprocess_support=True)
def main():
    subprocess.run(["x"], env={**os.environ, "PLATFORM_ROLE": "writer"})
    os.environ["PLATFORM_ROLE"] = "main"
`,
    );
    assert.equal(found, {
      language: 'python',
      name: 'order-bot',
      tenant: 'acme',
      resources: ['orders:read', 'mail'],
      roles: ['writer'],
      subprocessSupport: true,
      framework: 'crewai',
    });
  });

  test('roles count only where the agent says that it has child processes', async () => {
    const found = await analyse(
      'agent.py',
      '@platform_agent(name="a", tenant="t")\ndef a(): x = {"PLATFORM_ROLE": "writer"}',
    );
    assert.equal(found.roles, []);
  });

  test('what only running would tell is absent', async () => {
    const found = await analyse('agent.py', '@platform_agent(name=f(), tenant=T)\ndef a(): ...');
    assert.is(found.name, undefined);
    assert.is(found.subprocessSupport, false);
    assert.equal(found.resources, []);
    assert.is(found.framework, 'pure_python');
  });

  test('a Python syntax error names its line', async () => {
    const error = await failure('agent.py', 'x = 1\ndef (:\n');
    assert.is(error.code, 'configuration_invalid');
    assert.is(error.data.line, 2);
  });

  test('source that is hostile to a parser is refused, not followed', async () => {
    const nested = await failure('agent.py', `x = ${'('.repeat(100_000)}`);
    assert.is(nested.code, 'configuration_invalid');
    const nul = await failure('agent.py', 'x = 1\0');
    assert.is(nul.code, 'configuration_invalid');
  });
}

test('a TypeScript agent is read without being run', async () => {
  const found = await analyse(
    'agent.ts',
    `
import { platformAgent } from '@platform/sdk';
import '@langchain/core';
process.exit(1);
const resources = ['orders:read', 'mail'] as const;
export const main = platformAgent({ name: 'order-bot', 'tenant': \`acme\`, resources, resources2: 1,
  subprocessSupport: true }, async () => { spawn('x', { env: { PLATFORM_ROLE: 'writer' } }); });
platformAgent({ name: 'second' });
`,
  );
  assert.equal(found, {
    language: 'typescript',
    name: 'order-bot',
    tenant: 'acme',
    resources: ['orders:read', 'mail'],
    roles: ['writer'],
    subprocessSupport: true,
    framework: 'langchain',
  });
});

test('a TypeScript syntax error names its line and column', async () => {
  const error = await failure('agent.ts', 'const a = 1;\nconst = 2;\n');
  assert.equal([error.data.line, error.data.column], [2, 7]);
});

test('a list that is not all text is refused', async () => {
  const error = await failure('agent.ts', 'platformAgent({ name: "a", resources: ["a", f()] })');
  assert.match(error.message, 'resources is not a list of text');
});

test('another kind of file, a missing and a huge one are refused', async () => {
  assert.match((await failure('agent.rb', '')).message, 'neither Python nor TypeScript');
  assert.match((await failure('agent.ts', 'a'.repeat(1024 * 1024 + 1))).message, 'over');
  try {
    await analyseAgent(join(folder, 'absent.ts'));
    assert.unreachable();
  } catch (error) {
    assert.is((error as PlatformError).code, 'configuration_invalid');
  }
});

test.run();
