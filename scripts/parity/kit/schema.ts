// The JSON Schema of the kit's lines, a definition a layer.
import type { JsonObject } from '../../../runtime/json.ts';

const base64 = { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' };
const hex = (digits: number) => ({ type: 'string', pattern: `^[0-9a-f]{${digits}}$` });
const text = { type: 'string' };
const code = { type: 'string', pattern: '^[a-z0-9_]+$' };
const revision = { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' };
const digits = { type: 'integer', minimum: 0 };
const list = (items: JsonObject) => ({ type: 'array', items });

/** An object with all of these members, some of which may be absent. */
function object(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', additionalProperties: false, required, properties };
}

/** Either of two shapes. */
const either = (...shapes: JsonObject[]): JsonObject => ({ oneOf: shapes });

const decision = object(
  {
    ...{ boundary: text, module: text, input: base64, salt: hex(64), schema: base64 },
    ...{ committed_input: base64, output: base64, id: hex(64) },
  },
  ['schema'],
);
const parts = list(object({ base64, times: digits }));
const request = {
  ...{ peer: { type: ['string', 'null'] }, headers: list({ type: 'array', items: text }) },
  ...{ time: text, random: hex(96) },
};
const judged = { rule: text, reason: text, id: hex(64), request_id: text, fixed_time: text };

/** `schema.json` of a version. */
export const KIT_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:platform:conformance:v1',
  title: 'Lines of the conformance kit, by layer',
  $defs: {
    canonical: either(
      object({ input: base64, output: base64 }),
      object({ input: base64, error: code }),
      object({ parts, output_sha256: hex(64) }),
      object({ parts, error: code }),
    ),
    hashes: either(
      object({ kind: { enum: ['sha256', 'leaf'] }, data: base64, hash: hex(64) }),
      object({ kind: { const: 'node' }, left: hex(64), right: hex(64), hash: hex(64) }),
      object({ kind: { const: 'root' }, leaves: list(hex(64)), hash: hex(64) }),
      object({
        ...{ kind: { const: 'inclusion' }, leaf: hex(64), index: digits, size: digits },
        ...{ proof: list(hex(64)), root: hex(64), valid: { type: 'boolean' } },
      }),
    ),
    commitments: object({
      ...{ salt: hex(64), field: text, value: base64 },
      ...{ field_salt: hex(64), commitment: text },
    }),
    'decision-ids': object({
      ...{ boundary: text, module: text, policy_revision: revision, data_revision: revision },
      ...{ committed_input: base64, output: base64, id: hex(64) },
    }),
    ...{ scope: decision, arguments: decision, guard: decision, authorization: decision },
    bundles: either(
      object({ file: text, kind: { enum: ['policy', 'data'] }, revision }),
      object({ file: text, kind: { enum: ['policy', 'data'] }, error: code }),
    ),
    filter: either(
      object({ ...request, allow: { const: true }, forwarded: list(list(text)), ...judged }),
      object({ ...request, allow: { const: false }, status: digits, ...judged }),
    ),
  },
};
