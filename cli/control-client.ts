// Talks to the running platform over its control socket, as the operator.
import { request } from 'node:http';
import { type ErrorCode, PlatformError } from '../runtime/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../runtime/json.ts';
import type { StateFolder } from './state-folder.ts';

export interface ControlClient {
  /** Resolves to the JSON answer; throws the platform's own error with its code, message and hint. */
  call(method: string, path: string, body?: JsonValue, signal?: AbortSignal): Promise<JsonObject>;
}

const answerBytesMax = 32 * 1024 * 1024;

/** A client of the platform whose state is in `state`. */
export function controlClient(state: StateFolder): ControlClient {
  return {
    async call(method, path, body, signal) {
      const { status, text } = await exchange(state, method, path, body, signal);
      const answer: unknown = text === '' ? {} : JSON.parse(text);
      if (!isJsonObject(answer)) {
        throw new PlatformError('internal', 'the platform gave an unreadable answer');
      }
      if (status < 400) return answer;
      throw problemError(answer, status);
    },
  };
}

function problemError(problem: JsonObject, status: number): PlatformError {
  const code = typeof problem.code === 'string' ? (problem.code as ErrorCode) : 'internal';
  const message = typeof problem.detail === 'string' ? problem.detail : `status ${status}`;
  const data = isJsonObject(problem.data) ? problem.data : {};
  return new PlatformError(code, message, {
    data: { ...data, ...(problem.decision_id ? { decision_id: problem.decision_id } : {}) },
    ...(typeof problem.hint === 'string' ? { hint: problem.hint } : {}),
  });
}

function exchange(
  state: StateFolder,
  method: string,
  path: string,
  body: JsonValue | undefined,
  signal: AbortSignal | undefined,
): Promise<{ status: number; text: string }> {
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers: Record<string, string> =
    bytes === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(bytes.length) };
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: state.controlSocket, method, path, headers, signal });
    call.on('error', (cause: NodeJS.ErrnoException) => reject(unreachable(state, cause)));
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      let total = 0;
      response.on('data', (chunk: Buffer) => {
        total += chunk.length;
        if (total > answerBytesMax) call.destroy(new Error('the answer is too large'));
        chunks.push(chunk);
      });
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 500, text });
      });
      response.on('error', (cause) => reject(unreachable(state, cause)));
    });
    call.end(bytes);
  });
}

function unreachable(state: StateFolder, cause: NodeJS.ErrnoException): Error {
  if (cause.name === 'AbortError') return cause;
  return new PlatformError('platform_not_running', `no platform runs with state ${state.root}`, {
    cause,
    hint: 'start it with "npm start" or "platform up", or name its state folder with --state',
  });
}
