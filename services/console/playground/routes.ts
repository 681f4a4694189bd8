// What the playground reads of a running platform: its bundles, and decisions of its evidence; each through the gate.
import { BOUNDARIES } from '../../../runtime/decide/boundary.ts';
import { PlatformError } from '../../../runtime/errors.ts';
import type { JsonObject, JsonValue } from '../../../runtime/json.ts';
import type { Route } from '../../common/http/port.ts';
import type { OperatorGate } from '../../common/operator.ts';

/** Where the playground's data comes from. */
export interface PlaygroundSource {
  /**
   * `policy_revision` and `data_revision` in force, the public `keys` that sign bundles, `schemas` of inputs by
   * boundary, the compiler's `capabilities`, and `compiler`, its `digest` (64 hex digits) and size in `bytes`.
   */
  overview(): Promise<JsonObject>;
  /** The files of a kept bundle; undefined where it is not kept. */
  bundle(revision: string): Promise<ReadonlyMap<string, Uint8Array> | undefined>;
  /** The bytes of a kept object, by `sha256:<hex>`. */
  object(digest: string): Promise<Uint8Array | undefined>;
  /** A decision as its row has it; throws `object_missing` where no row has it. */
  decision(id: string): Promise<JsonObject>;
  /** The last decisions of the module `authorization` at a boundary, newest first, with time and identity. */
  decisions(boundary: string): Promise<{ decisions: JsonObject[]; more: boolean }>;
}

/** Routes below `/api/v1/playground`. */
export function playgroundRoutes(gate: OperatorGate, source: PlaygroundSource): Route[] {
  const boundary = { boundary: 'console', action: 'view' };
  const view = (path: string, name: string, read: (of: Given) => Promise<JsonObject>): Route => ({
    ...{ method: 'GET', path: `/api/v1/playground${path}`, boundary },
    handler: ({ params, query }) => gate.view(name, () => read({ params, query })),
  });
  return [
    view('', 'playground', () => source.overview()),
    view('/bundles/:revision', 'playground-bundle', async ({ params }) => {
      const files = await source.bundle(digest(params.revision));
      if (files === undefined) return { files: null };
      return { files: [...files].map(([name, bytes]): JsonValue => [name, base64(bytes)]) };
    }),
    view('/objects/:digest', 'playground-object', async ({ params }) => {
      const bytes = await source.object(digest(params.digest));
      return { bytes: bytes === undefined ? null : base64(bytes) };
    }),
    view('/decisions/:id', 'playground-decision', async ({ params }) => {
      if (/^[0-9a-f]{64}$/.test(params.id ?? '')) return source.decision(params.id!);
      throw new PlatformError('input_invalid', 'a decision id has 64 hex digits');
    }),
    view('/decisions', 'playground-decisions', async ({ query }) => {
      const wanted = BOUNDARIES.find((name) => name === query.get('boundary'));
      if (wanted !== undefined) return { ...(await source.decisions(wanted)) };
      throw new PlatformError('input_invalid', `boundary is one of ${BOUNDARIES.join(', ')}`);
    }),
  ];
}

interface Given {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

function digest(text: string | undefined): string {
  if (text !== undefined && /^sha256:[0-9a-f]{64}$/.test(text)) return text;
  throw new PlatformError('input_invalid', 'a digest is sha256: and 64 hex digits');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}
