// The demo of `npm start`: a sample tool server, a sample agent, and an operator who answers for you.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import pc from 'picocolors';
import { orderDeskSpecs, startOrderDesk } from '../../examples/quickstart/order-desk.ts';
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Call } from '../../services/console/calls.ts';
import { type ControlClient, controlClient } from '../control-client.ts';
import { subjectOf, verdictOf } from '../print-call.ts';
import { type RunningAgent, runAgent } from '../run-agent.ts';
import type { StateFolder } from '../state-folder.ts';

const folder = new URL('../../examples/quickstart/', import.meta.url);
const credentialName = 'order-desk';

export interface Demo {
  policies: string[];
  /** Runs the sample agent and prints what became of each of its calls. */
  show(state: StateFolder, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Starts the sample tool server; its key is random, and the vault of the platform is to hold it. */
export async function prepareDemo(): Promise<Demo> {
  const key = randomBytes(24).toString('base64url');
  const desk = await startOrderDesk(key);
  return {
    policies: [fileURLToPath(new URL('policies', folder))],
    async show(state, signal) {
      const control = controlClient(state);
      await keepKey(control, key);
      await registerTools(control, desk.url);
      await runSample(control, signal);
    },
    close: () => desk.close(),
  };
}

/** What `platform secrets put order-desk --tenant acme` does: the gateway injects it, no agent sees it. */
async function keepKey(control: ControlClient, value: string): Promise<void> {
  const { trust_domain: trustDomain } = await control.call('GET', '/api/v1/status');
  const scope = `spiffe://${trustDomain}/agent/acme/*`;
  await control.call('PUT', `/api/v1/secrets/${credentialName}`, { value, scope });
}

async function registerTools(control: ControlClient, base_url: string): Promise<void> {
  const credential = { name: credentialName, header: 'x-api-key', format: '{value}' };
  for (const [service, spec] of Object.entries(orderDeskSpecs())) {
    const body = { spec: spec as JsonObject, base_url, prefix: service, service, credential };
    await control.call('POST', '/api/v1/tools/register', body);
  }
}

async function runSample(control: ControlClient, signal: AbortSignal): Promise<void> {
  const calls = new Map<string, Call>();
  const said: string[] = [];
  let agent: RunningAgent | undefined;
  const parked = new Set<string>();
  const code = await runAgent(
    control,
    {
      file: fileURLToPath(new URL('agent.ts', folder)),
      tenant: 'acme',
      name: 'order-helper',
      resources: ['orders'],
      prompt: 'Ada wants her telescope, order 1001, refunded. Help her.',
      output: 'pipe',
    },
    {
      onRegistered: (registered) => {
        agent = registered;
        process.stdout.write(`\n${pc.bold('sample agent')} ${registered.spiffeIds.join(' ')}\n`);
        process.stdout.write(`  may use ${registered.resources.join(', ')}\n`);
      },
      onCall: (call) => {
        calls.set(call.action, call);
        const isWaiting = call.verdict === 'parked' && call.outcome === undefined;
        if (!isWaiting || parked.has(call.action)) return;
        parked.add(call.action);
        void answerAsOperator(control, agent).catch(() => {}); // it expires, and the table says so
      },
      onOutput: (chunk) => void said.push(chunk),
    },
  );
  if (signal.aborted) return;
  if (code !== 0) {
    throw new PlatformError('internal', `the sample agent ended with ${code}: ${said.join('')}`);
  }
  const lines = said.join('').trimEnd().replaceAll(/^/gm, '  ');
  process.stdout.write(`\n${pc.bold('what it got')}\n${lines}\n`);
  process.stdout.write(
    `\n${pc.bold('what was decided')}\n${tableOf([...calls.values()], parked)}\n`,
  );
}

/** What a person does with `platform approvals allow <id>` or on the local page. */
async function answerAsOperator(
  control: ControlClient,
  agent: RunningAgent | undefined,
): Promise<void> {
  const { approvals } = await control.call('GET', '/api/v1/approvals');
  for (const { id, state, spiffe_id } of approvals as JsonObject[]) {
    if (state !== 'pending' || !agent?.spiffeIds.includes(String(spiffe_id))) continue;
    await control.call('POST', `/api/v1/approvals/${id}`, { verdict: 'allow' });
  }
}

function tableOf(calls: readonly Call[], parked: ReadonlySet<string>): string {
  const table = new Table({
    head: ['call', 'verdict', 'rule', 'decision id'],
    style: { head: [], border: [], compact: true },
  });
  for (const call of calls) {
    const asked = parked.has(call.action) ? ', a person was asked' : '';
    table.push([subjectOf(call), verdictOf(call) + asked, call.rule, call.decisionId.slice(0, 12)]);
  }
  return table.toString();
}
