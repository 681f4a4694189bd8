// Starts an agent's process so that it is registered before its first instruction runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlatformError } from '../runtime/errors.ts';
import type { AgentSource } from './analysis/agent-source.ts';
import { pythonInterpreter } from './analysis/python.ts';

export interface Launch {
  file: string;
  arguments: string[];
  language: AgentSource['language'];
  tenant: string;
  agent: string;
  framework: string;
  trustDomain: string;
  /** The Workload API's Unix socket. */
  workloadSocket: string;
  role: string | undefined;
  prompt: string | undefined;
  /** Standard input is the terminal's; output goes to these, or to the terminal. */
  output: 'inherit' | 'pipe';
}

export interface Launched {
  process: ChildProcess;
  pid: number;
  /** Resolves when the process carries the mark of agents; rejects when it ended instead. */
  marked: Promise<void>;
  /** Lets the agent run, with the address of its proxy: gateway and vault are behind it. */
  release(gatewayUrl: string): void;
  /** Ends it before it ran. */
  abandon(): void;
}

const pythonSdk = fileURLToPath(new URL('../sdk/python/src', import.meta.url));

const program = fileURLToPath(new URL('./marked.ts', import.meta.url));

/** Starts the process; throws `configuration_invalid` when its interpreter cannot be run. */
export function launchAgent(launch: Launch): Launched {
  const interpreter = launch.language === 'python' ? pythonInterpreter() : process.execPath;
  const child = spawn(
    process.execPath,
    [program, interpreter, resolve(launch.file), ...launch.arguments],
    {
      env: environmentOf(launch),
      stdio: ['inherit', launch.output, launch.output, 'pipe'],
    },
  );
  const channel = child.stdio[3] as import('node:stream').Duplex;
  channel.on('error', () => {}); // the agent ended first; its exit code says so
  if (child.pid === undefined) {
    throw new PlatformError('configuration_invalid', 'cannot start a process for the agent');
  }
  return {
    process: child,
    pid: child.pid,
    marked: new Promise((done, failed) => {
      channel.once('data', () => done());
      child.once('error', failed);
      child.once('exit', () => failed(unmarked()));
    }),
    release: (gatewayUrl) => void channel.end(`${gatewayUrl}\n`),
    abandon: () => void child.kill('SIGKILL'),
  };
}

function unmarked(): PlatformError {
  return new PlatformError(
    'configuration_invalid',
    'the agent’s process cannot be marked as such',
    {
      hint: 'the kernel has to offer seccomp filters and no_new_privs to processes of this user',
    },
  );
}

/** The operator's environment, less what only the operator's own commands are to know. */
function environmentOf(launch: Launch): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PLATFORM_'));
  const pythonPath = [pythonSdk, process.env.PYTHONPATH].filter(Boolean).join(delimiter);
  return {
    ...Object.fromEntries(kept),
    ...(launch.language === 'python' ? { PYTHONPATH: pythonPath } : {}),
    PLATFORM_TENANT: launch.tenant,
    PLATFORM_AGENT_NAME: launch.agent,
    PLATFORM_FRAMEWORK: launch.framework,
    PLATFORM_TRUST_DOMAIN: launch.trustDomain,
    PLATFORM_SPIFFE_SOCKET: launch.workloadSocket,
    // Where SPIFFE's own libraries look (SPIFFE Workload Endpoint, section 4).
    SPIFFE_ENDPOINT_SOCKET: `unix://${launch.workloadSocket}`,
    ...(launch.role === undefined ? {} : { PLATFORM_ROLE: launch.role }),
    ...(launch.prompt === undefined ? {} : { PLATFORM_PROMPT: launch.prompt }),
  };
}
