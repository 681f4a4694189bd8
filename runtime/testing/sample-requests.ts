// Generated decision requests over all boundaries and modules: half well meant, half hostile.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { BOUNDARIES, type Boundary, type DecisionModule } from '../decide/boundary.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { browseInput } from './requests/browse.ts';
import { consoleInput } from './requests/console.ts';
import { credentialInput } from './requests/credential.ts';
import { deployInput } from './requests/deploy.ts';
import { disguise } from './requests/disguise.ts';
import { exchangeInput } from './requests/exchange.ts';
import { meshInput } from './requests/mesh.ts';
import { messageInput } from './requests/message.ts';
import { argumentValues, guardInput, schemaTexts, scopeInput } from './requests/modules.ts';
import { nearly, nearMissScope } from './requests/near-misses.ts';
import { registrationInput } from './requests/registration.ts';
import { sandboxInput } from './requests/sandbox.ts';
import { scanInput } from './requests/scan.ts';
import { scan } from './requests/scans.ts';
import { validation } from './requests/schemas.ts';
import { secretInput } from './requests/secret.ts';
import { toolInput } from './requests/tool.ts';
import { anyValue, brokenBytes } from './requests/values.ts';

/** A request as every host receives it: the input as bytes, valid JSON or not. */
export interface SampleRequest {
  boundary: Boundary;
  module: DecisionModule;
  input: Uint8Array;
  salt: Uint8Array;
  /** Canonical JSON, for the `arguments` module. */
  schema?: Uint8Array;
}

const encode = (value: JsonValue): Uint8Array => Buffer.from(JSON.stringify(value));
const boundaries = fc.constantFrom<Boundary>(...BOUNDARIES);
type Made = Omit<SampleRequest, 'salt'>;

/** One generator a boundary; tool calls come most. */
const inputs: Record<Boundary, { weight: number; arbitrary: fc.Arbitrary<JsonValue> }> = {
  tool: { weight: 6, arbitrary: toolInput },
  credential: { weight: 4, arbitrary: credentialInput },
  exchange: { weight: 4, arbitrary: exchangeInput },
  message: { weight: 4, arbitrary: messageInput },
  sandbox: { weight: 4, arbitrary: sandboxInput },
  browse: { weight: 4, arbitrary: browseInput },
  deploy: { weight: 4, arbitrary: deployInput },
  scan: { weight: 4, arbitrary: scanInput },
  registration: { weight: 4, arbitrary: registrationInput },
  console: { weight: 4, arbitrary: consoleInput },
  mesh: { weight: 4, arbitrary: meshInput },
  secret: { weight: 4, arbitrary: secretInput },
};
const authorization: fc.Arbitrary<Made> = fc.oneof(
  ...BOUNDARIES.map((boundary) => ({
    weight: inputs[boundary].weight,
    arbitrary: inputs[boundary].arbitrary.map(
      (value): Made => ({ boundary, module: 'authorization', input: encode(value) }),
    ),
  })),
);

const argumentsRequests: fc.Arbitrary<Made> = fc
  .record({ boundary: boundaries, schema: fc.constantFrom(...schemaTexts), value: argumentValues })
  .map(({ boundary, schema, value }) => {
    const digest = createHash('sha256').update(schema).digest('hex');
    const input = encode({ arguments: value, schema: `sha256:${digest}` });
    return { boundary, module: 'arguments', input, schema: Buffer.from(schema) };
  });

const requests: fc.Arbitrary<SampleRequest> = fc
  .record({
    made: fc.oneof(
      { weight: 46, arbitrary: authorization },
      { weight: 4, arbitrary: argumentsRequests },
      {
        weight: 4,
        arbitrary: fc
          .record({ boundary: boundaries, input: guardInput })
          .map((of) => ({ ...of, module: 'guard', input: encode(of.input) })),
      },
      {
        weight: 3,
        arbitrary: fc
          .record({ boundary: boundaries, input: scopeInput })
          .map((of) => ({ ...of, module: 'scope', input: encode(of.input) })),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          boundary: boundaries,
          module: fc.constantFrom<DecisionModule>('authorization', 'guard', 'scope', 'arguments'),
          input: fc.oneof(brokenBytes, anyValue.map(encode)),
        }),
      },
    ),
    salt: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  })
  .map(({ made, salt }): SampleRequest => ({ ...(made as Made), salt }));

/** `count` requests; the same seed gives the same requests. */
export function sampleRequests(count: number, seed: number): SampleRequest[] {
  return fc.sample(requests, { numRuns: count, seed });
}

/** Now and then the caller's ID becomes a look-alike, and nothing else of the input. */
const lookAlike: fc.Arbitrary<(value: JsonValue) => JsonValue> = fc.oneof(
  { weight: 24, arbitrary: fc.constant((value: JsonValue) => value) },
  {
    weight: 1,
    arbitrary: nearly.map((change) => (value: JsonValue) => {
      if (!isJsonObject(value) || !isJsonObject(value.identity)) return value;
      const { identity } = value;
      return { ...value, identity: { ...identity, spiffe_id: change(String(identity.spiffe_id)) } };
    }),
  },
);

const hostile: fc.Arbitrary<SampleRequest> = fc
  .record({
    made: fc.oneof(
      { weight: 70, arbitrary: authorization },
      {
        weight: 10,
        arbitrary: fc.record({ boundary: boundaries, of: validation }).map(
          ({ boundary, of: { input, schema } }): Made => ({
            ...{ boundary, module: 'arguments', input: encode(input) },
            ...(schema && { schema }),
          }),
        ),
      },
      {
        weight: 9,
        arbitrary: fc
          .record({ boundary: boundaries, input: scan })
          .map((of): Made => ({ ...of, module: 'guard', input: encode(of.input) })),
      },
      {
        weight: 9,
        arbitrary: fc
          .record({ boundary: boundaries, input: fc.oneof(scopeInput, nearMissScope) })
          .map((of): Made => ({ ...of, module: 'scope', input: encode(of.input) })),
      },
    ),
    look: lookAlike,
    change: disguise,
    salt: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  })
  .map(({ made, look, change, salt }) => {
    const looked = encode(look(JSON.parse(Buffer.from(made.input).toString()) as JsonValue));
    return { ...made, input: change(looked), salt };
  });

/**
 * `count` requests of every boundary and module, over a third of them written as an attacker would: hostile
 * Unicode, numbers at the edges, deep, wide and huge values, look-alikes; the same seed gives the same requests.
 */
export function hostileRequests(count: number, seed: number): SampleRequest[] {
  return fc.sample(
    fc.oneof({ weight: 1, arbitrary: requests }, { weight: 3, arbitrary: hostile }),
    {
      numRuns: count,
      seed,
    },
  );
}
