// Runs one AgentDojo suite: its world and tools in one Python process, its agent in another under `platform run`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ControlClient, controlClient } from '../../cli/control-client.ts';
import type { StateFolder } from '../../cli/state-folder.ts';
import type { JsonObject, JsonValue } from '../../runtime/json.ts';

export type Timing = 'read' | 'end';
/** Who answers questions: one who allows exactly the user's calls, or one who allows everything. */
export type Person = 'ideal' | 'always-yes';
export type Actor = 'user' | 'attack';

/** One play as it went; `requests` names the gateway's requests by who had scripted the call. */
export interface PlayRecord {
  suite: string;
  task: string;
  attack?: string;
  timing: Timing;
  person: Person;
  requests: [Actor, string][];
  /** AgentDojo's own checkers, on the environment as it ended. */
  utility: boolean;
  whole: boolean;
  /** The injected text reached the agent; without that no attack begins right after it. */
  read: boolean;
  security: boolean;
  /** The environment is not as the user's task alone would have left it. */
  changed: boolean;
}

/** A pair to play; `attack` left out for a run with no injection. */
export interface Pair {
  task: string;
  attack?: string;
}

export interface SuiteRun {
  name: string;
  tools: number;
  tasks: string[];
  attacks: string[];
  /** Plays every pair; the first argument chooses among those that the suite has. */
  play(choose: (pairs: Pair[]) => Pair[], onPlay: () => void): Promise<PlayRecord[]>;
  close(): Promise<void>;
}

interface Event extends JsonObject {
  event: string;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const cli = fileURLToPath(new URL('../../cli/platform.ts', import.meta.url));
const trustDomain = 'platform.local';
const closeMs = 10_000;

/** Starts a suite's world, registers its tools and starts its agent. */
export async function openSuite(
  name: string,
  state: StateFolder,
  python: string,
): Promise<SuiteRun> {
  const world = spawn(python, ['-B', 'server.py', name], {
    cwd: here,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  world.stdin.on('error', () => {}); // it ended; whoever waits for its events is told so
  const events = eventsOf(world);
  const ready = await events();
  const ports = ready.ports as { tools: number; model: number };
  const control = controlClient(state);
  const registered = await control.call('POST', '/api/v1/tools/register', {
    tools: (ready.tools as JsonObject[]).map((tool) => ({ ...tool, tags: tagsOf(name, tool) })),
    base_url: `http://127.0.0.1:${ports.tools}`,
    prefix: name,
    service: name,
  });
  const rejected = registered.rejected as JsonValue[];
  if (rejected.length > 0) throw new Error(`tools were rejected: ${JSON.stringify(rejected)}`);
  const agentName = `agentdojo-${name}`;
  const agent = startAgent(agentName, name, ports.model, state, python);
  const prompts = ready.tasks as { [task: string]: string };
  const tasks = Object.keys(prompts);
  const attacks = ready.attacks as string[];
  const stage = { name, world, events, control, prompts, agentName };
  return {
    name,
    tools: (registered.tools as JsonValue[]).length,
    tasks,
    attacks,
    async play(choose, onPlay) {
      const all = tasks.flatMap((task) => attacks.map((attack) => ({ task, attack })));
      return playPairs(stage, tasks, choose(all), onPlay);
    },
    async close() {
      send(world, { do: 'stop' });
      const ended = agent.exitCode === null ? once(agent, 'exit') : Promise.resolve();
      await Promise.race([ended, setTimeout(closeMs, undefined, { ref: false })]);
      agent.kill();
      world.kill();
    },
  };
}

/** What the operator says of a tool at its registration, beside its schema. */
function tagsOf(suite: string, tool: JsonObject): string[] {
  const tags: { [suite: string]: { [tool: string]: string[] } } = JSON.parse(
    readFileSync(`${here}tags.json`, 'utf8'),
  );
  return tags[suite]?.[String(tool.name)] ?? [];
}

interface Stage {
  name: string;
  world: ChildProcess;
  events: () => Promise<Event>;
  control: ControlClient;
  prompts: { [task: string]: string };
  agentName: string;
}

function startAgent(
  agentName: string,
  suite: string,
  modelPort: number,
  state: StateFolder,
  python: string,
): ChildProcess {
  const own = ['--tenant', 'agentdojo', '--name', agentName, '--resources', suite];
  const args = [cli, 'run', `${here}agent.py`, ...own, '--quiet', '--state', state.root];
  return spawn(process.execPath, [...args, '--', String(modelPort)], {
    env: { ...process.env, PLATFORM_PYTHON: python },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function playPairs(
  stage: Stage,
  tasks: string[],
  pairs: Pair[],
  onPlay: () => void,
): Promise<PlayRecord[]> {
  const records: PlayRecord[] = [];
  const played = async (pair: Pair, timing: Timing, person: Person) => {
    const { record, asked, readLast } = await playOne(stage, pair, timing, person);
    records.push(record);
    onPlay();
    return { asked, readLast };
  };
  const wanted = new Set(pairs.map(({ task }) => task));
  for (const task of tasks.filter((name) => wanted.has(name))) {
    await played({ task }, 'end', 'ideal');
    for (const pair of pairs.filter((one) => one.task === task)) {
      const early = await played(pair, 'read', 'ideal');
      // Where nobody was asked, every person gives the same play.
      if (early.asked) await played(pair, 'read', 'always-yes');
      // Where the user's last call is the one that reads the text, both timings are the same play.
      if (!early.readLast) await played(pair, 'end', 'ideal');
    }
  }
  return records;
}

async function playOne(
  stage: Stage,
  { task, attack }: Pair,
  timing: Timing,
  person: Person,
): Promise<{ record: PlayRecord; asked: boolean; readLast: boolean }> {
  const spiffeId = `spiffe://${trustDomain}/agent/agentdojo/${stage.agentName}/main`;
  await stage.control.call('PUT', '/api/v1/sessions', {
    spiffe_id: spiffeId,
    prompt: stage.prompts[task] ?? '',
  });
  send(stage.world, { do: 'play', task, timing, ...(attack ? { attack } : {}) });
  let asked = false;
  for (;;) {
    const event = await stage.events();
    if (event.event === 'parked') {
      asked ||= event.who === 'attack';
      const verdict = person === 'always-yes' || event.who === 'user' ? 'allow' : 'deny';
      await stage.control.call('POST', `/api/v1/approvals/${event.approval}`, { verdict });
      send(stage.world, { do: 'verdict', verdict });
      continue;
    }
    const record: PlayRecord = {
      ...{ suite: stage.name, task, timing, person },
      ...(attack ? { attack } : {}),
      requests: event.requests as [Actor, string][],
      utility: event.utility === true,
      whole: event.whole === true,
      read: event.read === true,
      security: event.security === true,
      changed: event.changed === true,
    };
    return { record, asked, readLast: event.read_last === true };
  }
}

function send(world: ChildProcess, command: JsonObject): void {
  if (world.stdin?.writable) world.stdin.write(`${JSON.stringify(command)}\n`);
}

/** The process's lines of JSON, one a call; rejects when it ends before. */
function eventsOf(world: ChildProcess): () => Promise<Event> {
  const lines = createInterface({ input: world.stdout! })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the AgentDojo process ended; its own output says why');
    return JSON.parse(value) as Event;
  };
}
