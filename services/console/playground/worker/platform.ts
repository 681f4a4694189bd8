// What the worker fetches from the platform that serves its page, and nothing from anywhere else.
import type { JWK } from 'jose';
import { PlatformError } from '../../../../runtime/errors.ts';
import type { JsonObject } from '../../../../runtime/json.ts';

/** Who wrote a recorded decision chose the names in it: anything else could be another address, asked with the token. */
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The answer of `/api/v1/playground`. */
export interface Overview {
  policy_revision: string;
  data_revision: string;
  keys: JWK[];
  schemas: Record<string, JsonObject>;
  capabilities: JsonObject;
  compiler: { digest: string; bytes: number };
}

/** Asks the platform in the name of the page's operator. */
export class Platform {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  overview(): Promise<Overview> {
    return this.#ask('/api/v1/playground');
  }

  /** The files of a bundle that the platform keeps; undefined where it keeps none of this revision. */
  async bundle(revision: string): Promise<Map<string, Uint8Array> | undefined> {
    if (!DIGEST.test(revision)) return undefined;
    const { files } = await this.#ask<{ files: [string, string][] | null }>(
      `/api/v1/playground/bundles/${revision}`,
    );
    if (files === null) return undefined;
    return new Map(files.map(([name, text]) => [name, Buffer.from(text, 'base64')]));
  }

  /** Bytes that the platform keeps under their digest: a module of another time, or a tool's schema. */
  async object(digest: string): Promise<Uint8Array | undefined> {
    if (!DIGEST.test(digest)) return undefined;
    const { bytes } = await this.#ask<{ bytes: string | null }>(
      `/api/v1/playground/objects/${digest}`,
    );
    return bytes === null ? undefined : Buffer.from(bytes, 'base64');
  }

  decision(id: string): Promise<{ decision: JsonObject }> {
    return this.#ask(`/api/v1/playground/decisions/${encodeURIComponent(id)}`);
  }

  /** The last decisions of a boundary, newest first; the server bounds how many. */
  decisions(boundary: string): Promise<{ decisions: JsonObject[]; more: boolean }> {
    return this.#ask(`/api/v1/playground/decisions?boundary=${encodeURIComponent(boundary)}`);
  }

  /** A file of the page itself, which holds no data; `onProgress` gets bytes as they come. */
  async file(path: string, onProgress?: (bytes: number) => void): Promise<Uint8Array> {
    const response = await fetch(path);
    if (!response.ok || response.body === null) {
      throw new PlatformError('module_missing', `${path} cannot be loaded (${response.status})`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      size += chunk.length;
      onProgress?.(size);
    }
    return Buffer.concat(chunks);
  }

  async #ask<Answer>(path: string): Promise<Answer> {
    const response = await fetch(path, { headers: { authorization: `Bearer ${this.#token}` } });
    const answer = (await response.json()) as Answer & { detail?: string; code?: string };
    if (response.ok) return answer;
    const { code = 'internal', detail = 'the platform does not answer', hint } = answer as never;
    throw new PlatformError(code, detail, { hint });
  }
}
