// `platform agents`: lists the agents that run, and takes an agent's identity away.
import { PlatformError } from '../../runtime/errors.ts';
import type { JsonObject } from '../../runtime/json.ts';
import type { Command } from '../command.ts';
import { type ControlClient, controlClient } from '../control-client.ts';
import { parseOptions, UsageError } from '../options.ts';
import { stateFolder } from '../state-folder.ts';

const help = `Usage
  platform agents list [options]
  platform agents delete <id | tenant/agent> [options]

A deleted agent is refused from its next request on, over connections that are open too. Its
processes are left alone.

Options
  --json        print JSON
  --state DIR   the platform's state folder

Examples
  platform agents list
  platform agents delete acme/order-bot`;

export const agents: Command = {
  name: 'agents',
  summary: 'list agents, or take the identity of one away',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      { json: { type: 'boolean' }, state: { type: 'string' } },
      2,
    );
    const control = controlClient(stateFolder(values.state));
    const [verb = 'list', which] = positionals;
    if (verb === 'list' && which === undefined) return list(control, values.json === true);
    if (verb !== 'delete') throw new UsageError(`"${verb}" is neither list nor delete`);
    if (which === undefined) throw new UsageError('which agent? name its id or tenant/agent');
    return remove(control, which, values.json === true);
  },
};

async function registered(control: ControlClient): Promise<JsonObject[]> {
  return (await control.call('GET', '/api/v1/agents')).agents as JsonObject[];
}

async function list(control: ControlClient, asJson: boolean): Promise<number> {
  const found = await registered(control);
  const lines = found.map(
    ({ id, tenant, agent, pid, resources }) =>
      `${id}  ${tenant}/${agent}  pid ${pid}  ${(resources as string[]).join(' ')}`,
  );
  process.stdout.write(asJson ? `${JSON.stringify(found)}\n` : `${lines.join('\n') || 'none'}\n`);
  return 0;
}

async function remove(control: ControlClient, which: string, asJson: boolean): Promise<number> {
  const found = await registered(control);
  const matching = found.filter(
    ({ id, tenant, agent }) => id === which || `${tenant}/${agent}` === which,
  );
  const ids = matching.map(({ id }) => String(id));
  if (ids.length === 0) throw new PlatformError('agent_unknown', `no agent ${which} runs`);
  for (const id of ids) {
    await control.call('DELETE', `/api/v1/agents/${encodeURIComponent(id)}`);
  }
  process.stdout.write(asJson ? `${JSON.stringify({ deleted: ids })}\n` : `deleted ${which}\n`);
  return 0;
}
