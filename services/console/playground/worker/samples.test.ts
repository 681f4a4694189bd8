// The inputs that the playground begins with fit their schemas, and mean somebody who is there.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPolicies } from '../../../../runtime/bundle/compile.ts';
import { POLICIES } from '../../../../runtime/bundle/testing.ts';
import { BOUNDARIES } from '../../../../runtime/decide/boundary.ts';
import type { JsonObject } from '../../../../runtime/json.ts';
import { ArgumentsModule } from '../../../../runtime/modules/arguments.ts';
import { moduleBytes } from '../../../../runtime/modules/source.ts';
import { sampleAgent, sampleData } from '../../../../runtime/testing/sample-data.ts';
import { sampleOf } from './samples.ts';

const { schemas = {} } = await readPolicies(POLICIES);
const validator = ArgumentsModule.create(moduleBytes('arguments'));

for (const [name, data] of Object.entries({ 'sample data': sampleData(20), 'no data': {} })) {
  test(`every sample of ${name} fits its boundary's schema`, () => {
    for (const boundary of BOUNDARIES) {
      const schema = Buffer.from(JSON.stringify(schemas[boundary]));
      const input = Buffer.from(JSON.stringify(sampleOf(boundary, data)));
      const { allow, violations } = validator.validate(schema, input);
      assert.ok(allow, `${boundary}: ${JSON.stringify(violations)}`);
    }
  });
}

test('a sample is of the first agent that was granted a service, and asks for that', () => {
  const { identity, resource } = sampleOf('tool', sampleData(20)) as Record<string, JsonObject>;
  assert.is(identity!.spiffe_id, sampleAgent(0));
  assert.is(resource!.service, 'orders');
});

test('data that is not as it should be has samples too', () => {
  const odd = [{ agents: 7 }, { agents: { x: null } }, { agents: { x: { resources: [] } } }];
  for (const data of odd) {
    for (const boundary of BOUNDARIES) assert.type(sampleOf(boundary, data as never), 'object');
  }
});

test.run();
