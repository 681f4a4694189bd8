// Credentials from the vault, read under the identity of the agent that calls the tool.
import { Agent, request } from 'undici';
import { PlatformError } from '../../runtime/errors.ts';
import { isJsonObject, type JsonObject } from '../../runtime/json.ts';
import type { Caller } from '../common/caller.ts';
import { type CredentialSource, fitsHeader } from './credentials.ts';

/** One request to the vault, without a body. */
export interface VaultRequest {
  method: 'GET';
  path: string;
  /** Lower-case names. */
  headers: Record<string, string>;
}

export interface VaultAnswer {
  status: number;
  body: Uint8Array;
}

/** Takes a request to the vault under the gateway's own identity; rejects when there is no answer. */
export type SendToVault = (request: VaultRequest) => Promise<VaultAnswer>;

/**
 * Reads each credential from the vault, where it is a secret of the same name. The vault decides for
 * the agent, whom `x-platform-on-behalf-of` names, and evidences the reading; nothing is kept between
 * calls. Rejects with `secret_denied` when no such secret is in the agent's scope, `credential_unusable` when
 * its value fits no header, and `service_unavailable` when the vault does not answer or answers
 * anything else.
 */
export function vaultCredentials({ send }: { send: SendToVault }): CredentialSource {
  return {
    async read(name, _origin, caller) {
      const answer = await send(requestFor(name, caller)).catch(() => {
        // No cause: what a client says of a failed exchange is not ours to vouch for.
        throw unavailable('the vault cannot be reached');
      });
      const body = objectIn(answer.body);
      if (answer.status === 200 && body?.key === name && typeof body.value === 'string') {
        if (fitsHeader(body.value)) return body.value;
        throw new PlatformError('credential_unusable', `the secret ${name} fits no header`);
      }
      if (answer.status === 403) throw denied(name);
      throw unavailable(`the vault answered with status ${answer.status}`);
    },
  };
}

function requestFor(name: string, { identity, context }: Caller): VaultRequest {
  if (name === '.' || name === '..') throw denied(name);
  return {
    method: 'GET',
    path: `/api/v1/secrets/${encodeURIComponent(name)}`,
    headers: {
      'x-platform-on-behalf-of': identity.spiffe_id,
      'x-platform-request-id': context.requestId,
      'x-platform-time': context.time,
      'x-platform-salt': Buffer.from(context.salt).toString('hex'),
    },
  };
}

function denied(name: string): PlatformError {
  return new PlatformError('secret_denied', `no secret ${name} is in the agent's scope`);
}

function unavailable(message: string): PlatformError {
  return new PlatformError('service_unavailable', message);
}

/** Undefined for what is no JSON object; the parser's message, which can quote a value, is dropped. */
function objectIn(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A value of 64 KiB, each character escaped, and what stands around it. */
const answerBytesMax = 512 * 1024;
const timeoutMs = 5000;

/** Sends over the Unix socket of the gateway's outbound proxy, bounded in time and size. */
export function vaultOverSocket(socketPath: string): {
  send: SendToVault;
  close(): Promise<void>;
} {
  const agent = new Agent({ connect: { socketPath, timeout: timeoutMs } });
  return {
    async send({ method, path, headers }) {
      const signal = AbortSignal.timeout(timeoutMs);
      const url = `http://vault.platform-system${path}`;
      const response = await request(url, { method, headers, dispatcher: agent, signal });
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        bytes += chunk.byteLength;
        if (bytes > answerBytesMax) throw unavailable("the vault's answer is too large");
        chunks.push(chunk);
      }
      return { status: response.statusCode, body: Buffer.concat(chunks, bytes) };
    },
    close: () => agent.destroy(),
  };
}
