// Tests of the agent wrapper: context, environment, marker file, telemetry.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpanStatusCode } from '@opentelemetry/api';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigurationError, currentAgent, platformAgent } from './index.ts';
import { keepSpans } from './testing-spans.ts';

const { spans, telemetry } = keepSpans();
test.after(() => telemetry.shutdown());

const names = ['AGENT_NAME', 'TENANT', 'ROLE', 'FRAMEWORK', 'CONTEXT_DIR'].map(
  (name) => `PLATFORM_${name}`,
);
test.before.each(() => {
  spans.length = 0;
  for (const name of names) delete process.env[name];
});

test('the function runs with its parameters and its context', async () => {
  const agent = platformAgent(
    { name: 'bot', tenant: 'acme', resources: ['codehost:read'] },
    async (a: number, b: number) => ({ sum: a + b, context: currentAgent() }),
  );
  const { sum, context } = await agent(1, 2);
  assert.is(sum, 3);
  assert.equal(context, {
    agentName: 'bot',
    tenant: 'acme',
    role: 'main',
    framework: 'pure_typescript',
    resources: ['codehost:read'],
  });
  assert.is(agent.context, context);
  assert.ok(Object.isFrozen(context));
});

test('agents that run at the same time keep their contexts apart', async () => {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const named = (name: string, ms: number) =>
    platformAgent({ name, tenant: 'acme' }, async () => {
      await wait(ms);
      return currentAgent()?.agentName;
    });
  const [slow, fast] = [named('slow', 20), named('fast', 1)];
  assert.equal(await Promise.all([slow(), fast()]), ['slow', 'fast']);
});

test('a plain function and its exception come through as a promise', async () => {
  const failing = platformAgent({ name: 'bot', tenant: 'acme' }, () => {
    throw new TypeError('with a secret');
  });
  const promise = failing();
  assert.instance(promise, Promise);
  try {
    await promise;
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TypeError);
  }
  const [span] = spans;
  assert.is(span!.name, 'platform.agent.invoke');
  assert.equal(span!.status, { code: SpanStatusCode.ERROR, message: 'TypeError' });
  assert.equal(span!.attributes, {
    agent_name: 'bot',
    tenant: 'acme',
    framework: 'pure_typescript',
    status: 'error',
  });
  assert.not.match(JSON.stringify(span!.events), 'secret');
});

test('the environment of the platform wins over the options', () => {
  process.env.PLATFORM_AGENT_NAME = 'real';
  process.env.PLATFORM_TENANT = 'other';
  process.env.PLATFORM_ROLE = 'writer';
  process.env.PLATFORM_FRAMEWORK = 'chain';
  const { context } = platformAgent({ name: 'bot', tenant: 'acme' }, () => 1);
  assert.equal(context, {
    agentName: 'real',
    tenant: 'other',
    role: 'writer',
    framework: 'chain',
    resources: [],
  });
});

test('the marker file is written where its folder is, under a safe name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marker-'));
  process.env.PLATFORM_CONTEXT_DIR = folder;
  process.env.PLATFORM_ROLE = '../../writer';
  platformAgent({ name: 'bot', tenant: 'acme' }, () => 1);
  assert.equal(readdirSync(folder), ['bot-______writer.json']);
  assert.equal(JSON.parse(readFileSync(join(folder, 'bot-______writer.json'), 'utf8')), {
    agent_name: 'bot',
    tenant: 'acme',
    process_role: '../../writer',
    container_pid: process.pid,
  });
  rmSync(folder, { recursive: true });
  platformAgent({ name: 'bot', tenant: 'acme' }, () => 1);
});

test('names, tenants and resources that could not be are refused', () => {
  for (const options of [
    { name: 'Bot', tenant: 'acme' },
    { name: '', tenant: 'acme' },
    { name: 'a--b', tenant: 'acme' },
    { name: 'bot', tenant: 'acme/x' },
    { name: 'bot', tenant: 'acme', resources: ['a:b:c'] },
    { name: 'bot', tenant: 'acme', resources: ['../x'] },
  ]) {
    assert.throws(
      () => platformAgent(options, () => 1),
      (error: unknown) => error instanceof ConfigurationError,
      JSON.stringify(options),
    );
  }
});

test.run();
