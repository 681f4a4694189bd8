// Declares an agent: its name, tenant and what it may use, around a function.

import { AsyncLocalStorage } from 'node:async_hooks';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from './errors.ts';
import { observeAgent } from './telemetry.ts';

/** What an agent says of itself; policy, not this, decides what it may do. */
export interface AgentOptions {
  /** Kebab case; part of the agent's SPIFFE ID. */
  name: string;
  /** Kebab case. */
  tenant: string;
  /** `service` or `service:action`, such as `codehost:read`. */
  resources?: readonly string[];
  /** Whether child processes may claim roles and get identities of their own. */
  subprocessSupport?: boolean;
  /** Provider to region. */
  regions?: Readonly<Record<string, string>>;
  framework?: string;
  description?: string;
  version?: string;
}

/** Which agent the code runs as. The identity itself comes from the platform, not from here. */
export interface AgentContext {
  readonly agentName: string;
  readonly tenant: string;
  readonly role: string;
  readonly framework: string;
  readonly resources: readonly string[];
}

/** A function that runs as an agent; always asynchronous. */
export type Agent<Parameters extends unknown[], Result> = ((
  ...parameters: Parameters
) => Promise<Awaited<Result>>) & { readonly context: AgentContext };

const MARKER_FOLDER = '/tmp/platform-context';
const running = new AsyncLocalStorage<AgentContext>();
let declared: AgentContext | undefined;

/** The context of the agent that runs now, or that the process declared last. */
export function currentAgent(): AgentContext | undefined {
  return running.getStore() ?? declared;
}

/**
 * Wraps a function as an agent: within each call `currentAgent()` is its context, and the call is a
 * span `platform.agent.invoke` with metrics where OpenTelemetry is there. `PLATFORM_AGENT_NAME`,
 * `PLATFORM_TENANT`, `PLATFORM_ROLE` and `PLATFORM_FRAMEWORK` of the environment win over the options.
 * Throws a ConfigurationError for a name, tenant or resource that could not be one.
 *
 * @example
 * const research = platformAgent({ name: 'researcher', tenant: 'acme' }, async (topic: string) => {
 *   const gateway = new GatewayClient();
 *   return gateway.callTool('search_web_search', { query: topic });
 * });
 * await research('SPIFFE');
 */
export function platformAgent<Parameters extends unknown[], Result>(
  options: AgentOptions,
  run: (...parameters: Parameters) => Result,
): Agent<Parameters, Result> {
  check(options);
  const { env } = process;
  const context: AgentContext = Object.freeze({
    agentName: env.PLATFORM_AGENT_NAME ?? options.name,
    tenant: env.PLATFORM_TENANT ?? options.tenant,
    role: env.PLATFORM_ROLE ?? 'main',
    framework: env.PLATFORM_FRAMEWORK ?? options.framework ?? 'pure_typescript',
    resources: Object.freeze([...(options.resources ?? [])]),
  });
  declared = context;
  writeMarker(context);
  const invoke = (...parameters: Parameters) =>
    running.run(context, () => observeAgent(context, async () => await run(...parameters)));
  return Object.assign(invoke, { context }) as Agent<Parameters, Result>;
}

function check(options: AgentOptions): void {
  for (const field of ['name', 'tenant'] as const) {
    const value = options[field];
    if (typeof value !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(value)) {
      throw new ConfigurationError(`the agent's ${field} must be kebab-case`, { data: { field } });
    }
  }
  for (const resource of options.resources ?? []) {
    if (typeof resource !== 'string' || !/^[A-Za-z0-9_-]+(:[a-z]+)?$/.test(resource)) {
      const data = { field: 'resources' };
      throw new ConfigurationError('a resource is "service" or "service:action"', { data });
    }
  }
}

/** Writes the marker that the pid-mapper reads, where that folder is mounted; nowhere else. */
function writeMarker(context: AgentContext): void {
  const folder = process.env.PLATFORM_CONTEXT_DIR ?? MARKER_FOLDER;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const marker = {
    agent_name: context.agentName,
    tenant: context.tenant,
    process_role: context.role,
    container_pid: process.pid,
  };
  // The environment's names are not ours to trust with a path.
  const name = `${context.agentName}-${context.role}`.replace(/[^A-Za-z0-9_-]/g, '_');
  const partial = join(folder, `.${name}.${process.pid}.tmp`);
  try {
    writeFileSync(partial, JSON.stringify(marker));
    renameSync(partial, join(folder, `${name}.json`));
  } catch {
    // The marker helps the platform to find the process; an agent without it runs all the same.
    rmSync(partial, { force: true });
  }
}
