// Runs an agent under the platform: reads its source, registers it, starts it, follows its calls.
import type { ChildProcess } from 'node:child_process';
import { basename, extname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { PlatformError } from '../runtime/errors.ts';
import { descendantsOf } from '../runtime/identity/descendants.ts';
import { isMarked } from '../runtime/identity/mark.ts';
import { requireProcess } from '../runtime/identity/process.ts';
import { defaultRole } from '../runtime/identity/spiffe-id.ts';
import { becomeSubreaper } from '../runtime/identity/subreaper.ts';
import type { JsonObject } from '../runtime/json.ts';
import type { Call } from '../services/console/calls.ts';
import { analyseAgent } from './analysis/agent-source.ts';
import type { ControlClient } from './control-client.ts';
import { launchAgent } from './launch.ts';

const gatherMs = 200;

export interface RunOptions {
  file: string;
  tenant: string;
  /** Left out: what the source declares, else the file's name. */
  name?: string;
  /** Left out: what the source declares. */
  resources?: string[];
  roles?: string[];
  /** The role of the first process; `main` where left out. */
  role?: string;
  prompt?: string;
  arguments?: string[];
  trustDomain?: string;
  output?: 'inherit' | 'pipe';
}

export interface RunEvents {
  /** The agent is registered and about to start. */
  onRegistered?(agent: RunningAgent): void;
  /** A call was decided, or a decided one ended. */
  onCall?(call: Call): void;
  onOutput?(chunk: string): void;
}

export interface RunningAgent {
  id: string;
  tenant: string;
  agent: string;
  spiffeIds: string[];
  pid: number;
  gatewayUrl: string;
  resources: string[];
}

/**
 * Resolves to the agent's exit code when it has ended and each of its calls has been reported.
 * Signals that reach this process reach the agent too. Rejects before the agent has run when its
 * source, its registration or the platform is not as it should be.
 */
export async function runAgent(
  control: ControlClient,
  options: RunOptions,
  events: RunEvents = {},
): Promise<number> {
  const source = await analyseAgent(options.file);
  const agent = options.name ?? source.name ?? nameFromFile(options.file);
  const roles = [...new Set([...source.roles, ...(options.roles ?? [])])];
  const facts = await control.call('GET', '/api/v1/status');
  const { trust_domain: trustDomain, workload_socket: workloadSocket } = facts;
  if (typeof trustDomain !== 'string' || typeof workloadSocket !== 'string') {
    throw new PlatformError(
      'internal',
      'the platform says neither its trust domain nor its socket',
    );
  }
  if (options.role !== undefined && options.role !== defaultRole) roles.push(options.role);
  // Orphans of the agent become children of this process, and stay nobody's.
  becomeSubreaper();
  const launched = launchAgent({
    ...{ file: options.file, arguments: options.arguments ?? [], language: source.language },
    ...{ tenant: options.tenant, agent, framework: source.framework, trustDomain, workloadSocket },
    ...{ role: options.role, prompt: options.prompt, output: options.output ?? 'inherit' },
  });
  launchedAndRunning += 1;
  launched.process.once('exit', endOrphans);
  const ended = exitCodeOf(launched.process);
  let running: RunningAgent;
  try {
    await launched.marked;
    running = await register(control, launched.pid, {
      ...{ tenant: options.tenant, agent, framework: source.framework },
      resources: options.resources ?? source.resources,
      roles: [...new Set(roles)].map((name) => ({ name })),
      // Roles that the operator names are for the agent's processes; the first one has `role`.
      subprocess_support: source.subprocessSupport || (options.roles ?? []).length > 0,
    });
    // Without a prompt too: the prompt of an earlier run must not vouch for this one.
    for (const spiffe_id of running.spiffeIds) {
      const prompt = options.prompt ?? '';
      await control.call('PUT', '/api/v1/sessions', { spiffe_id, prompt });
    }
  } catch (error) {
    launched.abandon();
    await ended;
    throw error;
  }
  events.onRegistered?.(running);
  for (const stream of [launched.process.stdout, launched.process.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => events.onOutput?.(chunk));
  }
  const { sequence } = await control.call('GET', `/api/v1/calls?after=${Number.MAX_SAFE_INTEGER}`);
  const following = follow(control, running, { after: Number(sequence), ended }, events);
  launched.release(running.gatewayUrl);
  const stopPassing = passSignals(launched.process);
  const code = await ended;
  await following;
  await control.call('DELETE', `/api/v1/agents/${running.id}`).catch(ignoreGone);
  stopPassing();
  return code;
}

async function register(
  control: ControlClient,
  pid: number,
  draft: JsonObject,
): Promise<RunningAgent> {
  const answer = await control.call('POST', '/api/v1/agents', { ...draft, pid });
  return {
    id: String(answer.id),
    tenant: String(answer.tenant),
    agent: String(answer.agent),
    spiffeIds: answer.spiffe_ids as string[],
    pid,
    gatewayUrl: String(answer.gateway_url),
    resources: answer.resources as string[],
  };
}

/** Reports calls as they are decided, until the agent has ended and nothing is left to report. */
async function follow(
  control: ControlClient,
  agent: RunningAgent,
  span: { after: number; ended: Promise<number> },
  events: RunEvents,
): Promise<void> {
  if (events.onCall === undefined) return;
  const identities = agent.spiffeIds.map((id) => `&spiffe_id=${encodeURIComponent(id)}`).join('');
  let { after } = span;
  let isOver = false;
  const stop = new AbortController();
  span.ended.finally(() => {
    isOver = true;
    stop.abort();
  });
  for (;;) {
    const last = isOver;
    const path = `/api/v1/calls?after=${after}&wait=${last ? 0 : 30}${identities}`;
    try {
      const answer = await control.call('GET', path, undefined, last ? undefined : stop.signal);
      for (const call of answer.calls as unknown as Call[]) {
        events.onCall(call);
        after = Math.max(after, call.sequence);
      }
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) return; // the platform stopped
    }
    if (last) return;
    // Every answer is an evidence row of its own: calls in quick succession share one.
    await Promise.race([span.ended, setTimeout(gatherMs)]);
  }
}

let launchedAndRunning = 0;

/**
 * Ends what the last agent of this process has left behind, before it is forgotten: nothing runs on
 * under an identity that is gone. What this process started for itself carries no mark, and stays.
 */
function endOrphans(): void {
  launchedAndRunning -= 1;
  if (launchedAndRunning > 0) return;
  const self = requireProcess(process.pid);
  const signalled = new Set<string>();
  for (let found = true; found; ) {
    found = false;
    for (const { pid, startTime } of descendantsOf([self])) {
      const name = `${pid}@${startTime}`;
      if (signalled.has(name) || !isMarked(pid)) continue;
      found = true; // it may have started another one before it died
      signalled.add(name);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
  }
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code, signal) => {
      const number = signal === null ? 0 : (signalNumbers[signal] ?? 0);
      resolve(code ?? 128 + number);
    });
  });
}

const signalNumbers: Record<string, number> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

function passSignals(child: ChildProcess): () => void {
  const passed = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // Not by pid: an ended child's may be another's by now.
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of passed) process.on(signal, pass);
  return () => {
    for (const signal of passed) process.off(signal, pass);
  };
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof PlatformError)) throw error;
}

/** `my_agent.py` is the agent `my-agent`: names are kebab-case. */
function nameFromFile(file: string): string {
  return basename(file, extname(file))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
}
