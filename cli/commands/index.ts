// Every command, in the order in which `platform --help` lists them.
import type { Command } from '../command.ts';
import { agents } from './agents.ts';
import { approvals } from './approvals.ts';
import { audit } from './audit.ts';
import { completionCommand } from './completion.ts';
import { decide } from './decide.ts';
import { guardCommand } from './guard/index.ts';
import { identity } from './identity.ts';
import { policyCommand } from './policy/index.ts';
import { run } from './run.ts';
import { secrets } from './secrets.ts';
import { status } from './status.ts';
import { up } from './up.ts';

export const commands: Command[] = [
  up,
  run,
  status,
  approvals,
  agents,
  identity,
  secrets,
  policyCommand,
  guardCommand,
  decide,
  audit,
  completionCommand(() =>
    commands.map(({ name, help, verbs = [] }) => ({
      name,
      verbs: verbs.map((verb) => verb.name),
      options: optionsIn([help, ...verbs.map((verb) => verb.help)].join(' ')),
    })),
  ),
];

function optionsIn(help: string): string[] {
  return [...new Set(help.match(/--[a-z-]+/g))];
}
