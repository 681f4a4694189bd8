// Measures one policy's decisions beside stock opa-wasm and beside writing the request as JSON, interleaved.
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { PlatformError } from '../../../runtime/errors.ts';
import { isJsonObject, type JsonValue } from '../../../runtime/json.ts';
import { type BenchmarkCase, compare } from '../../../runtime/measure.ts';
import { Authorization } from '../../../runtime/modules/authorization.ts';
import { Record as RecordModule } from '../../../runtime/modules/record.ts';
import { RegoCompiler } from '../../../runtime/modules/rego.ts';
import { moduleBytes } from '../../../runtime/modules/source.ts';
import { policySources } from '../../commands/policy/sources.ts';
import { compareBoundary } from '../diff/boundary-task.ts';
import { decidingOf } from '../diff/compare.ts';
import { Comparison } from '../diff/comparison.ts';
import type { Side } from '../diff/side.ts';
import { readRules } from '../diff/syntax.ts';

export const PEER = 'opa-wasm';
export const LIMIT = 'limit: JSON.stringify alone';

interface Peer {
  setData(data: JsonValue): void;
  evaluate(input: unknown, entrypoint: string): { result: JsonValue }[];
}

/** Requests asked in turn, and how many are looked at to find as many that are allowed as denied. */
const INPUTS = 200;
const LOOKED_AT = 4000;
const SAMPLING = { batch: 50, samples: 200, warmup: 2000 };

/**
 * One case for the allowed and one for the denied inputs, in microseconds from a value to the decision, the
 * way that services go. `inputs` are JSON texts; without any, requests are made up as `policy diff` makes them.
 * @throws PlatformError `module_output_invalid` when both do not answer alike
 */
export async function benchPolicy(
  side: Side,
  boundary: string,
  inputs: readonly Uint8Array[],
): Promise<BenchmarkCase[]> {
  const deciding = decidingOf(side);
  const ours = Authorization.create(deciding);
  const stock = stockOf(side);
  const record = RecordModule.create(moduleBytes('record'));
  const entrypoint = `platform/${boundary}/decision`;
  const all = inputs.length > 0 ? inputs : await madeUp(side, boundary, record);
  const isAllowed = (input: Uint8Array) => {
    const answer = ours.decideBytes(entrypoint, record.canonicalize(input)).value;
    return isJsonObject(answer) && answer.allow === true;
  };
  const allowed = all.filter(isAllowed);
  const denied = all.filter((input) => !allowed.includes(input));
  return [
    ['allowed', allowed.slice(0, INPUTS)] as const,
    ['denied', denied.slice(0, INPUTS)] as const,
  ]
    .filter(([, some]) => some.length > 0)
    .map(([name, some]) => {
      const texts = some.map((input) => Buffer.from(input).toString());
      const values = texts.map((text) => JSON.parse(text) as JsonValue);
      const count = some.length;
      const decide = (round: number) => ours.decide(entrypoint, values[round % count]!).value;
      const decideStock = (round: number) =>
        stock.evaluate(values[round % count]!, entrypoint)[0]!.result;
      for (let number = 0; number < count; number++)
        requireAlike(decide(number), decideStock(number));
      const read = (round: number) => JSON.stringify(values[round % count]);
      const bytes = Math.round(texts.join('').length / count);
      const title = `${boundary}: ${name}, ${count} requests of ${bytes} bytes on average`;
      return compare(title, { ours: decide, [PEER]: decideStock, [LIMIT]: read }, SAMPLING);
    });
}

function stockOf({ wasm, data }: Side): Peer {
  // The package's ES module lacks the synchronous loader that its CommonJS one has.
  const opaWasm = createRequire(import.meta.url)('@open-policy-agent/opa-wasm') as {
    loadPolicySync(wasm: Uint8Array): Peer;
  };
  const stock = opaWasm.loadPolicySync(wasm);
  stock.setData(data);
  return stock;
}

function requireAlike(ours: JsonValue, theirs: JsonValue): void {
  if (isDeepStrictEqual(ours, theirs)) return;
  throw new PlatformError('module_output_invalid', 'opa-wasm answers a request differently');
}

/** Different requests of one boundary, as the comparison of two policies makes them. */
async function madeUp(side: Side, boundary: string, record: RecordModule): Promise<Uint8Array[]> {
  const { schemas } = await policySources([]);
  const schema = side.schemas[boundary] ?? schemas?.[boundary];
  if (!isJsonObject(schema)) {
    throw new PlatformError('configuration_invalid', `there is no boundary ${boundary}`);
  }
  const rules = readRules((await RegoCompiler.load()).parse({ files: side.files }).modules);
  const deciding = decidingOf(side);
  const made: Uint8Array[] = [];
  const collecting = new (class extends Comparison {
    override generated(name: string, canonical: Uint8Array) {
      made.push(canonical.slice());
      return super.generated(name, canonical);
    }
  })(deciding, deciding);
  const known = Object.keys(schemas ?? {});
  const own = rules.filter(({ package: name }) => {
    const of = name.split('.')[1] ?? '';
    return of === boundary || !known.includes(of);
  });
  const reads = side.reads?.[`platform/${boundary}/decision`];
  const plan = { boundary, schema, rules: own, edited: [], reads, tenants: [] };
  const data = [side.data, side.data] as const;
  compareBoundary({ ...plan, data, count: LOOKED_AT, seed: '1' }, collecting, record);
  return made;
}
