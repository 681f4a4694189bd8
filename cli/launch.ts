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
  role: string | undefined;
  prompt: string | undefined;
  /** Standard input is the terminal's; output goes to these, or to the terminal. */
  output: 'inherit' | 'pipe';
}

export interface Launched {
  process: ChildProcess;
  pid: number;
  /** Lets the agent run, with the address of its proxy. */
  release(gatewayUrl: string): void;
  /** Ends it before it ran. */
  abandon(): void;
}

const pythonSdk = fileURLToPath(new URL('../sdk/python/src', import.meta.url));

// The shell waits for the address on descriptor 3 and then becomes the agent: same pid, same start
// time. When the launcher dies first, `read` fails and the agent never starts.
const gate =
  'IFS= read -r PLATFORM_GATEWAY_URL <&3 && exec 3<&- && export PLATFORM_GATEWAY_URL && exec "$0" "$@"';

/** Starts the process; throws `configuration_invalid` when its interpreter cannot be run. */
export function launchAgent(launch: Launch): Launched {
  const interpreter = launch.language === 'python' ? pythonInterpreter() : process.execPath;
  const child = spawn(
    '/bin/sh',
    ['-c', gate, interpreter, resolve(launch.file), ...launch.arguments],
    {
      env: environmentOf(launch),
      stdio: ['inherit', launch.output, launch.output, 'pipe'],
    },
  );
  const channel = child.stdio[3] as import('node:stream').Writable;
  channel.on('error', () => {}); // the agent ended first; its exit code says so
  if (child.pid === undefined) {
    throw new PlatformError('configuration_invalid', 'cannot start a shell for the agent');
  }
  return {
    process: child,
    pid: child.pid,
    release: (gatewayUrl) => void channel.end(`${gatewayUrl}\n`),
    abandon: () => void child.kill('SIGKILL'),
  };
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
    ...(launch.role === undefined ? {} : { PLATFORM_ROLE: launch.role }),
    ...(launch.prompt === undefined ? {} : { PLATFORM_PROMPT: launch.prompt }),
  };
}
