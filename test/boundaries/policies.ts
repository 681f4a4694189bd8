// The platform's compiled policies over data of a test's own, asked as every host asks them.
import { samplePolicies } from '../../runtime/bundle/testing.ts';
import type { Boundary } from '../../runtime/decide/boundary.ts';
import { entrypointOf } from '../../runtime/decide/boundary.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { Authorization } from '../../runtime/modules/authorization.ts';
import { Record as RecordModule } from '../../runtime/modules/record.ts';
import { moduleBytes } from '../../runtime/modules/source.ts';

const policies = await samplePolicies();
const record = RecordModule.create(moduleBytes('record'));

export interface Answer {
  allow: boolean;
  rule: string;
}

/** Asks the compiled policies about inputs of one boundary under this data. */
export function policiesOver(boundary: Boundary, data: JsonObject): (input: JsonObject) => Answer {
  const authorization = Authorization.create({
    ...policies,
    data: Buffer.from(JSON.stringify(data)),
  });
  return (input) => {
    const bytes = record.canonicalizeValue(input);
    const output = authorization.decideBytes(entrypointOf(boundary), bytes).bytes;
    return JSON.parse(Buffer.from(output).toString()) as Answer;
  };
}

/** The `context` of every input. */
export const context = { time: '2026-01-01T00:00:00.000Z', request_id: 'r1' };
