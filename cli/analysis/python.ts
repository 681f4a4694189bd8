// Reads the declaration of a Python agent with Python's own parser.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { PlatformError } from '../../runtime/errors.ts';
import { isJsonObject, type JsonObject } from '../../runtime/json.ts';
import type { AgentSource } from './agent-source.ts';
import { declaredFacts } from './declared.ts';

const timeoutMs = 20_000;
const outputBytesMax = 1024 * 1024;

/** The interpreter of agents: PLATFORM_PYTHON, else `python3`. */
export function pythonInterpreter(): string {
  return process.env.PLATFORM_PYTHON ?? 'python3';
}

/** Parses the source in an isolated interpreter; see `analyseAgent` for the errors. */
export async function analysePython(file: string, source: Uint8Array): Promise<AgentSource> {
  const script = await readFile(new URL('./read_agent.py', import.meta.url), 'utf8');
  const answer = parse(file, await runIsolated(script, source));
  if (typeof answer.error === 'string') {
    throw new PlatformError('configuration_invalid', `${file} does not parse: ${answer.error}`, {
      data: { file, line: answer.line, column: answer.column },
    });
  }
  const framework = typeof answer.framework === 'string' ? answer.framework : answer.detected;
  return {
    language: 'python',
    ...declaredFacts(file, answer),
    framework: typeof framework === 'string' ? framework : 'pure_python',
  };
}

function parse(file: string, output: string): JsonObject {
  try {
    const answer: unknown = JSON.parse(output);
    if (isJsonObject(answer)) return answer;
  } catch {
    // Said below.
  }
  throw new PlatformError('configuration_invalid', `Python could not read ${file}`);
}

/** `-I` keeps the agent's folder and environment out of the interpreter that only parses. */
function runIsolated(script: string, input: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(pythonInterpreter(), ['-I', '-c', script], {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.length > outputBytesMax) child.kill('SIGKILL');
    });
    child.on('error', (cause) =>
      reject(
        new PlatformError('configuration_invalid', `cannot run ${pythonInterpreter()}`, {
          cause,
          hint: 'install Python 3.10 or newer, or name the interpreter in PLATFORM_PYTHON',
        }),
      ),
    );
    child.on('close', () => resolve(output));
    child.stdin.on('error', () => {}); // it ended early; the empty output says so
    child.stdin.end(input);
  });
}
