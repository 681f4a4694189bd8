// `platform run`: runs a Python or TypeScript agent on this machine, each role under its own identity.
import pc from 'picocolors';
import type { Call } from '../../services/console/calls.ts';
import type { Command } from '../command.ts';
import { controlClient } from '../control-client.ts';
import { parseOptions, UsageError } from '../options.ts';
import { callLine } from '../print-call.ts';
import { runAgent } from '../run-agent.ts';
import { stateFolder } from '../state-folder.ts';

const help = `Usage
  platform run <agent file> --tenant <tenant> [options] [-- <the agent's own arguments>]

Reads name, resources and roles from the source without running it, registers the agent with the
running platform, starts it, and prints each of its calls as it is decided. Ends with the agent's
exit code.

Options
  --tenant T         the tenant that the agent works for (required)
  --name N           the agent's name, in place of what the source declares
  --resources A,B    services it may use, "orders" or "orders:read", in place of the source's
  --roles A,B        roles that its processes may claim, beside those in the source and "main"
  --role R           the role of its first process
  --prompt TEXT      the user's request: the agent finds it in PLATFORM_PROMPT, the platform trusts it
  --quiet            do not print calls
  --json             print each call as one line of JSON, to standard error
  --state DIR        the platform's state folder

Environment
  PLATFORM_PYTHON    the Python interpreter of agents; python3

Examples
  platform run agent.py --tenant acme
  platform run agent.ts --tenant acme --resources orders:read,mail --prompt "Refund order 7"
  platform run crew.py --tenant acme --roles researcher,writer -- --verbose`;

export const run: Command = {
  name: 'run',
  summary: 'run a Python or TypeScript agent under the platform',
  help,
  async run(argv) {
    const separator = argv.indexOf('--');
    const own = separator < 0 ? argv : argv.slice(0, separator);
    const { values, positionals } = parseOptions(
      own,
      {
        tenant: { type: 'string', short: 't' },
        name: { type: 'string' },
        resources: { type: 'string' },
        roles: { type: 'string' },
        role: { type: 'string' },
        prompt: { type: 'string' },
        quiet: { type: 'boolean' },
        json: { type: 'boolean' },
        state: { type: 'string' },
      },
      1,
    );
    const [file] = positionals;
    if (file === undefined) throw new UsageError('which agent? name its file');
    if (values.tenant === undefined) throw new UsageError('--tenant is required');
    const print = (line: string) => process.stderr.write(`${line}\n`);
    const printed = new Map<string, string>();
    const printCall = (call: Call): void => {
      const line = values.json ? JSON.stringify(call) : callLine(call);
      // A call that only ended as decided reads the same as before.
      if (printed.get(call.action) !== line) print(line);
      printed.set(call.action, line);
    };
    return runAgent(
      controlClient(stateFolder(values.state)),
      {
        file,
        tenant: values.tenant,
        name: values.name,
        resources: listOf(values.resources),
        roles: listOf(values.roles),
        role: values.role,
        prompt: values.prompt,
        arguments: separator < 0 ? [] : argv.slice(separator + 1),
      },
      {
        onRegistered(agent) {
          if (values.quiet || values.json) return;
          for (const id of agent.spiffeIds) print(`${pc.dim('identity')} ${id}`);
          print(`${pc.dim('granted')}  ${agent.resources.join(' ') || 'nothing'}`);
        },
        ...(values.quiet ? {} : { onCall: printCall }),
      },
    );
  },
};

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').flatMap((part) => part.trim() || []);
}
