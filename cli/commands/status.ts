// `platform status`: what runs on this machine.
import Table from 'cli-table3';
import pc from 'picocolors';
import type { JsonObject } from '../../runtime/json.ts';
import type { Command } from '../command.ts';
import { controlClient } from '../control-client.ts';
import { parseOptions } from '../options.ts';
import { stateFolder } from '../state-folder.ts';

const help = `Usage
  platform status [options]

Shows the agents that run, the bundles in force, the evidence log and the addresses.

Options
  --json        the same as one JSON object
  --state DIR   the platform's state folder

Exit codes
  0 it runs, 69 it does not

Examples
  platform status
  platform status --json`;

export const status: Command = {
  name: 'status',
  summary: 'show the agents, bundles and evidence of the running platform',
  help,
  async run(argv) {
    const { values } = parseOptions(argv, {
      json: { type: 'boolean' },
      state: { type: 'string' },
    });
    const state = stateFolder(values.state);
    const facts = await controlClient(state).call('GET', '/api/v1/status');
    process.stdout.write(
      values.json ? `${JSON.stringify(facts, null, 2)}\n` : `${statusText(facts)}\n`,
    );
    return 0;
  },
};

interface AgentRow {
  tenant: string;
  agent: string;
  spiffe_ids: string[];
  pid: number;
  calls: { allowed: number; denied: number; parked: number };
}

function statusText(facts: JsonObject): string {
  const agents = facts.agents as unknown as AgentRow[];
  const mesh = facts.mesh as Record<string, string>;
  const bundles = facts.bundles as Record<string, string>;
  const evidence = facts.evidence as Record<string, string | number>;
  const lines = [
    `${pc.green('running')} since ${facts.started_at}, pid ${facts.pid}, state ${facts.state}`,
    `page      ${facts.page}`,
    `health    ${facts.health}`,
    `mesh      mutual TLS on ${mesh.inbound}, log ${mesh.access_log}`,
    `          health ${mesh.health}, metrics ${mesh.metrics}`,
    identityLine(facts.identity as JsonObject),
    `policy    ${bundles.policy}`,
    `data      ${bundles.data}`,
    ...(bundles.compared ? [`${pc.yellow('compared')}  ${bundles.compared}`] : []),
    ...(bundles.error ? [`${pc.red('refused')}   ${bundles.error}`] : []),
    `evidence  ${evidence.size} rows, ${evidence.bytes} bytes, ${evidence.state}`,
    `waiting   ${facts.approvals} approvals`,
  ];
  if (agents.length === 0) return [...lines, 'no agent runs'].join('\n');
  const table = new Table({
    head: ['agent', 'pid', 'identities', 'allowed', 'denied', 'parked'],
    style: { head: [], border: [], compact: true },
  });
  for (const { tenant, agent, pid, spiffe_ids, calls } of agents) {
    const { allowed, denied, parked } = calls;
    table.push([`${tenant}/${agent}`, pid, spiffe_ids.join('\n'), allowed, denied, parked]);
  }
  return [...lines, table.toString()].join('\n');
}

function identityLine(identity: JsonObject): string {
  const { x509 } = identity.authorities_expire_at as Record<string, string>;
  const away = identity.connected === true ? '' : pc.red(', the identity server is away');
  return `identity  CA until ${x509}, ${identity.denied} identities on the deny-list${away}`;
}
