// `platform approvals`: shows the calls that wait for a person, and answers them.
import pc from 'picocolors';
import type { JsonObject } from '../../runtime/json.ts';
import type { Command } from '../command.ts';
import { type ControlClient, controlClient } from '../control-client.ts';
import { parseOptions, UsageError } from '../options.ts';
import { stateFolder } from '../state-folder.ts';

const help = `Usage
  platform approvals [list] [options]
  platform approvals allow <id> [options]
  platform approvals deny <id> [options]

A call that policy parks waits until a person answers it or it expires. An answer is signed, counts
once, and for that call with those arguments only. The beginning of an id is enough where only one
waiting call has it.

Options
  --all         list answered and expired ones too
  --json        print JSON
  --state DIR   the platform's state folder

Examples
  platform approvals
  platform approvals allow 3f2a`;

export const approvals: Command = {
  name: 'approvals',
  summary: 'list the calls that wait for a person, and allow or deny them',
  help,
  async run(argv) {
    const { values, positionals } = parseOptions(
      argv,
      { all: { type: 'boolean' }, json: { type: 'boolean' }, state: { type: 'string' } },
      2,
    );
    const control = controlClient(stateFolder(values.state));
    const [verb = 'list', id] = positionals;
    const asJson = values.json === true;
    if (verb === 'list' && id === undefined) return list(control, values.all === true, asJson);
    if (verb !== 'allow' && verb !== 'deny') {
      throw new UsageError(`"${verb}" is none of list, allow and deny`);
    }
    if (id === undefined) throw new UsageError(`which one? platform approvals ${verb} <id>`);
    return answer(control, id, verb, asJson);
  },
};

async function known(control: ControlClient): Promise<JsonObject[]> {
  return (await control.call('GET', '/api/v1/approvals')).approvals as JsonObject[];
}

async function list(control: ControlClient, all: boolean, asJson: boolean): Promise<number> {
  const found = (await known(control)).filter(({ state }) => all || state === 'pending');
  process.stdout.write(asJson ? `${JSON.stringify(found)}\n` : `${listText(found)}\n`);
  return 0;
}

function listText(found: readonly JsonObject[]): string {
  if (found.length === 0) return 'nothing waits for an approval';
  return found
    .map((each) => {
      const { id, spiffe_id, tool, question, state, expires_at } = each;
      const head = `${pc.bold(String(id))}  ${state}, expires ${expires_at}`;
      // Compact JSON, so that no line break in an argument can imitate another entry.
      const call = `${tool} ${JSON.stringify(each.arguments)}`;
      return `${head}\n  ${spiffe_id}\n  ${JSON.stringify(question)}\n  ${call}`;
    })
    .join('\n');
}

async function answer(
  control: ControlClient,
  id: string,
  verdict: 'allow' | 'deny',
  asJson: boolean,
): Promise<number> {
  const waiting = (await known(control)).filter(({ state }) => state === 'pending');
  const meant = waiting.filter((each) => String(each.id).startsWith(id));
  if (meant.length > 1) throw new UsageError(`"${id}" is the beginning of ${meant.length} ids`);
  // An id that does not wait is still sent: the platform says why it cannot be answered.
  const whole = meant[0] === undefined ? id : String(meant[0].id);
  const path = `/api/v1/approvals/${encodeURIComponent(whole)}`;
  const result = await control.call('POST', path, { verdict });
  const past = verdict === 'allow' ? 'allowed' : 'denied';
  process.stdout.write(asJson ? `${JSON.stringify(result)}\n` : `${past} ${whole}\n`);
  return 0;
}
