// Parity proves its own worth: a fault of one bit in a host's glue, or in a module's memory, is found.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../runtime/testing/needs.ts';
import { FAULTS, type Fault } from '../scripts/parity/faults.ts';
import type { HostName } from '../scripts/parity/host.ts';
import { runPlants } from '../scripts/parity/plants.ts';

const INPUTS = 6000;
const SEED = 1;
const test = suite('planted faults');
const named = (name: string): Fault => FAULTS.find((fault) => fault.name === name)!;

/** One of each kind; `npm run parity -- --plant` plants all of them into every host. */
const planted: (readonly [HostName, Fault])[] = [
  ['node', named('the length before a field')],
  ['cli', named('a text of the module scope')],
  ...(needs('python')
    ? ([['python', named('the list of committed fields: topics')]] as const)
    : []),
  ...(needs('envoy') ? ([['envoy', named('a text of the module guard')]] as const) : []),
  ...(needs('chromium') ? ([['chromium', named('a text of the compiled policy')]] as const) : []),
];

for (const [host, fault] of planted) {
  test(`${host}: one bit of ${fault.name}`, async () => {
    const [result] = await runPlants({
      hosts: [host],
      inputs: INPUTS,
      seed: SEED,
      faults: [fault],
    });
    assert.ok(result?.found, `not found in ${result?.inputs} inputs`);
  });
}

test.run();
